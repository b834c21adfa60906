// What may be varied in a kernel, as data: parameters, their values, what must hold between them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

// One choice for every parameter, in the order of the parameters of its space.
struct Variant {
  std::vector<std::pair<std::string, std::string>> choices; // {"strategy", "block"}

  // The value chosen; empty if the variant has no such parameter.
  std::string value(const std::string &parameter) const;
  int number(const std::string &parameter, int otherwise) const;
  bool operator==(const Variant &) const = default;
};
std::string to_string(const Variant &variant);        // "strategy=block lanes=8 leaves=16"
Variant variant_from_string(const std::string &text); // throws `input`

struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

// A parameter that has no meaning beside another's choice has the value "-" there, so that equal
// kernels are one candidate.
struct Constraint {
  std::string text; // "lanes fit the device's registers", for messages
  std::function<bool(const Variant &)> holds;
  // The parameters that `holds` looks at; empty: any. What is known early keeps enumeration short.
  std::vector<std::string> of;
};

struct SearchSpace {
  std::string kernel; // "fem_integrate"
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;

  const Parameter *find(const std::string &parameter) const; // null where there is none
};

// All variants of a space that satisfy its constraints, in a fixed order.
std::vector<Variant> candidates(const SearchSpace &space);

// Throws `input` naming the parameter or constraint, what is allowed, when `variant` is not one of
// them, whatever the order of its choices. `where`: the file it came from.
void check_variant(const SearchSpace &space, const Variant &variant, const std::string &where);
// Its choices in the order of the space's parameters; what the space does not have is left out.
Variant in_order(const SearchSpace &space, const Variant &variant);

} // namespace weft
