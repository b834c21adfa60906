// Heat whose exact solution is known: sources and prescribed values move with it.
#pragma once

#include <cmath>
#include <string>

namespace weft::test {

// Quadratic in space, so that in P2 all error is that of time.
inline double moving_wave(double x, double y, double t) {
  return (1 + x + y * y) * std::sin(3 * t);
}

// Its equations, all of the boundary being prescribed.
inline const std::string moving_heat = R"TOML(
[parameters]
w = "1 + x + y^2"
[weak_form]
cells.all = "dt(u)*test(u) + inner(grad(u), grad(test(u))) - (3*w*cos(3*t) - 2*sin(3*t))*test(u)"
[dirichlet]
boundary = { u = "w*sin(3*t)" }
)TOML";

} // namespace weft::test
