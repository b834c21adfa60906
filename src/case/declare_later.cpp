// Tables of the case language that this version recognises and refuses.
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

Declaration later_table(std::string key, std::string description,
                        std::vector<Declaration> children) {
  Declaration d = declare_table(std::move(key), std::move(description), std::move(children));
  d.not_yet = true;
  d.in_physics = true;
  for (auto &child : d.children)
    child.not_yet = true;
  return d;
}

} // namespace

std::vector<Declaration> later_declarations() {
  return {
      later_table(
          "conservation_law", "dt(capacity*q) + div(flux) = source",
          {declare_key("flux", type_table, "of a scalar field a vector, of a vector a matrix"),
           declare_key("capacity", type_table, "what multiplies the time derivative"),
           declare_key("source", type_table, "the right-hand side"),
           declare_key("numerical_flux", type_text | type_table,
                       "central, upwind, lax_friedrichs, hll, hllc, roe, or expressions"),
           declare_key("wave_speed", type_math, "for the step and for Lax-Friedrichs")}),
      later_table("boundary", "outer states of conservation laws",
                  {declare_key("<group>", type_table, "outer = {...} or flux = {...}")}),
  };
}

} // namespace weft
