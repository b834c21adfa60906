#include "cli/command_check.h"

#include <fmt/format.h>
#include <span>

#include "base/names.h"
#include "case/output_folder.h"
#include "cli/case_options.h"
#include "form/expression/shape.h"
#include "form/law/form_text.h"
#include "mesh/make/make_mesh.h"
#include "op/law/dg_tuning.h"
#include "op/law/mesh/k_orthogonality.h"
#include "op/set_up/make_discretisation.h"
#include "run/case_notices.h"
#include "run/simulation.h"
#include "run/transient.h"
#include "run/user_case.h"

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
        "field {}: {}, {}, {} nodes, dofs {} .. {}\n", field.name, field.element(),
        to_string(field.shape), d.map_of_field(static_cast<int>(f)).num_nodes, d.field_offset[f],
        d.field_offset[f] + d.map_of_field(static_cast<int>(f)).num_nodes * field.components() - 1);
  }
  if (d.law) {
    fmt::print("{} dofs\n", d.num_dofs);
    return;
  }
  fmt::print("{} dofs, {} of them prescribed; quadrature of degree {} in cells, {} on facets\n",
             d.num_dofs, d.constraints.dofs.size(), d.cell_degree, d.facet_degree);
}

// What facets see, and what the mesh has to do with it.
void print_finite_volumes(const Discretisation &d) {
  if (!d.law || !d.law->finite_volume)
    return;
  fmt::print("{}\n", finite_volume_text(*d.law));
  if (!d.law->conormal.outputs.empty())
    fmt::print("diffusion: {}\n", to_string(k_orthogonality(d), d.mesh->dim));
}

// Those that an operator has kernels for.
std::vector<IntegralKind> kinds_of(const FormOperator &op) {
  if (op.matrix())
    return {IntegralKind::residual, IntegralKind::matrix, IntegralKind::linearised};
  return {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal};
}

// The kernels of a kind; none where it takes those of the residual, for a form in C text.
std::span<const IntegralLaunch> own_launches(FormOperator &op, IntegralKind kind) {
  const std::vector<IntegralLaunch> &launches = op.launches(kind);
  if (kind != IntegralKind::residual && &launches == &op.launches(IntegralKind::residual))
    return {};
  return launches;
}

// Of a cell, by our counts: what the kernel does for all its lanes, divided by the cells.
std::string cost_of_a_cell(const KernelCost &cost, std::int64_t cells) {
  const double n = static_cast<double>(cells);
  return fmt::format("{:>10} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}", cells,
                     cost.operations.flops() / n, cost.bytes_read / n, cost.bytes_written / n,
                     cost.bytes_streamed / n);
}

std::string paper_cost_of_a_cell(const std::optional<PaperSizes> &sizes) {
  if (!sizes)
    return {};
  const PaperCost cost = paper_cost(*sizes);
  const double n = sizes->batch_cells();
  return fmt::format("  {:>8.1f} {:>8.1f} {:>9.3f} {:>8.1f}", cost.flops / n, cost.bytes / n,
                     cost.balance, cost.shared_bytes_a_cell);
}

void print_cost(FormOperator &op, const Discretisation &d) {
  fmt::print(
      "Of a cell, for each kernel: what it does by our formulas; then by equations (7), (6), "
      "(8), (4) of\nKnepley, Rupp and Terrel, which describe thread transposition.\n");
  fmt::print("{:<60} {:>10} {:>10} {:>10} {:>10} {:>10}  {:>8} {:>8} {:>9} {:>8}\n", "kernel",
             "cells", "flop", "B read", "B written", "B streamed", "flop", "B", "flop/B",
             "B shared");
  for (const IntegralKind kind : kinds_of(op)) {
    if (kind == IntegralKind::diagonal)
      continue;
    for (const IntegralLaunch &launch : own_launches(op, kind))
      fmt::print("{:<60} {}{}\n", launch.source.name, cost_of_a_cell(launch.cost, launch.num_cells),
                 paper_cost_of_a_cell(launch.paper));
    fmt::print("{:<60} {}\n", to_string(kind) + " with sums and prescribed dofs",
               cost_of_a_cell(op.cost(kind), d.mesh->num_cells()));
  }
}

