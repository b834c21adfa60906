#include "kernel/text/pointwise_text.h"

#include <array>
#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

bool is_truth(Op op) {
  switch (op) {
  case Op::less:
  case Op::less_equal:
  case Op::equal:
  case Op::logical_and:
  case Op::logical_or:
  case Op::logical_not:
    return true;
  default:
    return false;
  }
}

// The dialect's function of an operation, or its infix sign.
std::string expression_text(Op op, const std::array<std::string, 3> &o) {
  const auto call = [&](const char *function, int operands) {
    std::string text = fmt::format("{}({}", function, o[0]);
    for (int i = 1; i < operands; ++i)
      text += ", " + o[i];
    return text + ")";
  };
  switch (op) {
  case Op::add:
    return o[0] + " + " + o[1];
  case Op::sub:
    return o[0] + " - " + o[1];
  case Op::mul:
    return o[0] + " * " + o[1];
  case Op::div:
    return o[0] + " / " + o[1];
  case Op::neg:
    return "-" + o[0];
  case Op::pow:
    return call("lane_pow", 2);
  case Op::sqrt:
    return call("lane_sqrt", 1);
  case Op::exp:
    return call("lane_exp", 1);
  case Op::log:
    return call("lane_log", 1);
  case Op::sin:
    return call("lane_sin", 1);
  case Op::cos:
    return call("lane_cos", 1);
  case Op::tan:
    return call("lane_tan", 1);
  case Op::asin:
    return call("lane_asin", 1);
  case Op::acos:
    return call("lane_acos", 1);
  case Op::atan:
    return call("lane_atan", 1);
  case Op::atan2:
    return call("lane_atan2", 2);
  case Op::sinh:
    return call("lane_sinh", 1);
  case Op::cosh:
    return call("lane_cosh", 1);
  case Op::tanh:
    return call("lane_tanh", 1);
  case Op::abs:
    return call("lane_abs", 1);
  case Op::sign:
    return call("lane_sign", 1);
  case Op::floor:
    return call("lane_floor", 1);
  case Op::min:
    return call("lane_min", 2);
  case Op::max:
    return call("lane_max", 2);
  case Op::less:
    return call("lane_lt", 2);
  case Op::less_equal:
    return call("lane_le", 2);
  case Op::equal:
    return call("lane_eq", 2);
  case Op::logical_and:
    return call("mask_and", 2);
  case Op::logical_or:
    return call("mask_or", 2);
  case Op::logical_not:
    return call("mask_not", 1);
  case Op::where:
    return call("lane_select", 3);
  case Op::constant:
  case Op::symbol:
    break;
  }
  require(false, "every operation of a graph has a text");
  return {};
}

// `text`: of the expression, "lane_pow(t1, t2)".
void count_operation(Operations &operations, Op op, const std::string &text) {
  switch (op) {
  case Op::add:
  case Op::sub:
    operations.additions += 1;
    break;
  case Op::mul:
    operations.multiplications += 1;
    break;
  case Op::div:
    operations.divisions += 1;
    break;
  case Op::sqrt:
    operations.roots += 1;
    break;
  case Op::abs:
  case Op::sign:
  case Op::floor:
  case Op::min:
  case Op::max:
    operations.simple += 1;
    break;
  case Op::neg:
  case Op::where:
    break;
  default:
    if (!is_truth(op)) // "lane_pow(" is a function "pow"
      operations.functions[text.substr(5, text.find('(') - 5)] += 1;
  }
}

// For each sum or difference, which of its operands is a product that it becomes a multiply-add
// with: 0, 1, or -1 for none. Such a product has no other use and no line of its own: compilers
// contract what one line says, not two.
class Contractions {
public:
  explicit Contractions(const PointwiseFunction &function)
      : product_of_(function.nodes.size(), -1), contracted_(function.nodes.size(), false) {
    const std::vector<int> uses = count_uses(function);
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
      const Node &node = function.nodes[i];
      if (node.op != Op::add && node.op != Op::sub)
        continue;
      const auto is_product = [&](int k) {
        return function.nodes[node.operand[k]].op == Op::mul && uses[node.operand[k]] == 1;
      };
      product_of_[i] = is_product(1) ? 1 : is_product(0) ? 0 : -1;
      if (product_of_[i] >= 0)
        contracted_[node.operand[product_of_[i]]] = true;
    }
  }

  int product_of(std::size_t node) const { return product_of_[node]; }
  bool is_contracted(std::size_t node) const { return contracted_[node]; }

private:
  std::vector<int> product_of_;
  std::vector<bool> contracted_;
};

// a b + other, other - a b or a b - other
std::string multiply_add_text(Op op, int product, const std::string &a, const std::string &b,
                              const std::string &other) {
  const bool minus_product = op == Op::sub && product == 1;
  const bool minus_other = op == Op::sub && product == 0;
  return fmt::format("lane_fma({}{}, {}, {}{})", minus_product ? "-" : "", a, b,
                     minus_other ? "-" : "", other);
}

} // namespace

std::vector<std::string> print_pointwise(LaneText &text, const PointwiseFunction &function,
                                         const SymbolName &name, const std::string &prefix) {
  const Contractions contractions(function);
  std::vector<std::string> names(function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const Node &node = function.nodes[i];
    if (contractions.is_contracted(i))
      continue;
    if (const int product = contractions.product_of(i); product >= 0) {
      const Node &factors = function.nodes[node.operand[product]];
      names[i] = fmt::format("{}{}", prefix, i);
      text.line(fmt::format("const lane {} = {};", names[i],
                            multiply_add_text(node.op, product, names[factors.operand[0]],
                                              names[factors.operand[1]],
                                              names[node.operand[1 - product]])));
      text.count().multiply_adds += 1;
    } else if (node.op == Op::constant) {
      names[i] = text.constant(node.value);
    } else if (node.op == Op::symbol) {
      names[i] = name(function.symbols[node.symbol]);
    } else {
      std::array<std::string, 3> operands;
      for (int k = 0; k < 3 && node.operand[k] >= 0; ++k)
        operands[k] = names[node.operand[k]];
      names[i] = fmt::format("{}{}", prefix, i);
      const std::string expression = expression_text(node.op, operands);
      text.line(fmt::format("const {} {} = {};", is_truth(node.op) ? "mask" : "lane", names[i],
                            expression));
      count_operation(text.count(), node.op, expression);
    }
  }
  std::vector<std::string> outputs;
  for (const NodeId output : function.outputs)
    outputs.push_back(names[output]);
  return outputs;
}

} // namespace weft
