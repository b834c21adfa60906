#include "app/command_check.h"

#include <fmt/format.h>
#include <span>

#include "app/case_options.h"
#include "app/simulation.h"
#include "base/names.h"
#include "form/form_text.h"
#include "mesh/make_mesh.h"

namespace weft {

namespace {

struct CheckOptions : CaseOptions {
  std::string stage;
};

void print_mesh(const Mesh &mesh) {
  fmt::print("mesh: dimension {}, geometry of order {}, {} nodes\n", mesh.dim, mesh.geometry_order,
             mesh.num_nodes());
  for (const CellSet &set : mesh.sets)
    fmt::print("  {:<14} {:>10} cells in {} leaf blocks\n", to_string(set.type), set.num_cells(),
               set.leaf_offset.size() - 1);
  fmt::print("  regions:       {}\n  facet groups:  {} ({} boundary facets)\n",
             join_names(mesh.region_names()), join_names(mesh.facet_group_names()),
             mesh.num_boundary_facets);
}

void print_space(const Discretisation &d) {
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const FieldSpec &field = d.form.fields[f];
    fmt::print(
        "field {}: P{}, {}, {} nodes, dofs {} .. {}\n", field.name, field.order,
        to_string(field.shape), d.map_of_field(static_cast<int>(f)).num_nodes, d.field_offset[f],
        d.field_offset[f] + d.map_of_field(static_cast<int>(f)).num_nodes * field.components() - 1);
  }
  fmt::print("{} dofs, {} of them prescribed; quadrature of degree {} in cells, {} on facets\n",
             d.num_dofs, d.constraints.dofs.size(), d.cell_degree, d.facet_degree);
}

// The kernels of a kind; none where it takes those of the residual, for a form in C text.
std::span<const IntegralLaunch> own_launches(FormOperator &op, IntegralKind kind) {
  const std::vector<IntegralLaunch> &launches = op.launches(kind);
  if (kind != IntegralKind::residual && &launches == &op.launches(IntegralKind::residual))
    return {};
  return launches;
}

void print_cost(FormOperator &op, const Discretisation &d) {
  fmt::print("{:<60} {:>12} {:>12} {:>12}\n", "kernel", "cells", "flop/cell", "byte/cell");
  for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::linearised}) {
    for (const IntegralLaunch &launch : own_launches(op, kind))
      fmt::print("{:<60} {:>12} {:>12.0f} {:>12.1f}\n", launch.source.name, launch.num_cells,
                 launch.source.cost.operations.flops(),
                 launch.cost.bytes() / static_cast<double>(launch.num_cells));
    const double cells = static_cast<double>(d.mesh->num_cells());
    fmt::print("{:<60} {:>12} {:>12.1f} {:>12.1f}\n",
               to_string(kind) + " with sums and prescribed dofs", d.mesh->num_cells(),
               op.flops(kind) / cells, op.bytes(kind) / cells);
  }
}

void check(const CheckOptions &options) {
  if (options.stage == "mesh" || options.stage == "space" || options.stage == "form") {
    // No device is needed.
    Timings timings;
    Case c = read_case(options.case_file, options.problem.overrides);
    const Mesh mesh = make_mesh(c.mesh, timings);
    if (options.stage == "mesh") {
      print_mesh(mesh);
      return;
    }
    resolve_dimension(c, mesh.dim);
    const Discretisation d = make_discretisation(c, mesh);
    if (options.stage == "space")
      print_space(d);
    else
      fmt::print("{}", form_text(d.form));
    return;
  }
  const std::unique_ptr<Simulation> s = make_simulation(options.case_file, options.problem);
  if (options.stage == "source") {
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      for (const IntegralLaunch &launch : own_launches(*s->op, kind))
        fmt::print("{}\n", launch.source.text);
  } else if (options.stage == "cost") {
    print_cost(*s->op, s->discretisation);
  } else {
    s->op->launches(IntegralKind::residual);
    // Expressions of functionals and outputs are understood only when they are evaluated.
    functionals(s->c, s->discretisation, s->state);
    output_fields(s->c, s->discretisation, s->state);
    print_mesh(s->mesh);
    print_space(s->discretisation);
    fmt::print("{}: nothing wrong was found\n", s->c.file);
  }
}

} // namespace

void add_check_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("check", "check a case without solving it; print a stage of its way");
  auto options = std::make_shared<CheckOptions>();
  add_case_options(*command, *options);
  command->add_option("--stage", options->stage, "print this stage")
      ->check(CLI::IsMember({"mesh", "space", "form", "source", "cost"}));
  command->callback([options] { check(*options); });
}

} // namespace weft
