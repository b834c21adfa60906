#include "cli/command_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/names.h"
#include "case/output_folder.h"
#include "cli/case_options.h"
#include "mesh/build/unjoined_facets.h"
#include "mesh/make/make_mesh.h"
#include "op/evaluate/field_values.h"
#include "op/set_up/make_discretisation.h"
#include "output/summary.h"
#include "run/case_notices.h"
#include "run/explain/explain_card.h"
#include "run/input/user_case.h"
#include "run/model/problem_text.h"
#include "run/settings/case_time_settings.h"
#include "run/simulation.h"
#include "run/transient.h"

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
  const auto print_names = [](const char *what, const auto &groups) {
    std::vector<std::string> names;
    for (const auto &[name, parts] : groups)
      names.push_back(name);
    if (!names.empty())
      fmt::print("  {:<14} {}\n", what, join_names(names));
  };
  print_names("curves:", mesh.edge_groups);
  print_names("points:", mesh.point_groups);
}

// A cell's part of what a kernel does for all its lanes.
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

void print_costs(Model &model) {
  const std::vector<KernelCount> counts = model.kernel_counts();
  const bool in_paper = std::any_of(counts.begin(), counts.end(), [](const KernelCount &count) {
    return count.paper.has_value();
  });
  fmt::print("Of a cell, for each kernel: what it does by our formulas{}.\n",
             in_paper ? "; then by equations (7), (6), (8), (4) of\nKnepley, Rupp and Terrel, "
                        "which describe thread transposition"
                      : "");
  fmt::print("{:<60} {:>10} {:>10} {:>10} {:>10} {:>10}{}\n", "kernel", "cells", "flop", "B read",
             "B written", "B streamed",
             in_paper ? fmt::format("  {:>8} {:>8} {:>9} {:>8}", "flop", "B", "flop/B", "B shared")
                      : "");
  for (const KernelCount &count : counts)
    fmt::print("{:<60} {}{}\n", count.kernel, cost_of_a_cell(count.cost, count.cells),
               paper_cost_of_a_cell(count.paper));
}

// Most kernels of a law are made by its first step.
void make_all_kernels(Simulation &s) {
  s.model->make_kernels();
  if (s.model->rates() != nullptr)
    take_first_step(s);
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
  if (c.time)
    choose_time_scheme(c, d.form);
  if (!c.mesh.box)
    look_over_mesh(c, mesh, find_unjoined_facets(mesh));
  look_over(c, d);
  if (stage == "space") {
    fmt::print("{}", space_text(d));
  } else {
    fmt::print("{}", equations_text(c, d));
  }
}

// A problem as it is before it is solved.
struct UnsolvedStage {
  Case c;
  Mesh mesh;
  Discretisation d;
  std::vector<double> state;
};

// Adds a stage to those that later ones see the fields of: as they begin, since nothing is solved.
void add_unsolved(Case c, EarlierStages &earlier) {
  const auto stage = std::make_shared<UnsolvedStage>();
  stage->c = std::move(c);
  Timings timings;
  stage->mesh = earlier.mesh() != nullptr ? *earlier.mesh() : make_mesh(stage->c.mesh, timings);
  resolve_dimension(stage->c, stage->mesh.dim);
  stage->d = make_discretisation(stage->c, stage->mesh);
  stage->state = initial_state(stage->c, stage->d);
  earlier.add(stage, stage->c, stage->d, stage->state);
}

void check_problem(const CheckOptions &options, const CaseInput &input) {
  if (options.stage == "mesh" || options.stage == "space" || options.stage == "form") {
    Case c = read_user_case(input, options.problem);
    take_sources(input, c);
    with_places_of(c, [&] { print_without_device(c, options.stage); });
    return;
  }
  const std::optional<Card> card =
      options.stage == "cost" ? card_of_device(options.problem.device) : std::nullopt;
  if (card) {
    const SimulationOnCard on_card = simulate_on_card(input, options.problem, *card);
    print_costs(*on_card.simulation->model);
    fmt::print("\n{}", warp_counts_text(*card, kernels_of_works(on_card)));
    return;
  }
  const std::unique_ptr<Simulation> s = make_simulation(input, options.problem);
  if (options.stage == "source") {
    make_all_kernels(*s);
    for (const std::string &text : s->model->kernel_texts())
      fmt::print("{}\n", text);
  } else if (options.stage == "cost") {
    print_costs(*s->model);
  } else {
    check_output_folder(s->c);
    make_all_kernels(*s);
    print_mesh(s->mesh);
    fmt::print("{}", space_text(s->discretisation));
    if (const std::string solver = solver_in_words(s->solver_choice); !solver.empty())
      fmt::print("solver: {}\n", solver);
    fmt::print("{}: nothing wrong was found\n", s->c.file);
  }
}

void check(const CheckOptions &options) {
  CaseInput input(options.case_file);
  const std::vector<std::string> stages = read_user_case(input, options.problem).stages;
  if (stages.empty())
    return check_problem(options, input);
  EarlierStages earlier;
  input.earlier = &earlier;
  for (const std::string &stage : stages) {
    fmt::print("stage {}\n", stage);
    input.stage = stage;
    check_problem(options, input);
    if (stage == stages.back())
      return;
    Case c = read_user_case(input, options.problem);
    take_sources(input, c);
    add_unsolved(std::move(c), earlier);
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
