// Follows C text as it will run: each round of each loop, both branches where a condition is not
// known, with a range for every whole number. What it does not refuse stays inside its arrays, has
// no undefined arithmetic of whole numbers, and ends.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "form/weak_form/c_syntax.h"

namespace weft {

namespace {

using Kind = CExpression::Kind;

constexpr std::int64_t lowest_int = std::numeric_limits<int>::min();
constexpr std::int64_t highest_int = std::numeric_limits<int>::max();

struct CRange {
  std::int64_t low = 0, high = 0;

  bool single() const { return low == high; }
  bool empty() const { return low > high; }
  bool has(std::int64_t value) const { return low <= value && value <= high; }
  std::string text() const {
    return single() ? std::to_string(low) : fmt::format("{} to {}", low, high);
  }
};
constexpr CRange any_int{lowest_int, highest_int};
constexpr CRange any_truth{0, 1};

CRange hull(CRange a, CRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
CRange common(CRange a, CRange b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}
CRange truth_of(CRange a) {
  if (a.single())
    return {a.low != 0, a.low != 0};
  return a.has(0) ? any_truth : CRange{1, 1};
}

template <typename Operation> CRange of_corners(CRange a, CRange b, Operation operation) {
  const std::int64_t corners[] = {operation(a.low, b.low), operation(a.low, b.high),
                                  operation(a.high, b.low), operation(a.high, b.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

CRange compared(const std::string &op, CRange a, CRange b) {
  if (op == ">" || op == ">=")
    return compared(op == ">" ? "<" : "<=", b, a);
  if (op == "<")
    return a.high < b.low ? CRange{1, 1} : a.low >= b.high ? CRange{0, 0} : any_truth;
  if (op == "<=")
    return a.high <= b.low ? CRange{1, 1} : a.low > b.high ? CRange{0, 0} : any_truth;
  const bool apart = common(a, b).empty(), same = a.single() && b.single() && a.low == b.low;
  if (!apart && !same)
    return any_truth;
  return (op == "==") == same ? CRange{1, 1} : CRange{0, 0};
}

// What holds where `a op b` does not.
std::string negated(const std::string &op) {
  for (const auto &[one, other] :
       {std::pair{"<", ">="}, std::pair{"<=", ">"}, std::pair{"==", "!="}})
    if (op == one || op == other)
      return op == one ? other : one;
  return op;
}
// What holds of b and a where `a op b` does.
std::string mirrored(const std::string &op) {
  for (const auto &[one, other] : {std::pair{"<", ">"}, std::pair{"<=", ">="}})
    if (op == one || op == other)
      return op == one ? other : one;
  return op;
}

// Ranges of the whole numbers of a text where it has come to; of an array that of all elements.
struct CState {
  std::vector<CRange> ranges; // by variable
  bool reachable = true;

  void join(const CState &other) {
    if (!other.reachable)
      return;
    if (!reachable) {
      *this = other;
      return;
    }
    for (std::size_t i = 0; i < ranges.size(); ++i)
      ranges[i] = hull(ranges[i], other.ranges[i]);
  }
};

class CRangeCheck {
public:
  CRangeCheck(const SourceText &source, const CProgram &program)
      : source_(source), program_(program) {}

  void check() {
    CState state{.ranges = std::vector<CRange>(program_.variables.size())};
    for (std::size_t i = 0; i < program_.variables.size(); ++i)
      if (const auto value = program_.variables[i].value)
        state.ranges[i] = {*value, *value};
    run(program_.body, state);
  }

private:
  // What the innermost loop leads to: what is known where it is left, and where a round ends early.
  struct Exits {
    CState left, next;
  };

  [[noreturn]] void fail(const CExpression &e, std::string what, std::string found,
                         std::string allowed, std::string remedy) const {
    fail_in_c(source_, e.place, std::move(what), std::move(found), std::move(allowed),
              std::move(remedy));
  }
  const CVariable &variable(const CExpression &e) const { return program_.variables[e.variable]; }

  void count(CPlace place, std::size_t operations) {
    operations_ += operations;
    if (operations_ > static_cast<std::size_t>(c_limits::operations))
      fail_in_c(source_, place, "loops that go on for too long", "here, among others",
                fmt::format("at most {} operations a call, all rounds of all loops counted",
                            c_limits::operations),
                "let every loop have a counter with a constant bound");
  }

  // --- statements
  void run(const std::vector<CStatement> &statements, CState &state) {
    for (const CStatement &s : statements)
      run(s, state);
  }

  void run(const CStatement &s, CState &state) {
    if (!state.reachable)
      return;
    count(s.place, 1);
    switch (s.kind) {
    case CStatement::Kind::empty:
      return;
    case CStatement::Kind::block:
      return run(s.statements, state);
    case CStatement::Kind::declaration:
      for (const CDeclarator &d : s.declarators)
        declare(d, state);
      return;
    case CStatement::Kind::assignment:
      return assign(s, state);
    case CStatement::Kind::increment:
      return increment(s, state);
    case CStatement::Kind::condition:
      return branch(s, state);
    case CStatement::Kind::loop:
      return loop(s, state);
    case CStatement::Kind::leave:
      exits_->left.join(state);
      state.reachable = false;
      return;
    case CStatement::Kind::next:
      exits_->next.join(state);
      state.reachable = false;
      return;
    case CStatement::Kind::finish:
      state.reachable = false;
      return;
    }
  }

  void declare(const CDeclarator &d, CState &state) {
    CRange range{0, 0}; // without a value, and of elements that lists leave out
    if (d.initial && d.initial->value)
      range = converted(*d.initial->value, program_.variables[d.variable].type, state);
    else if (d.initial)
      join_list(*d.initial, program_.variables[d.variable].type, state, range);
    state.ranges[d.variable] = range;
  }
  void join_list(const CInitial &initial, CType type, CState &state, CRange &range) {
    for (const CInitial &part : initial.list)
      join_list(part, type, state, range);
    if (initial.value)
      range = hull(range, converted(*initial.value, type, state));
  }

  void set(const CExpression &target, CRange range, CState &state) {
    CRange &old = state.ranges[target.variable];
    old = variable(target).shape.empty() ? range : hull(old, range);
  }

  void assign(const CStatement &s, CState &state) {
    for (std::size_t i = 0; i + 1 < s.expressions.size(); ++i)
      check_indices(s.expressions[i], state);
    const CExpression &value = s.expressions.back(), &first = s.expressions.front();
    if (s.op != "=") {
      const CRange operand = evaluate(value, state);
      if (is_whole(first.type))
        set(first, computed(s.op.substr(0, 1), first, state.ranges[first.variable], value, operand),
            state);
      return;
    }
    for (std::size_t i = 0; i + 1 < s.expressions.size(); ++i) {
      const CRange range = converted(value, s.expressions[i].type, state);
      if (is_whole(s.expressions[i].type))
        set(s.expressions[i], range, state);
    }
  }

  void increment(const CStatement &s, CState &state) {
    const CExpression &target = s.expressions[0];
    check_indices(target, state);
    if (is_whole(target.type))
      set(target,
          computed(s.op == "++" ? "+" : "-", target, state.ranges[target.variable], target, {1, 1}),
          state);
  }

  void branch(const CStatement &s, CState &state) {
    const CRange truth = truth_of(evaluate(s.expressions[0], state));
    if (truth.single()) {
      if (truth.low == 1)
        run(s.statements[0], state);
      else if (s.statements.size() > 1)
        run(s.statements[1], state);
      return;
    }
    CState otherwise = copy(s.place, state);
    refine(s.expressions[0], true, state);
    refine(s.expressions[0], false, otherwise);
    run(s.statements[0], state);
    if (s.statements.size() > 1)
      run(s.statements[1], otherwise);
    state.join(otherwise);
  }

  void loop(const CStatement &s, CState &state) {
    const CStatement &start = s.statements[0], &step = s.statements[1], &body = s.statements[2];
    run(start, state);
    Exits exits;
    exits.left.reachable = false;
    Exits *const outer = std::exchange(exits_, &exits);
    while (state.reachable) {
      const CRange truth = truth_of(evaluate(s.expressions[0], state));
      if (truth.high == 0)
        break;
      if (truth.low == 0) {
        CState ended = copy(s.place, state);
        refine(s.expressions[0], false, ended);
        exits.left.join(ended);
        refine(s.expressions[0], true, state);
      }
      exits.next.reachable = false;
      run(body, state);
      state.join(exits.next);
      run(step, state);
    }
    state.join(exits.left);
    exits_ = outer;
  }

  CState copy(CPlace place, const CState &state) {
    count(place, state.ranges.size());
    return state;
  }

  // --- what a condition says of variables
  void refine(const CExpression &e, bool truth, CState &state) {
    if (!state.reachable)
      return;
    count(e.place, 1);
    if (e.kind == Kind::unary && e.text == "!")
      return refine(e.operands[0], !truth, state);
    if (e.kind == Kind::binary && (e.text == "&&" || e.text == "||")) {
      if ((e.text == "&&") != truth)
        return; // one of both, and it is not known which
      refine(e.operands[0], truth, state);
      return refine(e.operands[1], truth, state);
    }
    if (e.kind != Kind::binary || !is_whole(e.operands[0].type) || !is_whole(e.operands[1].type))
      return;
    std::string op = e.text;
    if (!truth)
      op = negated(op);
    const CRange a = evaluate(e.operands[0], state), b = evaluate(e.operands[1], state);
    limit(e.operands[0], op, a, b, state);
    limit(e.operands[1], mirrored(op), b, a, state);
  }

  // The range of `e`, if it is a variable, where `e op other` holds.
  void limit(const CExpression &e, const std::string &op, CRange range, CRange other,
             CState &state) const {
    if (op == "<" || op == "<=")
      range.high = std::min(range.high, other.high - (op == "<"));
    else if (op == ">" || op == ">=")
      range.low = std::max(range.low, other.low + (op == ">"));
    else if (op == "==")
      range = common(range, other);
    else if (op == "!=" && other.single() && range.low == other.low)
      ++range.low;
    else if (op == "!=" && other.single() && range.high == other.high)
      --range.high;
    if (range.empty())
      state.reachable = false;
    else if (e.kind == Kind::element && variable(e).shape.empty())
      state.ranges[e.variable] = range;
  }

  // --- expressions; the range of a real number says nothing
  CRange evaluate(const CExpression &e, CState &state) {
    count(e.place, 1);
    switch (e.kind) {
    case Kind::number:
      return is_whole(e.type) ? CRange{e.value, e.value} : any_int;
    case Kind::element:
      check_indices(e, state);
      return is_whole(e.type) ? state.ranges[e.variable] : any_int;
    case Kind::unary:
      return unary(e, evaluate(e.operands[0], state));
    case Kind::binary:
      return binary(e, state);
    case Kind::conditional:
      return conditional(e, state);
    case Kind::call:
      return call(e, state);
    case Kind::cast:
      return converted(e.operands[0], e.type, state);
    }
    return any_int;
  }

  void check_indices(const CExpression &e, CState &state) {
    const CVariable &array = variable(e);
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const CRange range = evaluate(e.operands[i], state);
      if (range.low < 0 || range.high >= array.shape[i])
        fail(e.operands[i],
             fmt::format("an index of {} that may be outside of it{}", array.name,
                         e.operands.size() > 1 ? fmt::format(", number {}", i + 1) : ""),
             range.text(), fmt::format("0 to {}", array.shape[i] - 1),
             "let it be a constant, count it in a loop, or limit it: if (i < 0) i = 0;");
    }
  }

  CRange unary(const CExpression &e, CRange of) const {
    if (e.text == "!") {
      const CRange truth = is_whole(e.operands[0].type) ? truth_of(of) : any_truth;
      return {1 - truth.high, 1 - truth.low};
    }
    if (!is_whole(e.type))
      return any_int;
    return e.text == "-" ? in_int(e, {-of.high, -of.low}) : of;
  }

  CRange binary(const CExpression &e, CState &state) {
    const CExpression &left = e.operands[0], &right = e.operands[1];
    const CRange a = evaluate(left, state);
    if (e.text == "&&" || e.text == "||") {
      const bool decides = e.text == "||";
      const CRange first = is_whole(left.type) ? truth_of(a) : any_truth;
      if (first.single() && (first.low == 1) == decides)
        return first; // the other is not looked at
      CState there = copy(e.place, state);
      refine(left, !decides, there);
      if (!there.reachable)
        return {decides, decides};
      const CRange second = evaluate(right, there);
      const CRange truth = is_whole(right.type) ? truth_of(second) : any_truth;
      return first.single() ? truth : hull(truth, {decides, decides});
    }
    const CRange b = evaluate(right, state);
    const bool whole = is_whole(left.type) && is_whole(right.type);
    if (e.text == "<" || e.text == ">" || e.text == "<=" || e.text == ">=" || e.text == "==" ||
        e.text == "!=")
      return whole ? compared(e.text, a, b) : any_truth;
    return whole ? computed(e.text, e, a, right, b) : any_int;
  }

  // a op b of whole numbers. `e`: what it is about in messages.
  CRange computed(const std::string &op, const CExpression &e, CRange a, const CExpression &right,
                  CRange b) const {
    if (op == "+")
      return in_int(e, {a.low + b.low, a.high + b.high});
    if (op == "-")
      return in_int(e, {a.low - b.high, a.high - b.low});
    if (op == "*")
      return in_int(e, of_corners(a, b, [](std::int64_t x, std::int64_t y) { return x * y; }));
    if (b.has(0))
      fail(right, "a division of whole numbers by what may be 0", b.text(), "a range without 0",
           "divide real numbers, or by what cannot be 0");
    const CRange quotient =
        in_int(e, of_corners(a, b, [](std::int64_t x, std::int64_t y) { return x / y; }));
    if (op == "/")
      return quotient;
    if (a.single() && b.single())
      return {a.low % b.low, a.low % b.low};
    const std::int64_t most = std::max(std::abs(b.low), std::abs(b.high)) - 1;
    return {std::max(std::min<std::int64_t>(a.low, 0), -most),
            std::min(std::max<std::int64_t>(a.high, 0), most)};
  }

  CRange in_int(const CExpression &e, CRange range) const {
    if (range.low < lowest_int || range.high > highest_int)
      fail(e, "a whole number that may not fit into an int", range.text(),
           fmt::format("{} to {}", lowest_int, highest_int), "limit it before, or use a real");
    return range;
  }

  CRange conditional(const CExpression &e, CState &state) {
    const CRange value = evaluate(e.operands[0], state);
    const CRange truth = is_whole(e.operands[0].type) ? truth_of(value) : any_truth;
    if (truth.single())
      return evaluate(e.operands[truth.low == 1 ? 1 : 2], state);
    CRange result{1, 0};
    for (const bool holds : {true, false}) {
      CState there = copy(e.place, state);
      refine(e.operands[0], holds, there);
      if (!there.reachable)
        continue;
      const CRange branch = evaluate(e.operands[holds ? 1 : 2], there);
      result = result.empty() ? branch : hull(result, branch);
    }
    return is_whole(e.type) && !result.empty() ? result : any_int;
  }

  CRange call(const CExpression &e, CState &state) {
    std::vector<CRange> of;
    for (const CExpression &argument : e.operands)
      of.push_back(evaluate(argument, state));
    if (!is_whole(e.type))
      return any_int;
    if (!is_whole(e.operands[0].type))
      return any_truth; // isnan and the like
    if (e.text == "min")
      return {std::min(of[0].low, of[1].low), std::min(of[0].high, of[1].high)};
    if (e.text == "max")
      return {std::max(of[0].low, of[1].low), std::max(of[0].high, of[1].high)};
    const std::int64_t largest = std::max(std::abs(of[0].low), std::abs(of[0].high));
    return in_int(
        e, {of[0].has(0) ? 0 : std::min(std::abs(of[0].low), std::abs(of[0].high)), largest});
  }

  // The value of `e` as one of `type`. A real number becomes any whole one.
  CRange converted(const CExpression &e, CType type, CState &state) {
    const CRange range = evaluate(e, state);
    if (!is_whole(type))
      return any_int;
    if (type == CType::boolean)
      return is_whole(e.type) ? truth_of(range) : any_truth;
    return is_whole(e.type) ? range : any_int;
  }

  const SourceText &source_;
  const CProgram &program_;
  Exits *exits_ = nullptr;
  std::size_t operations_ = 0;
};

} // namespace

void check_c_ranges(const SourceText &source, const CProgram &program) {
  CRangeCheck(source, program).check();
}

} // namespace weft
