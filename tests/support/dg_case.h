// What tests of discontinuous Galerkin kernels vary, and the conservation laws that they solve.
// Boxes and meshes written as text: the tests run on machines without a build tree.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "op/law/law_rates.h"
#include "op/reference/dg.h"
#include "support/difference.h"
#include "support/discrete_problem.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"

namespace weft {

// One choice of each axis; a value is an index into the axis's names.
struct DgCase {
  enum Axis { cell, shape, order, law, precision, lanes, rows, way, update, products, num_axes };
  std::array<int, num_axes> value{};

  std::string cell_name() const {
    return std::array{"triangle",   "quadrilateral", "tetrahedron", "prism",
                      "hexahedron", "mixed_2d",      "mixed_3d"}[value[cell]];
  }
  bool mixed() const { return value[cell] >= 5; }
  int dim() const { return value[cell] < 2 || value[cell] == 5 ? 2 : 3; }
  std::string shape_name() const {
    return std::array{"straight", "distorted", "curved"}[value[shape]];
  }
  bool periodic() const { return !mixed() && value[shape] != 1; } // along x
  std::string law_name() const {
    return std::array{"advection", "acoustics", "euler", "diffusion"}[value[law]];
  }
  std::string update_name() const {
    return std::array{"rate", "first", "keeping", "starting", "all"}[value[update]];
  }
  // "tetrahedron_curved_DG3_euler_f64_lanes8_rows5_parts_streamed_keeping"
  std::string name() const {
    const DgSettings s = settings(true);
    return cell_name() + "_" + shape_name() + "_DG" + std::to_string(value[order]) + "_" +
           law_name() + "_" + to_string(s.precision) + "_lanes" + std::to_string(*s.lanes) +
           "_rows" + std::to_string(*s.rows) + (*s.by_symmetry ? "" : "_whole") +
           (s.by_nodes.value_or(false) ? "_nodes"
            : s.fused                  ? "_fused"
                                       : "_parts") +
           (*s.stream ? "_streamed_" : "_") + update_name();
  }

