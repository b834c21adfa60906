// C text of a case as a tree: what is in it is known, and nothing else reaches a compiler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"
#include "case/form_spec.h"

namespace weft {

// Where something stands in C text.
struct CPlace {
  int line = 0;   // from 0, the text's first
  int column = 1; // of that line, in bytes, from 1
};

// What C text may hold, so that every call ends soon and its compiler is not strained.
namespace c_limits {
inline constexpr std::size_t text_bytes = 65536;
inline constexpr int nesting = 64;           // of brackets, statements and conditions
inline constexpr int operands = 1000;        // of a sum or product, and the depth of expressions
inline constexpr int array_elements = 4096;  // of all arrays together
inline constexpr int operations = 1'000'000; // of a call, all rounds of all loops counted
} // namespace c_limits

// real: double or float, as the device's precision is.
enum class CType { boolean, integer, real, single_precision, double_precision };
std::string to_string(CType type); // "bool", "int", "real", "float", "double"
inline bool is_whole(CType type) {
  return type == CType::boolean || type == CType::integer;
}

struct CVariable {
  enum class Kind { local, input, result, dimension } kind = Kind::local;
  std::string name;
  CType type = CType::real;
  Shape shape;              // {}: one value
  bool constant = false;    // the text does not change it
  std::optional<int> value; // of a constant whole number
};

struct CExpression {
  enum class Kind { number, element, unary, binary, conditional, call, cast } kind = Kind::number;
  CType type = CType::integer;
  CPlace place;
  std::string text;                  // a number as it is written; an operator; a function's name
  int value = 0;                     // of a whole number
  int variable = -1;                 // of an element, which has its indices as operands
  std::vector<CExpression> operands; // of a conditional: condition, then, otherwise
  int depth = 1;                     // of the tree
};

// The value of a declared variable: one expression, or a list.
struct CInitial {
  std::optional<CExpression> value;
  std::vector<CInitial> list;
};
struct CDeclarator {
  int variable = -1;
  std::optional<CInitial> initial; // none: zero
};

struct CStatement {
  enum class Kind {
    empty,
    block,       // statements
    declaration, // declarators, of one type
    assignment,  // expressions: targets from left to right, then the value; op: "=", "+=", ...
    increment,   // expressions: the target; op: "++", "--"
    condition,   // expressions: the condition; statements: then, and otherwise if there is one
    loop,        // expressions: the condition; statements: start, step, body
    leave,       // break
    next,        // continue
    finish,      // return
  } kind = Kind::empty;
  CPlace place;
  std::string op;
  std::vector<CExpression> expressions;
  std::vector<CStatement> statements;
  std::vector<CDeclarator> declarators;
};

struct CProgram {
  std::vector<CVariable> variables;
  std::vector<CStatement> body;
};

// The names that C text has not declared itself.
struct CNames {
  std::string result; // "f0" or "f1"
  Shape result_shape;
  int dim = 2;
  // The shape of a value of the case; none where it has no such name.
  std::function<std::optional<Shape>(const std::string &)> find;
  std::vector<std::string> known; // such names, to suggest one where another is unknown
};

// How strongly a binary operator binds, from 1; 0 where the text is none.
int c_strength(const std::string &op);

// Reads C text; docs/reference/c_text.md says what it may be. Errors (input): whatever else is in
// it, names that are unknown, wrong types and shapes, with line and column.
CProgram parse_c(const SourceText &source, const CNames &names);

// Follows the text as it will run, with a range for every whole number. Errors (input): an index
// that may leave its array, a whole number that may leave int or be divided by 0, and loops that go
// on for too long.
void check_c_ranges(const SourceText &source, const CProgram &program);

// Throws what is wrong with C text at a place of it. The remedy goes on with what to read, and
// --trust.
[[noreturn]] void fail_in_c(const SourceText &source, CPlace place, std::string what,
                            std::string found, std::string allowed, std::string remedy = "");

// A function that C text may call. OpenCL C and CUDA C++ have it for all types of real numbers.
struct CFunction {
  std::string name;
  int arguments = 1;
  enum class Of { reals, reals_to_truth, wholes, both } of = Of::reals;
};
const CFunction *find_c_function(const std::string &name); // null: there is none
std::vector<std::string> c_function_names();

} // namespace weft
