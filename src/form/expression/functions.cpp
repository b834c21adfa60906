#include "form/expression/functions.h"

#include <algorithm>
#include <fmt/format.h>

#include "form/graph/operation.h"

namespace weft {

namespace {

using Arguments = std::vector<Tensor>;

constexpr int any_number = 64;

// sqrt, exp, ...: of scalars only.
template <Op op> Tensor scalar_function(Graph &g, const Arguments &a) {
  for (const Tensor &argument : a)
    if (!argument.is_scalar())
      throw ShapeProblem{fmt::format("{}() of a {}", name_of(op), describe(argument)),
                         fmt::format("{}() takes scalars", name_of(op))};
  return make_scalar(g.make(op, a[0](0), a.size() > 1 ? a[1](0) : -1));
}

// min(a, b, c, ...)
template <Op op> Tensor scalar_chain(Graph &g, const Arguments &a) {
  Tensor result = a[0];
  for (std::size_t i = 1; i < a.size(); ++i)
    result = scalar_function<op>(g, {result, a[i]});
  return result;
}

template <auto of_one> Tensor one(Graph &g, const Arguments &a) {
  return of_one(g, a[0]);
}
template <auto of_two> Tensor two(Graph &g, const Arguments &a) {
  return of_two(g, a[0], a[1]);
}

Tensor where(Graph &g, const Arguments &a) {
  return tensor::where(g, a[0], a[1], a[2]);
}

constexpr Function functions[] = {
    {"sqrt", 1, 1, scalar_function<Op::sqrt>},
    {"exp", 1, 1, scalar_function<Op::exp>},
    {"log", 1, 1, scalar_function<Op::log>},
    {"sin", 1, 1, scalar_function<Op::sin>},
    {"cos", 1, 1, scalar_function<Op::cos>},
    {"tan", 1, 1, scalar_function<Op::tan>},
    {"asin", 1, 1, scalar_function<Op::asin>},
    {"acos", 1, 1, scalar_function<Op::acos>},
    {"atan", 1, 1, scalar_function<Op::atan>},
    {"atan2", 2, 2, scalar_function<Op::atan2>},
    {"sinh", 1, 1, scalar_function<Op::sinh>},
    {"cosh", 1, 1, scalar_function<Op::cosh>},
    {"tanh", 1, 1, scalar_function<Op::tanh>},
    {"abs", 1, 1, scalar_function<Op::abs>},
    {"sign", 1, 1, scalar_function<Op::sign>},
    {"floor", 1, 1, scalar_function<Op::floor>},
    {"pow", 2, 2, scalar_function<Op::pow>},
    {"min", 2, any_number, scalar_chain<Op::min>},
    {"max", 2, any_number, scalar_chain<Op::max>},
    {"where", 3, 3, where},
    {"dot", 2, 2, two<tensor::dot>},
    {"inner", 2, 2, two<tensor::inner>},
    {"cross", 2, 2, two<tensor::cross>},
    {"outer", 2, 2, two<tensor::outer>},
    {"transpose", 1, 1, one<tensor::transpose>},
    {"sym", 1, 1, one<tensor::sym>},
    {"skew", 1, 1, one<tensor::skew>},
    {"tr", 1, 1, one<tensor::tr>},
    {"det", 1, 1, one<tensor::det>},
    {"inv", 1, 1, one<tensor::inv>},
    {"dev", 1, 1, one<tensor::dev>},
    {"norm", 1, 1, one<tensor::norm>},
};

} // namespace

const Function *find_function(const std::string &name) {
  const auto found = std::find_if(std::begin(functions), std::end(functions),
                                  [&](const Function &f) { return name == f.name; });
  return found == std::end(functions) ? nullptr : &*found;
}

const std::vector<std::string> &builtin_values() {
  static const std::vector<std::string> names = {"pi", "x", "y",         "z",       "X",
                                                 "t",  "n", "cell_size", "identity"};
  return names;
}

const std::vector<std::string> &builtin_operators() {
  static const std::vector<std::string> names = {"test",  "dt",   "grad", "div", "curl",
                                                 "minus", "plus", "avg",  "jump"};
  return names;
}

const std::vector<std::string> &builtin_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"and", "or", "not"};
    for (const auto *list : {&builtin_values(), &builtin_operators()})
      all.insert(all.end(), list->begin(), list->end());
    for (const Function &function : functions)
      all.push_back(function.name);
    return all;
  }();
  return names;
}

} // namespace weft
