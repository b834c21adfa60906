// Conservation laws that tests on several ranks solve.
#pragma once

#include <string>

namespace weft {

// Two fields of waves, of which one is a vector. `mesh`: what [mesh] says.
inline std::string waves_case(const std::string &mesh, const std::string &element) {
  return "[mesh]\n" + mesh + "\n[fields]\np = { element = \"" + element +
         "\" }\nv = { element = \"" + element + R"toml(", shape = "vector" }
[conservation_law]
flux.p = "v"
flux.v = "p*identity"
wave_speed = 1
[boundary.all]
outer = { p = 0, v = "v" }
[time]
end = 1.0
cfl = 0.5
)toml";
}

// Shallow water in a basin. `more`: of the flux of q.
inline std::string basin_case(const std::string &cells = "[8, 6]", const std::string &more = "") {
  return "[mesh]\nbox = { cells = " + cells + R"toml(, cell = "triangle", distort = 0.2 }
[parameters]
g = 9.81
[fields]
h = { element = "DG2" }
q = { element = "DG2", shape = "vector" }
[conservation_law]
flux.h = "q"
flux.q = "outer(q, q)/h + 0.5*g*h^2*identity)toml" +
         more + R"toml("
wave_speed = "norm(q)/h + sqrt(g*h)"
[initial]
h = "1 + 0.1*exp(-20*((x - 0.3)^2 + (y - 0.4)^2))"
q = [0, 0]
[boundary.all]
outer = { h = "h", q = "q - 2*dot(q, n)*n" }
[time]
end = 0.05
cfl = 0.3
)toml";
}

} // namespace weft
