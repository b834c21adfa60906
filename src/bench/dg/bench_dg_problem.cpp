// The problems of weft bench dg.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "bench/dg/bench_dg.h"
#include "case/user_settings.h"
#include "mesh/cell_type.h"
#include "mesh/make/make_mesh.h"
#include "op/evaluate/field_values.h"
#include "op/set_up/make_discretisation.h"
#include "space/element.h"

namespace weft {

namespace {

constexpr const char *maxwell_text = R"TOML({0}
[fields]
E = {{ element = "DG{1}", shape = 3 }}
H = {{ element = "DG{1}", shape = 3 }}
[conservation_law]
numerical_flux = "{2}"
[boundary.all]
outer = {{ E = "-E", H = "H" }}
[initial]
E = "[sin(5*y), sin(5*z), sin(5*x)]"
H = "[cos(4*z), cos(4*x), cos(4*y)]"
)TOML";

constexpr const char *euler_text = R"TOML({0}
[fields]
rho = {{ element = "DG{1}" }}
m = {{ element = "DG{1}", shape = "vector" }}
E = {{ element = "DG{1}" }}
[conservation_law]
numerical_flux = "{2}"
[boundary.all]
outer = {{ rho = "rho", m = "m_mirrored", E = "E" }}
[initial]
rho = "1 + 0.2*sin(5*x + 3*y)"
m = "[{3}]"
E = "2.5 + 0.3*cos(4*x - 2*y)"
)TOML";

// Parts of a cube or square of the box.
int cells_of_a_block(CellType cell) {
  switch (cell) {
  case CellType::tetrahedron:
    return 6;
  case CellType::triangle:
  case CellType::prism:
    return 2;
  default:
    return 1;
  }
}

} // namespace

Case dg_bench_case(const DgBenchOptions &options, const std::string &form, int order, double dofs) {
  const CellType cell = cell_type_from_name(options.cell);
  const int dim = dimension(cell);
  const bool maxwell = form == "maxwell";
  if (maxwell && dim != 3)
    throw Error(ErrorKind::input, {.what = "Maxwell's equations of the benchmark need volumes",
                                   .where = "--cell",
                                   .found = options.cell,
                                   .allowed = "tetrahedron, hexahedron, prism",
                                   .remedy = "choose one of these, or --form euler"});
  std::string mesh = fmt::format("file = \"{}\"", options.mesh_file);
  if (options.mesh_file.empty()) {
    const double cells =
        dofs / (make_nodal_element(cell, order).num_nodes() * (maxwell ? 6 : dim + 2));
    const int edges = std::max(
        1, static_cast<int>(std::lround(std::pow(cells / cells_of_a_block(cell), 1.0 / dim))));
    mesh = fmt::format("box = {{ cells = [{0}, {0}{1}], cell = \"{2}\", distort = 0.2 }}", edges,
                       dim == 3 ? fmt::format(", {}", edges) : "", options.cell);
  }
  const std::string head = fmt::format("physics = [\"{}\"]\n[mesh]\n{}\n[time]\nend = 1.0\ncfl = "
                                       "0.5\n",
                                       form, mesh);
  const std::string flux = !options.flux.empty() ? options.flux
                           : maxwell             ? "upwind"
                                                 : "lax_friedrichs";
  const std::string momentum = dim == 3 ? "0.1, 0.2*sin(3*x), 0.1*y" : "0.1, 0.2*sin(3*x)";
  return read_case_text(
      fmt::format(fmt::runtime(maxwell ? maxwell_text : euler_text), head, order, flux, momentum),
      form, {}, trusts_foreign_code(options.trust));
}

DgBenchProblem::DgBenchProblem(const Case &of) : c(of) {
  Timings timings;
  mesh = make_mesh(c.mesh, timings);
  resolve_dimension(c, mesh.dim);
  d = make_discretisation(c, mesh);
}

double dg_wanted_dofs(const DgBenchOptions &options, const DeviceInfo &info) {
  constexpr double usual_dofs = 5e6;
  return options.dofs.value_or(
      std::max(usual_dofs, double(info.last_cache_bytes) / double(sizeof(double))));
}

DgTuningOptions dg_tuning_options(const DgBenchOptions &of, const DgBenchProblem &problem,
                                  const std::string &form, Precision precision,
                                  const CostModel &model) {
  DgTuningOptions options;
  if (!of.products.empty())
    options.base.by_symmetry = of.products == "by_symmetry";
  options.base.precision = precision;
  options.base.form_name = form;
  options.model = model;
  options.state = initial_state(problem.c, problem.d);
  return options;
}

} // namespace weft
