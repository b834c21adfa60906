#include "bench/residual/paper_problem.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

Mesh paper_mesh(int dim, int edges) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = dim,
                     .cells = {edges, edges, dim == 3 ? edges : 1},
                     .cell = dim == 3 ? "tetrahedron" : "triangle",
                     .distort = 0.2};
  Timings timings;
  return make_mesh(spec, timings);
}

int paper_edges(int dim, double nodes) {
  return std::max(1, static_cast<int>(std::lround(std::pow(nodes, 1.0 / dim))) - 1);
}

Discretisation paper_discretisation(const std::string &form, const Mesh &mesh) {
  BenchForm bench = bench_form(form, mesh.dim);
  std::vector<std::pair<std::string, std::string>> known;
  if (form == "poisson")
    known.swap(bench.parameters);
  Case c = bench_case(bench, 1, mesh.dim);
  for (const auto &[name, value] : known) {
    c.form.auxiliary.push_back({.name = name, .order = 0});
    c.auxiliary_values.push_back(
        {.name = name,
         .value = {.text = value, .file = "weft bench", .line = 0, .key = "auxiliary"}});
  }
  return make_discretisation(c, mesh, bench_quadrature_degree(1));
}

OperatorSettings paper_settings(const std::string &form, Precision precision, int num_blocks,
                                int num_batches) {
  OperatorSettings settings;
  settings.precision = precision;
  settings.strategy = Strategy::transposed;
  settings.geometry = GeometrySource::stored;
  settings.num_blocks = num_blocks;
  settings.num_batches = num_batches;
  settings.form_name = form;
  return settings;
}

PaperCost paper_cost(const Discretisation &d, const OperatorSettings &settings) {
  OperatorSettings scalar = settings;
  scalar.lanes = 1; // the paper counts cells, whatever is done at once
  KernelVariant variant{.strategy = *settings.strategy};
  variant.num_blocks = settings.num_blocks.value_or(1);
  const CellIntegral integral =
      FormIntegrals(d).describe(IntegralKind::residual, {.set = 0}, scalar);
  const std::optional<PaperSizes> sizes = paper_sizes(integral, variant);
  require(sizes.has_value(), "an integral that the paper has");
  PaperCost cost = paper_cost(*sizes);
  const double batches = static_cast<double>(d.mesh->num_cells()) / sizes->batch_cells();
  cost.bytes *= batches;
  cost.flops *= batches;
  return cost;
}

ResidualRun::ResidualRun(Device &device, const Discretisation &d, const OperatorSettings &settings)
    : device_(device), op_(device, d, settings),
      u_(make_vector(device, op_.size(), settings.precision, "state")),
      r_(make_vector(device, op_.size(), settings.precision, "residual")) {
  std::vector<double> values(op_.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.01 * static_cast<double>(i % 101);
  set_vector(device, u_, values);
}

void ResidualRun::integrals() {
  for (const IntegralLaunch &launch : op_.launches(IntegralKind::residual)) {
    std::vector<KernelArgument> arguments = launch.arguments;
    for (const int place : launch.field_arguments)
      arguments[place] = u_.buffer;
    for (const int place : launch.output_arguments)
      arguments[place] = r_.buffer;
    device_.launch(launch.program, launch.source.name, launch.launch, arguments);
  }
}

std::vector<NamedCost> ResidualRun::integral_costs() {
  std::vector<NamedCost> costs;
  for (const IntegralLaunch &launch : op_.launches(IntegralKind::residual))
    costs.push_back({launch.source.name, launch.cost});
  return costs;
}

double ResidualRun::integral_flops() {
  double flops = 0;
  for (const IntegralLaunch &launch : op_.launches(IntegralKind::residual))
    flops += launch.needed.flops();
  return flops;
}

double ResidualRun::integral_bytes() {
  double bytes = 0;
  for (const IntegralLaunch &launch : op_.launches(IntegralKind::residual))
    bytes += launch.cost.bytes();
  return bytes;
}

} // namespace weft
