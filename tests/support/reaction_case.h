// A law whose sources are split from it, and plain loops over its nodes.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "op/law/arrival_times.h"
#include "op/law/law_rates.h"
#include "support/difference.h"
#include "support/discrete_problem.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"

namespace weft {

struct ReactionCase {
  int order = 1;
  int lanes = 1;
  Precision precision = Precision::f64;
  bool rush_larsen = true;
  int substeps = 1;
  int slices = 7; // of the mesh, see mixed_mesh_text()
};

// Sources with parameters by region, known fields, position, time and the size of cells, on
// triangles and quadrilaterals; a capacity; a field without a source.
struct ReactionProblem {
  CaseFolder folder;
  DiscreteProblem problem;

  explicit ReactionProblem(const ReactionCase &c)
      : problem("[mesh]\nfile = \"" + folder.write("mixed.msh", mixed_mesh_text(c.slices)) +
                "\"\n" + "[parameters]\nk = { soft = 1.0, hard = 3.0 }\n" + fields(c) +
                R"TOML([auxiliary]
g = { element = "P1", value = "2 - y" }
[conservation_law]
flux.u = "0.1*identity[0]*u"
source.u = "-k*u^3 + w[0]*t + x"
capacity.u = "2"
wave_speed = "1"
source.w = "[-60*w[0] + u, g*w[1]*u + cell_size]"
flux.s = "identity[1]*s"
[boundary]
all = { outer = { u = "u", s = "s" } }
[initial]
u = "0.4 + 0.3*sin(5*x + 3*y)"
w = "[0.1*x, 0.5*y]"
s = "cos(4*x)"
[first_times]
a = "u + x - 0.4*k"
b = "w[1] - 0.6 + 0.4*t"
[time]
end = 1
step = 0.1
)TOML" + (c.rush_larsen ? "reactions = \"rush_larsen\"\n" : "") +
                "substeps = " + std::to_string(c.substeps) + "\n") {}

  static std::string fields(const ReactionCase &c) {
    const std::string element = "{ element = \"DG" + std::to_string(c.order) + "\"";
    return "[fields]\nu = " + element + " }\nw = " + element + ", shape = 2 }\ns = " + element +
           " }\n";
  }
};

inline constexpr double reaction_time = 0.4, reaction_step = 0.05;

// A node of the law above: what its expressions ask for.
struct ReactionNode {
  double x, g, k, size;
  using State = std::array<double, 3>; // u, w

  // Component k itself is taken from `own`, the others from `others`.
  State rate(double t, const State &own, const State &others) const {
    return {(-k * std::pow(own[0], 3) + others[1] * t + x) / 2, -60 * own[1] + others[0],
            g * own[2] * others[0] + size};
  }
  State slope(const State &own, const State &others) const {
    return {-1.5 * k * own[0] * own[0], -60, g * others[0]};
  }
  State advance(bool rush_larsen, double t, double h, const State &start,
                const State &others) const {
    const State &own = rush_larsen ? start : others;
    const State f = rate(t, own, others), a = slope(own, others);
    State next;
    for (int i = 0; i < 3; ++i)
      next[i] = start[i] + (rush_larsen ? std::expm1(a[i] * h) / a[i] : h) * f[i];
    return next;
  }
};

inline std::vector<double> reaction_state(const Discretisation &d) {
  std::vector<double> values(d.num_owned);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.4 + 0.3 * std::sin(0.7 * static_cast<double>(i));
  return values;
}

inline std::vector<double> expected_reaction(const Discretisation &d, const ReactionCase &c) {
  std::vector<double> state = reaction_state(d);
  const NodeMap &map = d.map_of_field(0);
  const double h = reaction_step / c.substeps;
  for (std::size_t s = 0; s < map.sets.size(); ++s)
    for (std::size_t i = 0; i < map.sets[s].nodes.size(); ++i) {
      const auto cell = static_cast<std::int64_t>(i) / map.sets[s].element.num_nodes();
      const auto &groups = d.mesh->region_classes[d.mesh->sets[s].region[cell]].groups;
      const std::int64_t n = map.sets[s].nodes[i];
      const ReactionNode node{map.coordinates[2 * n], 2 - map.coordinates[2 * n + 1],
                              groups.at(0) == "soft" ? 1.0 : 3.0,
                              cell_size(d, static_cast<int>(s), cell)};
      double *u = &state[d.field_offset[0] + n], *w = &state[d.field_offset[1] + 2 * n];
      ReactionNode::State q = {*u, w[0], w[1]};
      for (int step = 0; step < c.substeps; ++step) {
        const double t = reaction_time + step * h;
        const auto middle = node.advance(c.rush_larsen, t, h / 2, q, q);
        q = node.advance(c.rush_larsen, t + h / 2, h, q, middle);
      }
      *u = q[0];
      w[0] = q[1];
      w[1] = q[2];
    }
  return state;
}