  // GPUs have one lane.
  DgSettings settings(bool is_cpu) const {
    DgSettings settings;
    settings.precision = value[precision] == 0 ? Precision::f64 : Precision::f32;
    settings.form_name = law_name();
    settings.lanes = is_cpu ? std::array{1, 4, 8, 16}[value[lanes]] : 1;
    settings.rows = 1 + value[rows];
    settings.by_symmetry = value[products] == 0; // straight simplices
    settings.fused = value[way] % 2 == 0;
    settings.stream = value[way] >= 2;
    settings.groups_per_item = value[way] >= 2 ? 3 : 1;
    if (value[way] >= 4) { // threads that are nodes
      settings.fused = true;
      settings.by_nodes = true;
      settings.lanes = 1;
      settings.node_group =
          value[way] == 4 ? DgNodeGroup{2, 1, 1, false} : DgNodeGroup{1, 2, 2, true};
    }
    return settings;
  }
  StageUpdate stage_update() const {
    StageUpdate u{.state = 1, .rate = 0.7};
    if (value[update] == 1) // the first stage of a low-storage scheme
      u = {.state = 1, .sum = 0.3, .uses_sum = true};
    if (value[update] == 2)
      u = {.keep = -0.6, .state = 1, .sum = 0.4, .uses_sum = true, .keeps_sum = true};
    if (value[update] == 3) // of a strong-stability-preserving one
      u = {.start = 0.75, .state = 0.25, .rate = 0.25, .uses_start = true};
    if (value[update] == 4)
      u = {.keep = 0.2,
           .start = 0.4,
           .state = 0.6,
           .sum = 1.1,
           .rate = -0.3,
           .uses_start = true,
           .uses_sum = true,
           .keeps_sum = true};
    return u;
  }
};

// Laws with second derivatives need gradients.
inline bool is_solved(const DgCase &c) {
  return c.value[DgCase::order] > 0 || c.law_name() != "diffusion";
}

// All cells, shapes, orders, laws, precisions, fused or not, with lanes, rows and the rest in turn.
inline std::vector<DgCase> every_dg_case() {
  std::vector<DgCase> cases;
  int turn = 0;
  for (int cell = 0; cell < 7; ++cell)
    for (int shape = 0; shape < 3; ++shape)
      for (int order = 0; order < 10; ++order)
        for (int law = 0; law < 4; ++law)
          for (int precision = 0; precision < 2; ++precision)
            for (int parts = 0; parts < 2; ++parts, turn += 11)
              cases.push_back({{cell, shape, order, law, precision, turn % 4, turn % 7,
                                parts + turn / 4 % 3 * 2, turn % 5, turn / 3 % 2}});
  std::erase_if(cases, [](const DgCase &c) { return !is_solved(c); });
  return cases;
}

// A set that covers all pairs up to order 4 on meshes of one cell type, with an odd number of rows;
// everything with WEFT_TEST_ALL.
inline std::vector<DgCase> tested_dg_cases() {
  if (std::getenv("WEFT_TEST_ALL"))
    return every_dg_case();
  constexpr std::array<int, DgCase::num_axes> sizes = {5, 3, 5, 4, 2, 4, 4, 6, 5, 2};
  std::int64_t all = 1;
  for (const int size : sizes)
    all *= size;
  std::vector<DgCase> candidates; // spread over all combinations
  for (std::int64_t i = 0; i < 3000; ++i) {
    DgCase c;
    std::int64_t rest = i * 104729 % all;
    for (int axis = 0; axis < DgCase::num_axes; rest /= sizes[axis], ++axis)
      c.value[axis] = static_cast<int>(rest % sizes[axis]);
    c.value[DgCase::rows] *= 2; // 1, 3, 5, 7: other cases below have the even numbers
    if (is_solved(c))
      candidates.push_back(c);
  }
  return covering_pairs(candidates);
}

// Many nodes, few cells.
inline std::vector<DgCase> high_order_dg_cases() {
  return {
      {{0, 2, 9, 2, 0, 1, 4, 0, 2}}, {{1, 2, 9, 3, 0, 1, 6, 1, 4}}, {{2, 0, 9, 1, 0, 1, 5, 0, 1}},
      {{3, 2, 7, 0, 0, 0, 3, 0, 2}}, {{4, 1, 9, 1, 1, 1, 4, 0, 3}}, {{2, 2, 5, 3, 0, 1, 2, 1, 0}},
      {{2, 1, 7, 2, 0, 0, 0, 4, 2}}, {{2, 1, 9, 2, 0, 2, 3, 0, 2}}, {{0, 0, 9, 3, 1, 2, 2, 1, 4}}};
}

// Neighbours of other types: with as many components as a law has, on both sides.
inline std::vector<DgCase> mixed_dg_cases() {
  return {{{5, 0, 0, 1, 0, 1, 1, 0, 2}}, {{5, 2, 8, 1, 0, 2, 2, 1, 4}},
          {{5, 1, 3, 2, 1, 3, 4, 2, 3}}, {{6, 0, 2, 3, 0, 1, 3, 0, 1}},
          {{6, 2, 3, 2, 0, 2, 4, 0, 2}}, {{6, 1, 4, 0, 1, 0, 5, 3, 0}},
          {{6, 2, 0, 1, 0, 1, 0, 1, 4}}, {{6, 2, 2, 2, 0, 0, 0, 5, 2}}};
}

inline std::string dg_mesh_text(const DgCase &c, const std::string &file,
                                const std::string &cells = {}) {
  const std::string order =
      "order = " + std::string(c.value[DgCase::shape] == 2 ? "2" : "1") + "\n";
  if (c.mixed())
    return "[mesh]\nfile = \"" + file + "\"\n" + order;
  const std::string standard = c.dim() == 2                 ? "[3, 4]"
                               : c.value[DgCase::order] > 4 ? "[2, 1, 1]"
                                                            : "[2, 3, 2]";
  return "[mesh]\nbox = { cells = " + (cells.empty() ? standard : cells) + ", cell = \"" +
         c.cell_name() + "\", distort = " + (c.value[DgCase::shape] == 0 ? "0" : "0.2") +
         (c.periodic() ? ", periodic = [\"x\"]" : "") + " }\n" + order;
}

// [fields] of an element, by name and shape.
inline std::string dg_fields(const DgCase &c,
                             const std::vector<std::pair<std::string, bool>> &fields) {
  std::string text = "[fields]\n";
  for (const auto &[name, is_vector] : fields)
    text += name + " = { element = \"DG" + std::to_string(c.value[DgCase::order]) + "\"" +
            (is_vector ? ", shape = \"vector\"" : "") + " }\n";
  return text;
}

// Parameters by region and by facet group, known fields, place and time, sources and capacities,
// between them in all that the laws have.
inline std::string dg_law_text(const DgCase &c) {
  const bool flat = c.dim() == 2;
  const std::string law = c.law_name();
  const std::string by_region = c.mixed() ? "{ soft = 1.0, hard = 3.0 }" : "{ box = 2.0 }";
  // Some group on the boundary.
  const std::string side = c.value[DgCase::cell] == 5 ? "x0" : "y0";
  if (law == "advection") {
    const std::string first = c.periodic() ? "1 + 0.3*t" : "1 + 0.3*y";
    std::string text =
        "[parameters]\na = \"[" + first + (flat ? ", -0.2]\"\n" : ", -0.2, 0.4]\"\n");
    if (!c.mixed())
      text += std::string("g = { x0 = 0.2, x1 = 0.3, y0 = 0.4, y1 = 0.5") +
              (flat ? "" : ", z0 = 0.6, z1 = 0.7") + " }\n";
    return text + dg_fields(c, {{"q", false}}) +
           "[conservation_law]\nflux.q = \"a*q\"\ncapacity.q = \"2 + 0.5*x\"\nsource.q = "
           "\"t*y*cell_size - 0.3*q\"\nnumerical_flux = \"upwind\"\n[boundary." +
           side + "]\nouter = { q = \"1 + x*t\" }\n[boundary.all]\nflux = { q = \"" +
           (c.mixed() ? "0.3*(q - x)" : "g*(q - y)") + "\" }\n";
  }
  if (law == "acoustics")
    return "[parameters]\nK = " + by_region + "\n" + dg_fields(c, {{"p", false}, {"v", true}}) +
           R"TOML([auxiliary]
r = { element = "DG0", value = "1 + 0.5*y" }
s = { element = "P1", value = "2 - y" }
[definitions]
rho = "r*s"
Z = "sqrt(rho*K)"
from_minus = "minus(p) + minus(Z)*dot(minus(v), n)"
from_plus = "plus(p) - plus(Z)*dot(plus(v), n)"
[conservation_law]
flux.p = "v"
flux.v = "p*identity"
capacity.p = "1/K"
capacity.v = "rho"
wave_speed = "sqrt(K/rho)"
[conservation_law.numerical_flux]
p = "(from_minus - from_plus)/(minus(Z) + plus(Z))"
v = "(plus(Z)*from_minus + minus(Z)*from_plus)/(minus(Z) + plus(Z))*n"
)TOML" + "[boundary." +
           side + "]\nouter = { p = \"sin(t)\", v = " + (flat ? "[0, 0]" : "[0, 0, 0]") +
           " }\n[boundary.all]\nouter = { p = \"p\", v = \"v - 2*dot(v, n)*n\" }\n";
  if (law == "euler")
    return "physics = [\"euler\"]\n" + dg_fields(c, {{"rho", false}, {"m", true}, {"E", false}}) +
           "[boundary." + side + "]\nouter = { rho = 1.2, m = \"0.1*identity[0]\", E = 2.5 }\n" +
           "[boundary.all]\nouter = { rho = \"rho\", m = \"m_mirrored\", E = \"E\" }\n";
  return "[parameters]\nk = " + by_region + "\n" + dg_fields(c, {{"q", false}, {"w", true}}) +
         "[conservation_law]\nflux.q = \"w - (k + q^2)*grad(q)\"\nflux.w = \"outer(w, w)/3 - "
         "k*q*(grad(w) + transpose(grad(w)))\"\nsource.q = \"dot(w, grad(q))\"\nwave_speed = "
         "\"norm(w) + 1\"\n[boundary." +
         side +
         "]\nouter = { q = \"1 + y\", w = \"-w\" }\n[boundary.all]\nouter = { q = \"q\", w "
         "= \"w\" }\nflux = { q = 0.1 }\n";
}

inline std::string dg_problem_text(const DgCase &c, const std::string &file,
                                   const std::string &cells = {}) {
  // Keys before the first table come first.
  const std::string law = dg_law_text(c);
  const std::size_t first_table = law.find('[', law.rfind("physics", 0) == 0 ? law.find('\n') : 0);
  return law.substr(0, first_table) + dg_mesh_text(c, file, cells) + law.substr(first_table) +
         "[time]\nend = 1.0\ncfl = 0.5\n";
}

struct DgProblem {
  CaseFolder folder;
  DiscreteProblem problem;

