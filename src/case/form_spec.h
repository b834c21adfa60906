// What a case says of its fields, parameters and weak form, before any of it is understood.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"
#include "case/tabulated_function.h"

namespace weft {

// Shape of a value: {} scalar, {n} vector, {m, n} matrix.
using Shape = std::vector<int>;

struct FieldSpec {
  std::string name;
  Shape shape;                // {} or {n}; {0} = vector of the dimension, until that is known
  int order = 1;              // of its element; 0 for DG0
  bool discontinuous = false; // element "DGn": nodal, each cell with nodes of its own
  std::string place = {};     // "case.toml:12: [fields] T", for messages; may be empty
  bool finite_volume = false; // element "FV": order 0, discontinuous, with means reconstructed
  bool whole_domain = false;  // element "R": order 0, one value for the whole domain
  std::vector<std::string> cells = {}; // regions in which it is there; empty: everywhere
  int components() const { return shape.empty() ? 1 : shape[0]; }
  // Its name in cases: "P2", "DG0", "FV", "R".
  std::string element() const {
    return whole_domain    ? "R"
           : finite_volume ? "FV"
                           : (discontinuous || order == 0 ? "DG" : "P") + std::to_string(order);
  }
};

// `element`: one of the names that cases have for it.
void set_element(FieldSpec &field, const std::string &element);

// A parameter: one expression for all regions, or one a region (or facet group).
struct ParameterSpec {
  std::string name;
  std::optional<SourceText> value;            // the same everywhere
  std::map<std::string, SourceText> by_group; // or by region / facet group name
  // Functions of the values above, which may then use fields: by group, "" where it is the same
  // everywhere.
  std::map<std::string, TabulatedFunction> tables;
  // It may get other values while the program runs: its constants are arguments of kernels.
  bool settable = false;
};

struct DefinitionSpec {
  std::string name;
  SourceText value;
};

// Edges: those of named curves in 3D. Points: named ones.
enum class Domain { cells, facets, interior, edges, points };

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

// Expressions by the name of the field they are for.
using TextByField = std::map<std::string, SourceText>;

// [conservation_law]: dt(capacity*q) + div(flux) = source, by the name of the field. A field
// without a flux is an ordinary differential equation at each node.
//
// Expressions of numerical fluxes may use `state`, `flux` (without its gradients), `capacity`,
// `wave_speed` and `normal_speed` of the field that they are for; the entry `every` is for all
// fields that have none of their own.
struct ConservationLawSpec {
  TextByField flux;     // of a scalar a vector, of a vector a matrix
  TextByField capacity; // scalars
  TextByField source;
  // The normal flux on facets: by the name of an entry of `fluxes` or of a file of physics/flux, or
  // an expression for each field; without both it is that of `lax_friedrichs`.
  std::optional<SourceText> numerical_flux;
  TextByField numerical_flux_of;
  std::map<std::string, TextByField> fluxes; // [numerical_fluxes.NAME]
  std::optional<SourceText> wave_speed; // the largest at a place, for the step and Lax-Friedrichs
  std::vector<SourceText> positive;     // expressions that the limiter keeps positive
  // none positivity shock; of finite volumes none venkatakrishnan barth_jespersen. Empty: none; of
  // finite volumes venkatakrishnan where a flux without gradients is reconstructed.
  std::string limiter;
  // Settings of finite volumes only.
  std::string reconstruction; // linear constant; empty: linear
  std::string diffusion;      // auto two_point corrected; empty: auto
  std::string place;          // of the table, for messages; may be empty
};

// The entry of a numerical flux that is for all fields.
inline const std::string every_field = "every";

// [boundary.GROUP]: the state outside, or the normal flux, by field.
struct BoundarySpec {
  std::string group; // `all`: every boundary facet that no other condition names
  SourceText where;
  TextByField outer;
  TextByField outer_gradient; // of viscous laws; default: that inside
  TextByField flux;
};

// [weak_form] quadrature: at Gauss points that are exact to a degree, or at as many Gauss-Lobatto
// points along a line as elements have nodes. Without either, Gauss points as the integrands want.
struct QuadratureSpec {
  std::optional<int> degree;
  bool gauss_lobatto = false;
  std::string place; // for messages
};

// A parameter that is one number, or its value in one group.
struct ParameterChoice {
  std::string name;
  std::string group; // empty: of a parameter that is the same everywhere
};

// Everything a form is made from.
struct FormSpec {
  int dim = 2;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  std::vector<ParameterSpec> parameters;
  std::vector<DefinitionSpec> definitions;
  std::vector<IntegralSpec> integrals; // [weak_form]
  // [weak_form.explicit]: terms that schemes take explicitly, at states already known. With
  // `explicit_part` forms are made from them, and not from the others.
  std::vector<IntegralSpec> explicit_integrals;
  bool explicit_part = false;
  const std::vector<IntegralSpec> &terms() const {
    return explicit_part ? explicit_integrals : integrals;
  }
  QuadratureSpec quadrature;
  std::vector<PointwiseSpec> pointwise;   // or [pointwise]
  std::optional<ConservationLawSpec> law; // or [conservation_law], with
  std::vector<BoundarySpec> boundaries;   // [boundary]
  bool in_plane = false; // on the side z = 0 of a case of three dimensions: z is known, and 0
  bool trust = false;    // C text goes to the compiler as it is
  // [field]: time derivatives of it that results may use, which the scheme carries: 1 dt(), 2
  // dt(dt()) too; empty: none of any.
  std::vector<int> known_rates;
  // This parameter stands in graphs as an entry of a table that has its name, and expressions
  // outside of the form are their derivatives by it: see form/expression/parameter_derivative.h.
  std::optional<ParameterChoice> derived_by;
};

} // namespace weft