inline void expect_reaction(Device &device, const ReactionCase &c) {
  const ReactionProblem p(c);
  const Discretisation &d = p.problem.d;
  DgSettings settings{.precision = c.precision, .form_name = "reaction"};
  settings.lanes = device.info().is_cpu ? c.lanes : 1;
  LawRates op(device, d, settings);
  Vector q = make_vector(device, op.size(), op.precision(), "state");
  op.set_state(reaction_state(d), q);
  op.react(reaction_time, reaction_step, q);
  EXPECT_LT(difference(op.state(q), expected_reaction(d, c)),
            c.precision == Precision::f64 ? 1e-14 : 2e-6);
}

// The expressions `a` and `b` above of a state that grows by its half in each step.
inline std::vector<double> first_times_values(const Discretisation &d, const ReactionCase &c,
                                              double growth, double t, std::int64_t set,
                                              std::size_t i) {
  const NodeMap &map = d.map_of_field(0);
  const std::vector<double> state = reaction_state(d);
  const auto cell = static_cast<std::int64_t>(i) / map.sets[set].element.num_nodes();
  const auto &groups = d.mesh->region_classes[d.mesh->sets[set].region[cell]].groups;
  const std::int64_t n = map.sets[set].nodes[i];
  const double k = groups.at(0) == "soft" ? 1.0 : 3.0;
  // As the device holds them.
  const auto kept = [&](double v) { return c.precision == Precision::f64 ? v : double(float(v)); };
  return {growth * kept(state[d.field_offset[0] + n]) + map.coordinates[2 * n] - 0.4 * k,
          growth * kept(state[d.field_offset[1] + 2 * n + 1]) - 0.6 + 0.4 * t};
}

inline void expect_first_times(Device &device, const ReactionCase &c) {
  const ReactionProblem p(c);
  const Discretisation &d = p.problem.d;
  DgSettings settings{.precision = c.precision, .form_name = "reaction"};
  settings.lanes = device.info().is_cpu ? c.lanes : 1;
  LawRates op(device, d, settings);
  ArrivalTimes first(p.problem.c, d, op);
  const double times[] = {0, 0.25, 0.75}, growth[] = {1, 1.5, 2};
  for (int look = 0; look < 3; ++look) {
    std::vector<double> state = reaction_state(d);
    for (double &value : state)
      value *= growth[look];
    Vector q = make_vector(device, op.size(), op.precision(), "state");
    op.set_state(state, q);
    if (look == 0)
      first.start(times[0], q);
    else
      first.look(times[look], q);
  }
  const auto found = first.times(times[2]), early = first.times(0.1);
  int reached[2][4] = {}; // [expression][in which step, or never]
  const NodeMap &map = d.map_of_field(0);
  for (std::size_t s = 0; s < map.sets.size(); ++s)
    for (std::size_t i = 0; i < map.sets[s].nodes.size(); ++i)
      for (int e = 0; e < 2; ++e) {
        int look = 0;
        double last = 0, now = 0;
        for (; look < 3; ++look, last = now) {
          now = first_times_values(d, c, growth[look], times[look], std::int64_t(s), i)[e];
          if (now > 0)
            break;
        }
        ++reached[e][look];
        const double time = found[e][map.sets[s].nodes[i]];
        if (look == 3) {
          EXPECT_TRUE(std::isnan(time));
          continue;
        }
        const double before = times[std::max(look - 1, 0)];
        const double fraction = look == 0 ? 0 : last / (last - now);
        EXPECT_NEAR(time, before + fraction * (times[look] - before),
                    c.precision == Precision::f64 ? 1e-12 : 1e-4);
        EXPECT_EQ(std::isnan(early[e][map.sets[s].nodes[i]]), time > 0.1);
      }
  for (int e = 0; e < 2; ++e) {
    EXPECT_GT(reached[e][0], 0);
    EXPECT_GT(reached[e][1] + reached[e][2], 0);
    EXPECT_GT(reached[e][3], 0);
  }
}

// Orders, lanes, precisions and schemes in turn.
inline std::vector<ReactionCase> reaction_cases() {
  return {{0, 4, Precision::f64, true, 1},
          {1, 8, Precision::f64, false, 3},
          {2, 1, Precision::f32, true, 2},
          {3, 4, Precision::f32, false, 1}};
}

} // namespace weft
