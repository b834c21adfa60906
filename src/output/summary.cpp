#include "output/summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace weft {

namespace {

std::string values_text(const std::vector<double> &values) {
  if (values.size() == 1)
    return fmt::format("{:.9g}", values[0]);
  return fmt::format("[{:.9g}]", fmt::join(values, ", "));
}

// "316.48 +- 0.03": the error to one digit, or two that begin with 1, and the value as far.
std::string value_with_error(double value, double error) {
  constexpr int most_digits = 10;
  error = std::abs(error);
  if (!std::isfinite(value) || !std::isfinite(error) || error == 0)
    return fmt::format("{:.9g} +- {:.1g}", value, error);
  const int place = static_cast<int>(std::floor(std::log10(error)));
  const int digits = error < 2 * std::pow(10., place) ? 2 : 1;
  const int decimals = digits - 1 - place;
  const double size = std::max(std::abs(value), error);
  const int leading = static_cast<int>(std::floor(std::log10(size)));
  if (leading + decimals > most_digits) // more than rounding has left
    return fmt::format("{:.{}g} +- {:.{}g}", value, most_digits, error, digits);
  if (leading < -4 || leading > 8)
    return fmt::format("{:.{}e} +- {:.{}e}", value, std::max(leading + decimals, 0), error,
                       digits - 1);
  if (decimals < 0) { // "108020000 +- 40000"
    const double unit = std::pow(10., -decimals);
    value = std::round(value / unit) * unit;
    error = std::round(error / unit) * unit;
  }
  const int shown = std::max(decimals, 0);
  return fmt::format("{:.{}f} +- {:.{}f}", value, shown, error, shown);
}

// What adjoint problems tell of a functional: its value with the estimated error.
std::string functional_text(const RunRecord &record, const FunctionalValue &functional) {
  for (const EstimatedError &error : record.adjoint.errors)
    if (error.functional == functional.name && error.errors.size() == functional.values.size()) {
      std::vector<std::string> texts;
      for (std::size_t k = 0; k < error.errors.size(); ++k)
        texts.push_back(value_with_error(functional.values[k], error.errors[k]));
      return texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));
    }
  return values_text(functional.values);
}

// "  d T_max / d k = -0.123", a line each.
std::string gradients_text(const RunRecord &record) {
  std::string text;
  for (const FunctionalGradient &gradient : record.adjoint.gradients)
    text += fmt::format("  d {} / d {} = {}\n", gradient.functional, gradient.parameter,
                        values_text(gradient.values));
  return text;
}

// "1 497 664" reads more easily than "1497664".
std::string grouped(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ' ';
    text += digits[i];
  }
  return text;
}

// "operator: 36.4 M cells/s, 6.6 GFlop/s, 3.2 GB/s (block, on_the_fly, f64, 2 threads)".
std::string speed_text(const KernelRecord &kernel) {
  if (!kernel.seconds || !kernel.cells)
    return {};
  const double per_second = 1 / *kernel.seconds;
  std::string text = fmt::format("operator: {:.1f} M cells/s",
                                 static_cast<double>(*kernel.cells) * per_second * 1e-6);
  if (kernel.flops)
    text += fmt::format(", {:.1f} GFlop/s", *kernel.flops * per_second * 1e-9);
  if (kernel.bytes)
    text += fmt::format(", {:.1f} GB/s", *kernel.bytes * per_second * 1e-9);
  text += fmt::format(" ({}, {}, {}", kernel.strategy, kernel.geometry, kernel.precision);
  if (kernel.threads)
    text += fmt::format(", {} {}", *kernel.threads, *kernel.threads == 1 ? "thread" : "threads");
  return text + ")\n";
}

