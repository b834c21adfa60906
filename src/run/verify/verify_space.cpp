#include "run/verify/verify_space.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/system/interruption.h"
#include "mesh/gmsh/mesh_geometry.h"
#include "ranks/first_speaks.h"
#include "solve/time/runge_kutta.h"
#include "space/element.h"

namespace weft {

namespace {

// Of all ranks.
std::int64_t num_cells(const Mesh &mesh) {
  return mesh.share ? mesh.share->num_whole_cells : mesh.num_cells();
}

// All: edge length of equal cells that fill the mesh's bounding volume as densely as its own do.
double mean_cell_size(const Mesh &mesh, Communicator *ranks) {
  double volume = 1;
  for (int k = 0; k < mesh.dim; ++k) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (std::int64_t n = 0; n < mesh.num_nodes(); ++n) {
      lowest = std::min(lowest, mesh.coordinates[n * mesh.dim + k]);
      highest = std::max(highest, mesh.coordinates[n * mesh.dim + k]);
    }
    volume *= largest(ranks, highest) - smallest(ranks, lowest);
  }
  return std::pow(volume / static_cast<double>(num_cells(mesh)), 1.0 / mesh.dim);
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

// On a mesh whose cells are 2^level times smaller the error of the steps of a law falls as that of
// space does: h^(p+1).
void shorten_steps(Simulation &s, int level) {
  if (s.model->rates() == nullptr || level == 0)
    return;
  TimeSpec &time = *s.c.time;
  const double order = s.c.form.fields.front().order + 1;
  const TimeScheme scheme = time_scheme_from_name(time.scheme);
  const int order_in_time = is_explicit(scheme) ? make_runge_kutta(scheme).order
                            : scheme == TimeScheme::theta && time.theta != 0.5 ? 1
                                                                               : 2;
  const double halvings = level * order / order_in_time;
  time.step *= std::exp2(-std::max(halvings, double(level)));
  // These steps go with the cells by themselves.
  const double share = std::exp2(-std::max(halvings - level, 0.0));
  time.cfl *= share;
  time.stable_share *= share;
  if (time.tolerance)
    *time.tolerance *= std::exp2(-level * order);
}

void print_level(const std::vector<SpaceLevel> &levels, const Communicator *ranks) {
  const SpaceLevel &now = levels.back();
  for (std::size_t f = 0; f < now.errors.size(); ++f) {
    const FieldError &error = now.errors[f];
    const auto order = [&](bool h1) {
      return levels.size() < 2
                 ? std::string("-")
                 : fmt::format("{:.2f}", observed_order(levels[levels.size() - 2], now, f, h1));
    };
    print_on_first(ranks, "{:>10} {:>10}  {:<8} {:>12.4e} {:>7} {:>12.4e} {:>7}\n", now.cells,
                   now.dofs, error.field, error.l2, order(false), error.h1, order(true));
  }
}

} // namespace

void check_elements(const Case &c) {
  for (const VerifyCombination &combination : c.verify.combinations) {
    const CellType cell = cell_type_from_name(combination.box.cell);
    FieldSpec field;
    set_element(field, combination.element);
    try {
      if (field.discontinuous)
        make_nodal_element(cell, field.order);
      else
        make_element(cell, field.order);
    } catch (const Error &error) {
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.where = combination.where;
      diagnostic.found = combination.name();
      throw Error(error.kind(), diagnostic);
    }
  }
}

double observed_order(const SpaceLevel &coarse, const SpaceLevel &fine, std::size_t field,
                      bool h1) {
  const double ratio =
      std::pow(static_cast<double>(fine.cells) / static_cast<double>(coarse.cells), 1.0 / fine.dim);
  const auto error = [&](const SpaceLevel &level) {
    return h1 ? level.errors[field].h1 : level.errors[field].l2;
  };
  return std::log(error(coarse) / error(fine)) / std::log(ratio);
}

std::vector<SpaceLevel> verify_space(const Case &c, const ProblemOptions &options, int num_levels,
                                     Communicator *ranks) {
  std::vector<SpaceLevel> levels;
  std::optional<double> first_size = c.mesh.size;
  print_on_first(ranks, "{:>10} {:>10}  {:<8} {:>12} {:>7} {:>12} {:>7}\n", "cells", "dofs",
                 "field", "L2", "order", "H1", "order");
  for (int level = 0; level < num_levels; ++level) {
    const auto s = make_simulation(c.file, options, refined(c.mesh, level, first_size), ranks);
    shorten_steps(*s, level);
    if (!first_size)
      first_size = mean_cell_size(s->mesh, ranks);
    solve(*s, false);
    throw_if_interrupted();
    if (!s->solver.converged)
      throw Error(ErrorKind::numerical,
                  {.what = fmt::format("level {} did not converge: {}", level, s->solver.reason),
                   .where = c.file});
    levels.push_back({num_cells(s->mesh), s->discretisation.num_global, s->mesh.dim,
                      errors(s->c, s->discretisation, s->state)});
    for (const FieldError &error : levels.back().errors)
      if (!error.fault.empty())
        throw Error(ErrorKind::numerical, {.what = fmt::format("level {}: the error of {} {}",
                                                               level, error.field, error.fault),
                                           .where = c.file});
    print_level(levels, ranks);
  }
  return levels;
}

std::optional<Error> missed_space_order(const Case &c, const std::vector<SpaceLevel> &levels,
                                        double slack) {
  if (levels.size() < 2)
    return {};
  for (const auto &[field, expected] : c.verify.expect)
    for (std::size_t f = 0; f < levels.back().errors.size(); ++f) {
      if (levels.back().errors[f].field != field)
        continue;
      const double order = observed_order(levels[levels.size() - 2], levels.back(), f, false);
      if (!(order >= expected - slack))
        return Error(ErrorKind::numerical,
                     {.what = "the observed order of " + field + " in L2 is too low",
                      .where = c.file,
                      .found = fmt::format("{:.2f}", order),
                      .allowed = fmt::format("at least {} - {}", expected, slack)});
    }
  return {};
}

nlohmann::ordered_json to_json(const std::vector<SpaceLevel> &levels) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nlohmann::ordered_json entry = {{"cells", levels[i].cells}, {"dofs", levels[i].dofs}};
    for (std::size_t f = 0; f < levels[i].errors.size(); ++f) {
      const FieldError &error = levels[i].errors[f];
      entry["errors"][error.field] = {{"L2", error.l2}, {"H1", error.h1}};
      if (i > 0)
        entry["orders"][error.field] = {{"L2", observed_order(levels[i - 1], levels[i], f, false)},
                                        {"H1", observed_order(levels[i - 1], levels[i], f, true)}};
    }
    json.push_back(entry);
  }
  return json;
}

} // namespace weft
