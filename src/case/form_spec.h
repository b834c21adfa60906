// What a case says of its fields, parameters and weak form, before any of it is understood.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"

namespace weft {

// Shape of a value: {} scalar, {n} vector, {m, n} matrix.
using Shape = std::vector<int>;

struct FieldSpec {
  std::string name;
  Shape shape;   // {} or {n}; {0} = vector of the dimension, until that is known
  int order = 1; // of its element; 0 for DG0
  int components() const { return shape.empty() ? 1 : shape[0]; }
};

// A parameter: one expression for all regions, or one a region (or facet group).
struct ParameterSpec {
  std::string name;
  std::optional<SourceText> value;            // the same everywhere
  std::map<std::string, SourceText> by_group; // or by region / facet group name
};

struct DefinitionSpec {
  std::string name;
  SourceText value;
};

enum class Domain { cells, facets, interior };

// One line of [weak_form]: `cells.fins = "..."`; groups empty = all.
struct IntegralSpec {
  Domain domain = Domain::cells;
  std::vector<std::string> groups;
  SourceText integrand;
};

// [pointwise] u = { f0 = , f1 = , language = "expression" | "c" }
struct PointwiseSpec {
  std::string field;
  std::optional<SourceText> f0;
  std::optional<SourceText> f1;
  bool c_text = false;
};

// Everything a form is made from.
struct FormSpec {
  int dim = 2;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  std::vector<ParameterSpec> parameters;
  std::vector<DefinitionSpec> definitions;
  std::vector<IntegralSpec> integrals;  // [weak_form]
  std::vector<PointwiseSpec> pointwise; // or [pointwise]
};

} // namespace weft