// "2 processes: 198 to 202 cells each, 20 to 24 of others, 3 to 4 % of the time waited for others".
std::string ranks_text(const RunRecord &record) {
  if (!record.ranks)
    return {};
  const RanksRecord &ranks = *record.ranks;
  const auto range = [](const LeastMost &counts) {
    return counts.least == counts.most
               ? grouped(std::llround(counts.least))
               : fmt::format("{} to {}", grouped(std::llround(counts.least)),
                             grouped(std::llround(counts.most)));
  };
  const auto &stages = record.timings.stages();
  const auto solve = stages.find("solve");
  const double percent = solve == stages.end() || !(solve->second > 0) ? 0 : 100 / solve->second;
  return fmt::format("{} processes: {} cells each and {} of others, {:.0f} to {:.0f} % of the "
                     "solve waited for others\n",
                     ranks.count, range(ranks.cells), range(ranks.ghost_cells),
                     percent * ranks.waited_s.least, percent * ranks.waited_s.most);
}

// "1 iteration", "17 iterations".
std::string counted(std::size_t count, const std::string &what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "converged, 17 iterations, relative residual 8.65e-11".
std::string end_text(const RunRecord &record) {
  const bool explicit_steps = record.time && record.solver_choice.op.empty();
  std::string text = explicit_steps ? "done" : "converged";
  if (record.outcome.status == "interrupted")
    text = "INTERRUPTED";
  else if (!record.solver.converged)
    text = explicit_steps || record.outcome.status == "failed" ? "FAILED" : "NOT CONVERGED";
  if (explicit_steps && record.time->stages == 0 && !record.solver.converged)
    return text + "\n"; // before its first step
  if (explicit_steps)
    return fmt::format("{}, {} evaluations of the right-hand side\n", text,
                       grouped(record.time->stages));
  if (record.solver.status == SolveStatus::running && !record.solver.converged)
    return text + "\n"; // an error ended the solve
  const std::size_t steps = record.solver.newton.size();
  return fmt::format("{}{}, {}{}, relative residual {:.2e}\n", text,
                     record.solver.to_rounding ? " to rounding" : "",
                     steps > 0 ? counted(steps, "Newton step") + ", " : "",
                     counted(record.solver.iterations, "iteration"), record.solver.residual);
}

// The steps of Newton's method, a line each.
std::string newton_text(const std::vector<NewtonStep> &steps) {
  std::string text;
  if (!steps.empty())
    text = fmt::format("  {:>6} {:>9} {:>11} {:>11} {:>11}\n", "Newton", "damping", "residual",
                       "step", "iterations");
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("  {:>6} {:>9.4g} {:>11.2e} {:>11.2e} {:>11}{}\n", i + 1, steps[i].factor,
                        steps[i].residual, steps[i].step_norm, steps[i].iterations,
                        steps[i].taken_back ? "  taken back" : "");
  return text;
}

// "2 messages, 12.3 kB"
std::string halo_text(const std::optional<HaloCounts> &halo) {
  return halo ? fmt::format("{}, {:.1f} kB", counted(halo->messages, "message"),
                            static_cast<double>(halo->bytes) * 1e-3)
              : "nothing: whole on each process";
}

// "solver: cg with multigrid in f16, assembled (chosen)", and the levels of multigrid.
std::string solver_text(const RunRecord &record) {
  if (record.solver_choice.op.empty())
    return {};
  std::string text =
      "solver: " + solver_in_words(record.solver_choice, record.solver.library) + "\n";
  if (!record.solver.remark.empty())
    text += "  " + record.solver.remark + "\n";
  text += newton_text(record.solver.newton);
  const std::vector<LevelSummary> &levels = record.solver.levels;
  if (levels.size() < 2)
    return text;
  text += fmt::format("  {:>5} {:>13} {:>15}  {:<9} {:>10}{}\n", "level", "unknowns", "non-zeros",
                      "precision", "memory", record.ranks ? "  sent before a product" : "");
  double bytes = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    text +=
        fmt::format("  {:>5} {:>13} {:>15}  {:<9} {:>7.1f} MB{}\n", l, grouped(levels[l].unknowns),
                    levels[l].entries > 0 ? grouped(levels[l].entries) : "-",
                    to_string(levels[l].storage), static_cast<double>(levels[l].bytes) * 1e-6,
                    record.ranks ? "  " + halo_text(levels[l].halo) : "");
    bytes += static_cast<double>(levels[l].bytes);
  }
  const std::optional<double> complexity = operator_complexity(levels);
  return text +
         fmt::format("  {}{:.1f} MB in all, set-up {:.2f} s\n",
                     complexity ? fmt::format("operator complexity {:.2f}, ", *complexity) : "",
                     bytes * 1e-6, record.solver.setup_seconds);
}