  // `more`: further tables.
  explicit DgProblem(const DgCase &c, const std::string &cells = {}, int slices = 3,
                     const std::string &more = {})
      : problem(dg_problem_text(
                    c,
                    c.mixed() ? folder.write("mixed.msh", c.dim() == 2 ? mixed_mesh_text(7)
                                                                       : mixed_mesh_3d_text(slices))
                              : std::string(),
                    cells) +
                    more,
                c.value[DgCase::shape] == 2 ? std::function<void(double *)>(bend)
                                            : std::function<void(double *)>()) {}
};

// Different for each dof, with a density and a pressure where the law needs them.
inline std::vector<double> dg_state(const Discretisation &d, double phase = 0.3) {
  std::vector<double> values(d.num_owned);
  for (std::size_t f = 0; f < d.law->fields.size(); ++f) {
    const FieldSpec &field = d.law->fields[f];
    const double base = field.name == "E" ? 2.5 : field.shape.empty() ? 1.3 : 0.2;
    const std::int64_t end = f + 1 < d.field_offset.size() ? d.field_offset[f + 1] : d.num_owned;
    for (std::int64_t i = d.field_offset[f]; i < end; ++i)
      values[i] = base + 0.1 * std::sin(0.7 * static_cast<double>(i) + phase);
  }
  return values;
}

inline constexpr double dg_time = 0.4, dg_step = 0.5;

// What a stage makes of a state, the sum and the start, on a device or by the formulas.
struct DgStageResult {
  std::vector<double> out, sum;
};
inline DgStageResult run_dg_stage(Device &device, LawRates &op, const Discretisation &d,
                                  const StageUpdate &update) {
  const auto vector = [&](double phase) {
    Vector v = make_vector(device, op.size(), op.precision(), "state");
    op.set_state(dg_state(d, phase), v);
    return v;
  };
  Vector q = vector(0.3), start = vector(1.1), sum = vector(2.6), out = vector(0);
  op.set_sum(dg_state(d, 2.6), sum);
  op.stage(dg_time, dg_step, update, q, &start, &sum, out);
  return {op.state(out), op.sum(sum)};
}
inline DgStageResult reference_dg_stage(const Discretisation &d, const StageUpdate &u) {
  const std::vector<double> q = dg_state(d, 0.3), start = dg_state(d, 1.1);
  const std::vector<double> rate = reference::dg_rate(d, q, dg_time);
  DgStageResult result{.out = {}, .sum = dg_state(d, 2.6)};
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (u.uses_sum)
      result.sum[i] = u.keep * result.sum[i] + dg_step * rate[i];
    result.out.push_back(u.start * start[i] + u.state * q[i] +
                         (u.uses_sum ? u.sum * result.sum[i] : 0) + u.rate * dg_step * rate[i]);
  }
  return result;
}

// Rates are seen through what an update adds to the state: the difference is relative to that.
inline void expect_dg_reference(Device &device, const Discretisation &d, const DgSettings &settings,
                                const StageUpdate &update) {
  LawRates op(device, d, settings);
  const DgStageResult found = run_dg_stage(device, op, d, update);
  const DgStageResult expected = reference_dg_stage(d, update);
  const double tolerance = settings.precision == Precision::f64 ? 5e-12 : 5e-6;
  EXPECT_LT(difference(found.out, expected.out), tolerance);
  EXPECT_LT(difference(found.sum, expected.sum), tolerance);
}

} // namespace weft