// The kernels of a stage, of the search for the longest step and of sources that are split off.
void print_cost_of_law(DgOperator &op, const Discretisation &d) {
  fmt::print("Of a cell, for each kernel: what it does by our formulas.\n");
  fmt::print("{:<60} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "kernel", "cells", "flop", "B read",
             "B written", "B streamed");
  const auto print = [&](const std::vector<NamedCost> &costs) {
    for (std::size_t s = 0; s < costs.size(); ++s)
      fmt::print("{:<60} {}\n", costs[s].name,
                 cost_of_a_cell(costs[s].cost, d.mesh->sets[op.mesh().sets[s].set].num_cells()));
  };
  for (const DgStage stage : op.parts_of_stage(op.settings().fused))
    print(op.costs_of(stage, tuned_update()));
  print(op.costs_of(DgStage::step, tuned_update()));
  if (op.reaction())
    print(op.reaction()->costs());
}

// Of implicit steps: between the solver's vectors and states.
void print_cost_of_vectors(const LawOperator &op, const Discretisation &d) {
  for (const NamedCost &cost : op.vector_costs())
    fmt::print("{:<60} {}\n", cost.name, cost_of_a_cell(cost.cost, d.mesh->num_cells()));
}

// The kernels of a step, which it takes.
void print_sources_of_law(Simulation &s) {
  take_first_step(s);
  for (const DgLaunch *launch : s.dg->launches())
    fmt::print("{}\n", launch->launch.source().text);
  if (s.dg->reaction())
    for (const LawLaunch &launch : s.dg->reaction()->launches())
      fmt::print("{}\n", launch.source().text);
  if (s.law_system)
    fmt::print("{}\n", s.law_system->vectors_text());
}

// Kernels are made only when they are launched.
void check_all(Simulation &s) {
  if (s.op)
    s.op->launches(IntegralKind::residual);
  else
    take_first_step(s);
}

void print_sources(FormOperator &op) {
  for (const IntegralKind kind : kinds_of(op))
    for (const IntegralLaunch &launch : own_launches(op, kind))
      fmt::print("{}\n", launch.source.text);
}

// The stages that need no device.
void print_without_device(Case &c, const std::string &stage) {
  Timings timings;
  const Mesh mesh = make_mesh(c.mesh, timings);
  if (stage == "mesh") {
    print_mesh(mesh);
    return;
  }
  resolve_dimension(c, mesh.dim);
  const Discretisation d = make_discretisation(c, mesh);
  look_over(c, d);
  if (stage == "space") {
    print_space(d);
    print_finite_volumes(d);
  } else {
    fmt::print("{}", d.law ? law_text(*d.law, d.form) : form_text(d.form));
  }
}

void check(const CheckOptions &options) {
  if (options.stage == "mesh" || options.stage == "space" || options.stage == "form") {
    Case c = read_user_case(options.case_file, options.problem);
    with_places_of(c, [&] { print_without_device(c, options.stage); });
    return;
  }
  const std::unique_ptr<Simulation> s = make_simulation(options.case_file, options.problem);
  if (options.stage == "source") {
    if (s->op)
      print_sources(*s->op);
    else
      print_sources_of_law(*s);
  } else if (options.stage == "cost") {
    if (s->op)
      print_cost(*s->op, s->discretisation);
    else
      print_cost_of_law(*s->dg, s->discretisation);
    if (s->law_system)
      print_cost_of_vectors(*s->law_system, s->discretisation);
  } else {
    check_output_folder(s->c);
    check_all(*s);
    print_mesh(s->mesh);
    print_space(s->discretisation);
    print_finite_volumes(s->discretisation);
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
