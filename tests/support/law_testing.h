// What the tests of conservation laws share: laws from cases, states, values of functions at them.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "case/case.h"
#include "form/law/conservation_law.h"
#include "support/form_testing.h"

namespace weft::testing {

// A case on a box with one physics file (none where empty) and further lines.
inline FormSpec law_spec(const std::string &physics, int dim, const std::string &lines = "") {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("weft_law_" + std::to_string(getpid()) + ".toml");
  std::ofstream(path) << (physics.empty() ? "" : "physics = [\"" + physics + "\"]\n")
                      << "[mesh]\nbox = { "
                      << (dim == 2 ? "cells = [2, 2] }\n"
                                   : "cells = [2, 2, 2], cell = \"tetrahedron\" }\n")
                      << "[time]\nend = 1.0\ncfl = 0.5\n"
                      << lines;
  Case c = read_case(path.string());
  std::filesystem::remove(path);
  resolve_dimension(c, dim);
  return c.form;
}

inline ConservationLaw law_of(const std::string &physics, int dim, const std::string &lines = "") {
  return make_conservation_law(law_spec(physics, dim, lines));
}

// Values of a cell, or of one side of a facet.
struct SideState {
  std::vector<double> q;          // [component]
  std::vector<double> gradient;   // [component, direction]; may be empty: 0
  std::vector<double> parameters; // [entry of the cell table]
  std::vector<double> offset;     // [direction]; of finite volumes
  double limiter = 1;             // of finite volumes: of all components
};

inline int component_of(const ConservationLaw &law, const Symbol &s) {
  int first = 0;
  for (int f = 0; f < s.index; ++f)
    first += law.fields[f].components();
  return first + s.component;
}

inline double value_on(const ConservationLaw &law, const SideState &state, const Symbol &s) {
  const bool of_field = s.kind == SymbolKind::field || s.kind == SymbolKind::field_gradient;
  const int component = of_field ? component_of(law, s) : s.component;
  switch (s.kind) {
  case SymbolKind::facet_offset:
    return state.offset.at(component);
  case SymbolKind::limiter:
    return state.limiter;
  case SymbolKind::field:
    return state.q.at(component);
  case SymbolKind::field_gradient:
    return state.gradient.empty() ? 0 : state.gradient.at(component * law.dim + s.direction);
  case SymbolKind::cell_parameter:
    return state.parameters.at(component);
  default:
    ADD_FAILURE() << "a symbol without a value";
    return 0;
  }
}

constexpr double some_penalty = 3.7;

// A function of a facet: the numerical flux, or one of a boundary (which has no plus side).
inline std::vector<double> at_facet(const ConservationLaw &law, const PointwiseFunction &function,
                                    const SideState &minus, const SideState &plus,
                                    const std::vector<double> &n) {
  return values_at(function, [&](const Symbol &s) {
    if (s.kind == SymbolKind::normal)
      return n.at(s.component);
    if (s.kind == SymbolKind::penalty)
      return some_penalty;
    if (s.kind == SymbolKind::coordinate || s.kind == SymbolKind::time)
      return some_value(s);
    EXPECT_NE(s.side, Side::none);
    return value_on(law, s.side == Side::minus ? minus : plus, s);
  });
}

inline std::vector<double> in_cell(const ConservationLaw &law, const PointwiseFunction &function,
                                   const SideState &state) {
  return values_at(function, [&](const Symbol &s) {
    if (s.kind == SymbolKind::coordinate || s.kind == SymbolKind::time)
      return some_value(s);
    EXPECT_EQ(s.side, Side::none);
    return value_on(law, state, s);
  });
}

// F(q).n, [component]
inline std::vector<double> normal_flux(const ConservationLaw &law, const SideState &state,
                                       const std::vector<double> &n) {
  const std::vector<double> flux = in_cell(law, law.flux, state);
  std::vector<double> result(law.num_components, 0);
  for (int k = 0; k < law.num_components; ++k)
    for (int d = 0; d < law.dim; ++d)
      result[k] += flux[k * law.dim + d] * n[d];
  return result;
}

class RandomStates {
public:
  explicit RandomStates(unsigned seed) : random_(seed) {}

  double in(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  std::vector<double> list(int n, double low, double high) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i)
      values.push_back(in(low, high));
    return values;
  }
  std::vector<double> unit_vector(int dim) {
    std::vector<double> n = list(dim, -1, 1);
    double square = 0;
    for (const double x : n)
      square += x * x;
    for (double &x : n)
      x /= std::sqrt(square);
    return n;
  }
  // Positive density (depth) and pressure; gases and water from rest to twice the speed of waves.
  SideState state(const ConservationLaw &law) {
    SideState s{.q = list(law.num_components, -1, 1)};
    if (law.fields[0].name == "rho" || law.fields[0].name == "h") {
      s.q[0] = in(0.3, 1.5);
      const double speed = in(0, 2);
      double square = 0;
      for (int d = 0; d < law.dim; ++d) {
        s.q[1 + d] *= speed * s.q[0];
        square += s.q[1 + d] * s.q[1 + d];
      }
      if (law.fields[0].name == "rho")
        s.q[1 + law.dim] = in(0.2, 1.5) / 0.4 + 0.5 * square / s.q[0];
    }
    if (law.viscous)
      s.gradient = list(law.num_components * law.dim, -1, 1);
    s.parameters = list(static_cast<int>(law.cell_table.size()), 0.3, 3);
    return s;
  }

private:
  std::mt19937 random_;
};

} // namespace weft::testing
