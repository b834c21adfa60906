#include "cli/command_verify.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/system/atomic_file.h"
#include "base/system/interruption.h"
#include "base/system/standard_output.h"
#include "cli/case_options.h"
#include "mesh/gmsh/mesh_geometry.h"
#include "run/simulation.h"
#include "run/user_case.h"
#include "run/verify_time.h"
#include "solve/time/runge_kutta.h"

namespace weft {

namespace {

struct VerifyOptions : CaseOptions {
  int levels = 0;
  std::string json;
};

// An observed order may fall short of the expected one by this much.
constexpr double order_slack = 0.2;

struct Level {
  std::int64_t cells = 0, dofs = 0;
  std::vector<FieldError> errors;
};

// Edge length of equal cells that fill the mesh's bounding volume as densely as its own do.
double mean_cell_size(const Mesh &mesh) {
  double volume = 1;
  for (int k = 0; k < mesh.dim; ++k) {
    double lowest = mesh.coordinates[k], highest = lowest;
    for (std::int64_t n = 0; n < mesh.num_nodes(); ++n) {
      lowest = std::min(lowest, mesh.coordinates[n * mesh.dim + k]);
      highest = std::max(highest, mesh.coordinates[n * mesh.dim + k]);
    }
    volume *= highest - lowest;
  }
  return std::pow(volume / static_cast<double>(mesh.num_cells()), 1.0 / mesh.dim);
}

// The mesh of a level: boxes with cells doubled, geometries meshed anew with half the cell size,
// meshes of files with every cell split.
MeshSpec refined(const MeshSpec &base, int level, std::optional<double> first_size) {
  MeshSpec spec = base;
  if (spec.box) {
    for (int &cells : spec.box->cells)
      cells <<= level;
  } else if (!is_geometry_file(*spec.file)) {
    spec.refine += level;
  } else if (level > 0) {
    spec.size = *first_size / (1 << level);
  }
  return spec;
}

double observed_order(const Level &coarse, const Level &fine, std::size_t field, int dim, bool h1) {
  const double ratio =
      std::pow(static_cast<double>(fine.cells) / static_cast<double>(coarse.cells), 1.0 / dim);
  const auto error = [&](const Level &level) {
    return h1 ? level.errors[field].h1 : level.errors[field].l2;
  };
  return std::log(error(coarse) / error(fine)) / std::log(ratio);
}

nlohmann::ordered_json to_json(const std::vector<Level> &levels, int dim) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nlohmann::ordered_json entry = {{"cells", levels[i].cells}, {"dofs", levels[i].dofs}};
    for (std::size_t f = 0; f < levels[i].errors.size(); ++f) {
      const FieldError &error = levels[i].errors[f];
      entry["errors"][error.field] = {{"L2", error.l2}, {"H1", error.h1}};
      if (i > 0)
        entry["orders"][error.field] = {
            {"L2", observed_order(levels[i - 1], levels[i], f, dim, false)},
            {"H1", observed_order(levels[i - 1], levels[i], f, dim, true)}};
    }
    json.push_back(entry);
  }
  return json;
}

// On a mesh whose cells are 2^level times smaller the error of the steps of a law falls as that of
// space does: h^(p+1).
void shorten_steps(Simulation &s, int level) {
  if (!s.dg || level == 0)
    return;
  TimeSpec &time = *s.c.time;
  const double order = s.c.form.fields.front().order + 1;
  const TimeScheme scheme = time_scheme_from_name(time.scheme);
  const int order_in_time = is_explicit(scheme) ? make_runge_kutta(scheme).order
                            : scheme == TimeScheme::theta && time.theta != 0.5 ? 1
                                                                               : 2;
  const double halvings = level * order / order_in_time;
  time.step *= std::exp2(-std::max(halvings, double(level)));
  time.cfl *= std::exp2(-std::max(halvings - level, 0.0)); // the step goes with the cells by itself
  if (time.tolerance)
    *time.tolerance *= std::exp2(-level * order);
}

