// What the tests of forms share: specs written in a line or two, values at points.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "form/weak_form/form.h"

namespace weft::testing {

inline SourceText text(const std::string &expression, const std::string &key = "key") {
  return {.text = expression, .file = "case.toml", .line = 7, .key = key};
}

inline ParameterSpec parameter(const std::string &name, const std::string &value) {
  return {.name = name, .value = text(value, "[parameters] " + name)};
}

inline ParameterSpec by_group(const std::string &name,
                              const std::map<std::string, std::string> &values) {
  ParameterSpec result{.name = name};
  for (const auto &[group, value] : values)
    result.by_group[group] = text(value, "[parameters] " + name);
  return result;
}

inline DefinitionSpec definition(const std::string &name, const std::string &value) {
  return {name, text(value, "[definitions] " + name)};
}

inline IntegralSpec integral(Domain domain, const std::string &integrand,
                             std::vector<std::string> groups = {}) {
  return {domain, std::move(groups), text(integrand, "[weak_form]")};
}

// A scalar field u and a vector field v of the dimension.
inline FormSpec two_fields(int dim) {
  return {.dim = dim, .fields = {{.name = "u"}, {.name = "v", .shape = {dim}, .order = 2}}};
}

inline FormSpec one_field(int dim, const std::string &integrand, Shape shape = {}) {
  return {.dim = dim,
          .fields = {{.name = "u", .shape = std::move(shape)}},
          .integrals = {integral(Domain::cells, integrand)}};
}

// The outputs at one point.
using SymbolValue = std::function<double(const Symbol &)>;
inline std::vector<double> values_at(const PointwiseFunction &function, const SymbolValue &value) {
  std::vector<double> inputs;
  for (const Symbol &symbol : function.symbols)
    inputs.push_back(value(symbol));
  std::size_t next = 0;
  std::vector<std::vector<double>> outputs;
  evaluate(
      function, 1, [&](const Symbol &) { return std::span(&inputs[next++], 1); }, outputs);
  std::vector<double> result;
  for (const auto &output : outputs)
    result.push_back(output[0]);
  return result;
}

// A value in (0.2, 1.2) for every symbol, always the same for the same symbol.
inline double some_value(const Symbol &s) {
  const unsigned h = 31u * static_cast<unsigned>(s.kind) + 7u * s.index + 13u * s.component +
                     101u * s.direction + 57u * static_cast<unsigned>(s.side) + 211u * s.order;
  return 0.2 + static_cast<double>((h * 2654435761u) >> 8) / (1u << 24);
}

// The message of the input error that `make` must throw.
inline std::string input_error(const std::function<void()> &make) {
  try {
    make();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline void expect_in(const std::string &part, const std::string &message) {
  EXPECT_NE(message.find(part), std::string::npos) << "missing: " << part << "\nin: " << message;
}

} // namespace weft::testing