// "1.24 s: mesh 0.08, set-up 0.67, solve 0.40, output 0.09".
std::string time_text(const Timings &timings) {
  const auto &stages = timings.stages();
  const auto seconds = [&](const std::string &prefix) {
    double sum = 0;
    for (const auto &[name, value] : stages)
      if (name.starts_with(prefix))
        sum += value;
    return sum;
  };
  if (!stages.contains("total"))
    return {};
  const double total = seconds("total"), mesh = seconds("mesh"), solve = seconds("solve"),
               output = seconds("output"), adjoint = seconds("adjoint");
  return fmt::format("{:.2f} s: mesh {:.2f}, set-up {:.2f}, solve {:.2f}, {}output {:.2f}\n", total,
                     mesh, std::max(0.0, total - mesh - solve - output - adjoint), solve,
                     stages.contains("adjoint") ? fmt::format("adjoint {:.2f}, ", adjoint) : "",
                     output);
}

} // namespace

std::string solver_in_words(const SolverRecord &solver, const std::string &library) {
  if (solver.op.empty())
    return {};
  const std::string what =
      solver.method == "direct"
          ? fmt::format("direct{}", library.empty() ? "" : " (" + library + ")")
          : fmt::format("{} with {}{}", solver.method, solver.preconditioner,
                        solver.precision.empty() ? "" : " in " + solver.precision);
  return fmt::format("{}, {}{}", what, solver.op == "assembled" ? "assembled" : "matrix-free",
                     solver.chosen ? " (chosen)" : "");
}

std::string summary_text(const RunRecord &record, const std::vector<std::string> &files) {
  std::string text = fmt::format("{} cells, {} dofs on {}\n", grouped(record.mesh_cells),
                                 grouped(record.dofs), record.device);
  text += ranks_text(record);
  text += end_text(record);
  text += solver_text(record);
  if (!record.solver.converged && record.outcome.failures.empty()) // else these say it
    text += record.solver.reason.empty() ? "" : fmt::format("  {}\n", record.solver.reason);
  if (record.time)
    text += fmt::format(
        "{} {:.9g} in {} step{}{}{}\n",
        record.time->parameter.empty() ? "time" : record.time->parameter + " =", record.time->end,
        grouped(record.time->steps), record.time->steps == 1 ? "" : "s",
        record.time->rejected > 0 ? fmt::format(", {} taken back", grouped(record.time->rejected))
                                  : "",
        record.time->stopped.empty() ? "" : ": stopped by " + record.time->stopped);
  const char *const doubt = record.solver.converged ? "" : "   (not converged)";
  std::size_t width = 0;
  for (const FunctionalValue &functional : record.functionals)
    width = std::max(width, functional.name.size());
  for (const FunctionalValue &functional : record.functionals)
    text += fmt::format("  {:<{}} = {}{}\n", functional.name, width,
                        functional_text(record, functional), doubt);
  text += gradients_text(record);
  for (const FieldError &error : record.errors)
    text += fmt::format("  error of {}: L2 {:.4e}, H1 {:.4e}{}\n", error.field, error.l2, error.h1,
                        doubt);
  for (const FieldAtBounds &count : record.at_bounds)
    text += fmt::format("  {}: {} dofs at the lower bound, {} at the upper one\n", count.field,
                        grouped(count.lower), grouped(count.upper));
  std::set<std::string> speeds; // kernels of one text are said once
  for (const KernelRecord &kernel : record.kernels)
    if (const std::string speed = speed_text(kernel); speeds.insert(speed).second)
      text += (record.ranks ? "first process, " : "") + speed;
  text += time_text(record.timings);
  for (const std::string &file : files)
    text += fmt::format("{}\n", file);
  return text;
}

} // namespace weft
