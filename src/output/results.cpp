#include "output/results.h"

#include <cmath>
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/number.h"
#include "base/system/atomic_file.h"
#include "output/kernel_rows.h"

namespace weft {

namespace {

// What solved, and the levels of its multigrid.
void add_solver(nlohmann::ordered_json &solver, const RunRecord &record) {
  const SolverRecord &choice = record.solver_choice;
  solver["operator"] = choice.op;
  solver["method"] = choice.method;
  solver["preconditioner"] = choice.preconditioner;
  solver["precision"] = choice.precision.empty() ? nlohmann::ordered_json()
                                                 : nlohmann::ordered_json(choice.precision);
  if (!record.solver.library.empty())
    solver["library"] = record.solver.library;
  solver["chosen"] = choice.chosen;
  if (!record.solver.remark.empty())
    solver["remark"] = record.solver.remark;
  solver["to_rounding"] = record.solver.to_rounding;
  for (const NewtonStep &step : record.solver.newton)
    solver["newton"].push_back({{"factor", step.factor},
                                {"residual", step.residual},
                                {"step", step.step_norm},
                                {"iterations", step.iterations},
                                {"taken_back", step.taken_back}});
  solver["setups"] = record.solver.num_setups;
  solver["setup_s"] = record.solver.setup_seconds;
  solver["levels"] = nlohmann::ordered_json::array();
  for (const LevelSummary &level : record.solver.levels) {
    solver["levels"].push_back({{"unknowns", level.unknowns},
                                {"entries", level.entries},
                                {"precision", to_string(level.storage)},
                                {"bytes", level.bytes}});
    if (level.halo)
      solver["levels"].back()["halo"] = {{"messages", level.halo->messages},
                                         {"bytes", level.halo->bytes}};
  }
  if (const std::optional<double> complexity = operator_complexity(record.solver.levels))
    solver["operator_complexity"] = *complexity;
}

nlohmann::ordered_json value_or_list(const std::vector<double> &values) {
  return values.size() == 1 ? nlohmann::ordered_json(values[0]) : nlohmann::ordered_json(values);
}

// Estimated errors and gradients, of functionals that asked for them.
void add_adjoint(nlohmann::ordered_json &json, const RunRecord &record) {
  for (const EstimatedError &error : record.adjoint.errors) {
    std::vector<double> sizes;
    for (const double value : error.errors)
      sizes.push_back(std::abs(value));
    nlohmann::ordered_json &entry = json["functional_errors"][error.functional];
    for (const FunctionalValue &functional : record.functionals)
      if (functional.name == error.functional)
        entry["value"] = value_or_list(functional.values);
    entry["error"] = value_or_list(sizes);
    entry["signed"] = value_or_list(error.errors);
  }
  for (const FunctionalGradient &gradient : record.adjoint.gradients)
    json["gradients"][gradient.functional][gradient.parameter] = value_or_list(gradient.values);
}

// What --expect compared.
void add_expected(nlohmann::ordered_json &json, const RunRecord &record) {
  if (record.expected.empty())
    return;
  json["expected"] = {{"source", record.expected_source},
                      {"values", nlohmann::ordered_json::array()}};
  for (const CheckedValue &value : record.expected)
    json["expected"]["values"].push_back(
        {{"name", value.name},
         {"found", value.found ? nlohmann::ordered_json(*value.found) : nlohmann::ordered_json()},
         {"expected", value.expected},
         {"met", value.missed.empty()}});
}

void add_ranks(nlohmann::ordered_json &json, const RanksRecord &ranks) {
  json["ranks"] = {{"count", ranks.count}, {"devices", ranks.devices}};
  const auto add_count = [&](const char *name, const LeastMost &counts) {
    json["ranks"][name] = {{"least", std::llround(counts.least)},
                           {"most", std::llround(counts.most)}};
  };
  add_count("cells", ranks.cells);
  add_count("ghost_cells", ranks.ghost_cells);
  add_count("neighbours", ranks.neighbours);
  add_count("messages", ranks.messages);
  add_count("bytes", ranks.bytes);
  add_count("reductions", ranks.reductions);
  json["ranks"]["waited_s"] = {{"least", ranks.waited_s.least}, {"most", ranks.waited_s.most}};
}

void add_values(nlohmann::ordered_json &json, const RunRecord &record) {
  for (const FunctionalValue &functional : record.functionals)
    json["functionals"][functional.name] = value_or_list(functional.values);
  for (const FieldError &error : record.errors)
    json["errors"][error.field] = {{"L2", error.l2}, {"H1", error.h1}};
}

// Stages before this one, whose own files lie in folders of their names.
void add_stages(nlohmann::ordered_json &json, const RunRecord &record) {
  if (record.stage.empty())
    return;
  using Json = nlohmann::ordered_json;
  json["stage"] = record.stage;
  json["stages"] = Json::object();
  for (const RunRecord &stage : record.earlier) {
    Json &entry = json["stages"][stage.stage];
    entry = {{"dofs", stage.dofs},
             {"functionals", Json::object()},
             {"errors", Json::object()},
             {"iterations", stage.solver.iterations}};
    add_values(entry, stage);
  }
}

} // namespace

std::string to_string(const NotFinite &value) {
  return fmt::format("{} {}{}", value.name, value.fault,
                     value.time ? " at time " + format_real(*value.time) : "");
}

void RunOutcome::add(const std::string &with_status, int with_exit_code,
                     const std::string &message) {
  if (failures.empty()) {
    status = with_status;
    exit_code = with_exit_code;
  }
  failures.push_back(message);
}

std::string results_json(const RunRecord &record) {
  using Json = nlohmann::ordered_json;
  Json json = provenance();
  json.update({
      {"version", record.version},
      {"device", record.device},
      {"case", record.case_file},
      {"title", record.title},
      {"mesh", {{"cells", record.mesh_cells}, {"nodes", record.mesh_nodes}}},
      {"dofs", record.dofs},
      {"outcome",
       {{"status", record.outcome.status},
        {"exit_code", record.outcome.exit_code},
        {"failures", record.outcome.failures}}},
      {"functionals", Json::object()},
      {"functionals_converged", record.solver.converged},
      {"not_finite", Json::array()},
      {"errors", Json::object()},
      {"solver",
       {{"converged", record.solver.converged},
        {"iterations", record.solver.iterations},
        {"reason", record.solver.reason},
        {"residual", record.solver.residual},
        {"history", record.solver.history}}},
      {"timings", Json::object()},
      {"kernels", Json::array()},
      {"variants", Json::object()},
      {"variants_from", Json::object()},
      {"notices", record.notices},
  });
  if (record.time)
    json["time"] = {{"end", record.time->end},
                    {"steps", record.time->steps},
                    {"rejected", record.time->rejected},
                    {"newton_steps", record.time->newton_steps},
                    {"stages", record.time->stages}};
  if (record.time && !record.time->parameter.empty())
    json["time"]["parameter"] = record.time->parameter;
  if (record.time && !record.time->stopped.empty())
    json["time"]["stopped"] = record.time->stopped;
  if (record.ranks)
    add_ranks(json, *record.ranks);
  if (!record.solver_choice.op.empty())
    add_solver(json["solver"], record);
  add_values(json, record);
  add_stages(json, record);
  add_adjoint(json, record);
  for (const NotFinite &value : record.not_finite)
    json["not_finite"].push_back({{"name", value.name},
                                  {"time", value.time ? Json(*value.time) : Json()},
                                  {"fault", value.fault}});
  for (const FieldAtBounds &count : record.at_bounds)
    json["at_bounds"][count.field] = {{"lower", count.lower}, {"upper", count.upper}};
  for (const auto &[stage, seconds] : record.timings.stages())
    json["timings"][stage + "_s"] = seconds;
  for (const KernelRecord &kernel : record.kernels)
    json["kernels"].push_back(to_json(kernel));
  for (const VariantRecord &variant : record.variants) {
    json["variants"][variant.kernel] = variant.variant;
    json["variants_from"][variant.kernel] = variant.from;
  }
  add_expected(json, record);
  json["overrides"] = record.overrides;
  json["case_text"] = record.case_text;
  return json_text(json, 2) + "\n";
}

void write_results(const std::string &path, const RunRecord &record) {
  write_text_file(path, results_json(record));
}

} // namespace weft
