// Lines of lane arithmetic as text, counted as they are written.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"

namespace weft {

// A coefficient known when the text is made: a number, or an entry of a table read at run time.
struct Coefficient {
  bool literal = true;
  double value = 0;  // literal
  std::string table; // else: a scalar expression, "weft_phi_0[q * 4 + 1]"
};

// One term of a sum: coefficient times a lane expression.
struct Term {
  Coefficient coefficient;
  std::string factor;
};

// Collects text and the operations that one cell of a lane takes in it.
class LaneText {
public:
  explicit LaneText(Precision precision) : precision_(precision) {}

  void line(const std::string &text) {
    text_ += indent_ + text + "\n";
    times_.resize(times_.size() + 1 + std::count(text.begin(), text.end(), '\n'), 1);
  }
  // Appends a body's lines; what it does is done `times` times.
  void append(const LaneText &body, double times);
  void open(const std::string &text) {
    line(text);
    indent_ += "  ";
  }
  void close(const std::string &text = "}") {
    dedent();
    line(text);
  }
  void dedent() { indent_.resize(indent_.size() - 2); }
  // For adding what a line does: text.count().additions += 1.
  Operations &count() { return operations_; }

  // `target` = sum of the terms (0 if there are none left after zero coefficients are dropped);
  // with `accumulate`, target += sum. Coefficients 1 and -1 cost no multiplication.
  void sum(const std::string &declaration, const std::string &target,
           const std::vector<Term> &terms, bool accumulate);

  std::string literal(double value) const;  // a real
  std::string constant(double value) const; // a lane with that value everywhere

  // Removes lines `const ... name = ...;` whose names no later line of the function reads, but for
  // loads from memory: formulas of cost count what lies there for a cell as a whole.
  void drop_unread_names();

  // How often `of` is met when the text runs: in lines of a body as often as it is done.
  double occurrences(const std::string &of) const;

  const std::string &text() const { return text_; }
  const Operations &operations() const { return operations_; }

private:
  Precision precision_;
  std::string text_;
  std::vector<double> times_; // that each line is done
  std::string indent_;
  Operations operations_;
};

} // namespace weft
