// What the names in the expressions of a case stand for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "case/form_spec.h"
#include "form/expression/syntax.h"

namespace weft {

enum class NameKind { unknown, value, function, law, field, auxiliary, parameter, definition };

// What numerical fluxes may name of the field that they are for, on each side: its value `state`,
// its `flux` without gradients, `capacity`, `wave_speed`, and `normal_speed`, the derivative of the
// normal flux of a scalar by its value. Names of a case that has a conservation law only.
const std::vector<std::string> &law_names();

struct Named {
  NameKind kind = NameKind::unknown;
  int index = -1; // in the list of its kind in the FormSpec
};

class NameTable {
public:
  // Errors (input): a name that is built in, taken, or no name; syntax errors, unknown names and
  // circles in parameters and definitions, whether they are used or not.
  explicit NameTable(const FormSpec &spec);

  Named find(const std::string &name) const;

  // A cell integral of the form, or its conservation law, uses the name, also through definitions
  // and parameters.
  bool used_in_cells(const std::string &name) const { return used_in_cells_.contains(name); }

  [[noreturn]] void fail_unknown(const SourceText &source, const SyntaxNode &node) const;

private:
  void declare(const std::string &name, const std::string &where, Named named);
  void check(const SourceText &source) const;
  void check(const SyntaxNode &node, const SourceText &source) const;
  void follow(const FormSpec &spec, const ConservationLawSpec &law);
  void follow(const FormSpec &spec, const SourceText &source);
  void follow(const FormSpec &spec, const SyntaxNode &node);
  void follow_name(const FormSpec &spec, const std::string &name);

  std::map<std::string, Named> names_;
  std::set<std::string> used_in_cells_;
};

} // namespace weft
