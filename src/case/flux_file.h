// Numerical fluxes that come with Weft: the files of physics/flux.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "case/form_spec.h"

namespace weft {

struct FluxFile {
  std::vector<std::string> needs; // names that a law must have: fields, definitions, parameters
  std::vector<DefinitionSpec> definitions;
  TextByField numerical_flux; // by field, or `every`
};

// "central", "hll", ...: sorted.
std::vector<std::string> flux_file_names();

// `name`: of flux_file_names().
FluxFile read_flux_file(const std::string &name);

} // namespace weft
