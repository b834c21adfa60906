// From the text of an expression to a tensor of graph nodes: names, shapes, differential operators.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "case/form_spec.h"
#include "form/expression/name_table.h"
#include "form/expression/parameter_tables.h"
#include "form/expression/syntax.h"
#include "form/expression/tensor.h"
#include "form/graph/graph.h"
#include "form/graph/linearity.h"

namespace weft {

// Values that only numerical fluxes name, see law_names(): by name and side.
using LawValues = std::map<std::pair<std::string, Side>, Tensor>;

// What an expression may use, by where it stands.
struct Scope {
  Place place;          // n on facets only; sides on interior facets only
  bool fields = false;  // fields, auxiliary fields and their gradients
  bool rates = false;   // dt()
  bool results = false; // outside of the equations: dt() where the scheme knows it
  bool test = false;    // test(); then the expression must be linear in it
  // The side of all values, where there is one only: at boundaries of a conservation law, and of
  // what a numerical flux is made from. minus() may then be written, and plus() on the other.
  Side side = Side::none;
  const LawValues *law = nullptr;
};

// The expressions of one form share an elaborator, and so a graph and the tables.
//
// A parameter by group means regions in expressions on cells and wherever a cell integral of the
// form uses it (also through definitions and other parameters); any other one means facet groups
// in expressions on facets.
class Elaborator {
public:
  explicit Elaborator(const FormSpec &spec);

  // Errors (input) name the column of the text.
  Tensor evaluate(const SourceText &text, const Scope &scope);
  // The same, of an expected shape: 0 fits every one. Errors (input): another shape.
  Tensor evaluate(const SourceText &text, const Scope &scope, const Shape &expected);

  // grad() of a value of evaluate(): one more index, the direction.
  Tensor gradient(const SourceText &text, const Tensor &value);

  Graph &graph() { return graph_; }
  const NameTable &names() const { return names_; }
  ParameterTables &tables() { return tables_; }

private:
  // Values, operators and functions of values: elaborate.cpp.
  Tensor value_of(const SyntaxNode &node);
  Tensor value_by_kind(const SyntaxNode &node);
  Tensor builtin(const SyntaxNode &node);
  Tensor law_value(const SyntaxNode &node);
  Tensor unary(const SyntaxNode &node);
  Tensor binary(const SyntaxNode &node);
  Tensor comparison(const std::string &op, const Tensor &a, const Tensor &b);
  Tensor component(const SyntaxNode &node);
  int index_value(const SyntaxNode &node, int size);
  Tensor call(const SyntaxNode &node);
  void check_test_degree(const SyntaxNode &node, const Tensor &value);

  // Names of the case: elaborate_names.cpp.
  Tensor named(const SyntaxNode &node);
  Tensor field(const SyntaxNode &node, SymbolKind kind, int index, const FieldSpec &spec);
  Tensor parameter(const SyntaxNode &node, const ParameterSpec &spec);
  Tensor by_group(const SyntaxNode &node, const ParameterSpec &spec);
  // The value that a text of a parameter gives, by its table where it has one.
  Tensor parameter_value(const ParameterSpec &spec, const std::string &group,
                         const SourceText &text);
  NodeId group_component(const ParameterSpec &spec, const std::string &name, SymbolKind kind,
                         const std::map<std::string, Tensor> &values, int component);
  NodeId settable_constant(NodeId value, const std::string &name, const SourceText &where);
  NodeId table_value(SymbolKind kind, Symbol symbol);
  Tensor elsewhere(const SourceText &text, const std::string &name, bool in_parameter);

  // Operators that know more than values: elaborate_operators.cpp.
  Tensor call_operator(const SyntaxNode &node);
  Tensor test(const SyntaxNode &node);
  Tensor rate(const SyntaxNode &node);
  NodeId rate_of_symbol(const SyntaxNode &node, Symbol symbol);
  Tensor on_side(const SyntaxNode &node, Side side);
  Tensor gradient_at(const SyntaxNode &node, const Tensor &value);
  NodeId gradient_of_symbol(const SyntaxNode &node, Symbol symbol, int direction);
  // Of a gradient.
  NodeId second_derivative(const SyntaxNode &node, Symbol symbol, int direction);

  bool on_edges_or_points() const;
  // The side that a value which differs across a facet is taken from.
  Side side_at(const SyntaxNode &node) const;
  [[noreturn]] void fail(const SyntaxNode &node, std::string what, std::string allowed = "",
                         std::string remedy = "") const;

  const FormSpec &spec_;
  const NameTable names_;
  Graph graph_;
  ParameterTables tables_;
  Linearity linearity_;

  // State of the evaluation in progress.
  Scope scope_;
  const SourceText *source_ = nullptr;
  Side side_ = Side::none;
  bool in_parameter_ = false;
  int depth_ = 0;
  std::map<std::pair<std::string, Side>, Tensor> known_; // those evaluated
};

} // namespace weft