// Orders in space, in `json` too. Returns the error of an order that is too low.
std::optional<Error> verify_space(const VerifyOptions &options, const Case &c, int num_levels,
                                  nlohmann::ordered_json &json) {
  std::vector<Level> levels;
  std::optional<double> first_size = c.mesh.size;
  int dim = 0;
  fmt::print("{:>10} {:>10}  {:<8} {:>12} {:>7} {:>12} {:>7}\n", "cells", "dofs", "field", "L2",
             "order", "H1", "order");
  flush_standard_output();
  for (int level = 0; level < num_levels; ++level) {
    const auto s =
        make_simulation(options.case_file, options.problem, refined(c.mesh, level, first_size));
    shorten_steps(*s, level);
    dim = s->mesh.dim;
    if (!first_size)
      first_size = mean_cell_size(s->mesh);
    solve(*s, false);
    throw_if_interrupted();
    if (!s->solver.converged)
      throw Error(ErrorKind::numerical,
                  {.what = fmt::format("level {} did not converge: {}", level, s->solver.reason),
                   .where = options.case_file});
    levels.push_back({s->mesh.num_cells(), s->discretisation.num_dofs,
                      errors(s->c, s->discretisation, s->state)});
    for (const FieldError &error : levels.back().errors)
      if (!error.fault.empty())
        throw Error(ErrorKind::numerical, {.what = fmt::format("level {}: the error of {} {}",
                                                               level, error.field, error.fault),
                                           .where = options.case_file});
    for (std::size_t f = 0; f < levels.back().errors.size(); ++f) {
      const FieldError &error = levels.back().errors[f];
      const auto order = [&](bool h1) {
        return level == 0 ? std::string("-")
                          : fmt::format("{:.2f}", observed_order(levels[level - 1], levels[level],
                                                                 f, dim, h1));
      };
      fmt::print("{:>10} {:>10}  {:<8} {:>12.4e} {:>7} {:>12.4e} {:>7}\n", levels.back().cells,
                 levels.back().dofs, error.field, error.l2, order(false), error.h1, order(true));
    }
    flush_standard_output();
  }
  json["levels"] = to_json(levels, dim);
  for (const auto &[field, expected] : c.verify.expect)
    for (std::size_t f = 0; f < levels.back().errors.size(); ++f) {
      if (levels.back().errors[f].field != field || levels.size() < 2)
        continue;
      const double order = observed_order(levels[levels.size() - 2], levels.back(), f, dim, false);
      if (!(order >= expected - order_slack))
        return Error(ErrorKind::numerical,
                     {.what = "the observed order of " + field + " in L2 is too low",
                      .where = options.case_file,
                      .found = fmt::format("{:.2f}", order),
                      .allowed = fmt::format("at least {} - {}", expected, order_slack)});
    }
  return {};
}

void verify(const VerifyOptions &options) {
  const Case c = read_user_case(options.case_file, options.problem);
  for (const auto &[name, order] : c.verify.expect)
    if (std::none_of(c.exact.begin(), c.exact.end(),
                     [&field = name](const ValueSpec &exact) { return exact.name == field; }))
      throw Error(ErrorKind::input, {.what = "an expected order of a field without exact solution",
                                     .where = options.case_file + ": [verify] expect",
                                     .found = name,
                                     .remedy = "give it in [exact], or leave it out"});
  const bool in_time = !c.verify.expect_time.empty();
  // Orders in time alone, where nothing is said of those in space.
  const bool in_space = !c.exact.empty() && (!in_time || !c.verify.expect.empty());
  if (in_time && !c.time)
    throw Error(ErrorKind::input, {.what = "an order in time of a stationary case",
                                   .where = options.case_file + ": [verify] expect_time",
                                   .remedy = "remove expect_time, or add [time]"});
  if (!in_space && !in_time)
    throw Error(ErrorKind::input, {.what = "weft verify needs the exact solution",
                                   .where = options.case_file,
                                   .remedy = "give it in a table [exact]; for the order in time, "
                                             "name it in [verify] expect_time"});
  const int num_levels = options.levels > 0 ? options.levels : c.verify.refine;
  nlohmann::ordered_json json = {{"case", c.file}};
  std::optional<Error> failed;
  if (in_space)
    failed = verify_space(options, c, num_levels, json);
  std::vector<TimeLevel> time_levels;
  if (in_time) {
    time_levels = verify_time(options.case_file, options.problem, num_levels);
    json["time_levels"] = to_json(c, time_levels);
  }
  if (!options.json.empty())
    write_text_file(options.json, json_text(json, 2) + "\n");
  if (failed)
    throw *failed;
  if (in_time)
    check_time_orders(c, time_levels, order_slack);
}

} // namespace

void add_verify_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("verify", "convergence orders of a case, in space and time");
  auto options = std::make_shared<VerifyOptions>();
  add_case_options(*command, *options);
  command->add_option("--levels", options->levels, "meshes to use (default: [verify] refine)")
      ->check(CLI::Range(2, 10));
  command->add_option("--json", options->json, "write levels, errors and orders")
      ->type_name("FILE");
  command->callback([options] { verify(*options); });
}

} // namespace weft
