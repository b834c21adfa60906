// From the mathematics of a case to pointwise functions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case/form_spec.h"
#include "form/expression/table_entry.h"
#include "form/expression/term_regions.h"
#include "form/graph/pointwise.h"

namespace weft {

// The integrals of one domain, summed: those of single groups are switched by table entries that
// are 1 in their groups and 0 elsewhere.
// Outputs of `residual`, for field 0, 1, ...: f0[component], then f1[component][direction]
// (interior facets: first all of the minus side's test function, then the plus side's). Where the
// integral has second derivatives, f2[component][entry of form/graph/hessian_entries.h] of all
// fields comes behind, in the same order: what those of the test functions are multiplied with.
// `linearised` has the same outputs and the direction symbols as further inputs.
struct FormIntegral {
  Domain domain = Domain::cells;
  std::vector<std::string> groups; // facets: the groups that appear at all; empty = all
  bool all = true;                 // some integral is over all of the domain
  bool second = false;             // second derivatives: of fields or of test functions
  PointwiseFunction residual;
  PointwiseFunction linearised;
};

struct CProgram; // form/weak_form/c_syntax.h

// A piece of C text, and what was understood of it. Without a program it is all of C, which only
// users who trust the case let through to a compiler.
struct CTextPart : SourceText {
  std::shared_ptr<const CProgram> program;
};

// User's C text for f0 and f1 of a field; docs/reference/c_text.md has the names it may use.
struct CTextFunction {
  int field = 0;
  Shape shape; // of the field
  std::optional<CTextPart> f0;
  std::optional<CTextPart> f1;
};

// A name of the case that C text uses: a variable or array of this shape.
struct CTextInput {
  std::string name;
  Shape shape;
};

// All C text of a form, and what it reads.
struct CText {
  std::vector<CTextFunction> functions;
  std::vector<CTextInput> inputs;
  PointwiseFunction values; // outputs: the components of all inputs, row by row
  bool empty() const { return functions.empty(); }
};

struct Form {
  int dim = 2;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  std::vector<FormIntegral> integrals;  // at most one a domain
  std::vector<TableEntry> cell_table;   // symbol cell_parameter, component = index
  std::vector<TableEntry> facet_table;  // symbol facet_parameter
  std::set<RestrictedTerms> restricted; // to the regions of their fields
  CText c_text;                         // if not empty, `integrals` has no cell integral
  bool linear = false;                  // linear (affine) in the fields
  bool symmetric = false; // the linearised form equals its transpose (found symbolically)
};

// Parses, checks shapes and linearity in test(), splits into f0 and f1, differentiates.
// Errors (input): unknown name (with the nearest known), wrong shape (names both), not linear in
// test() (names the sub-expression), third derivatives (with the remedy), shadowed built-ins; but
// for the explicit part a field without an equation.
Form make_form(const FormSpec &spec);

} // namespace weft
