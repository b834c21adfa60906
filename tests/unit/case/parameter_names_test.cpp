// Parameters are found by the names under which they are set, and what is no such name is told what
// asked and what there is.
#include "case/parameter_names.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

FormSpec form_with_parameters() {
  FormSpec form;
  form.parameters = {{.name = "h", .value = SourceText{.text = "25"}, .by_group = {}},
                     {.name = "k",
                      .value = {},
                      .by_group = {{"base", {.text = "390"}}, {"fins", {.text = "205"}}}}};
  return form;
}

Diagnostic refusal(const std::string &name, const ParameterRequest &request = {}) {
  try {
    find_parameter(form_with_parameters(), name, request);
  } catch (const Error &error) {
    EXPECT_EQ(int(error.kind()), int(ErrorKind::input));
    return error.diagnostic();
  }
  ADD_FAILURE() << name << " was found";
  return {};
}

TEST(ParameterNames, AreThoseOfValues) {
  const FormSpec form = form_with_parameters();
  const std::vector<std::string> names = parameter_names(form);
  EXPECT_EQ(names, (std::vector<std::string>{"h", "k.base", "k.fins"}));
  std::vector<std::string> values;
  for (const std::string &name : names)
    values.push_back(value_of(form, find_parameter(form, name)).text);
  EXPECT_EQ(values, (std::vector<std::string>{"25", "390", "205"}));
}

TEST(ParameterNames, OfNothingSayWhatThereIs) {
  EXPECT_EQ(refusal("kk").what, "a value of what is no parameter");
  EXPECT_EQ(refusal("kk").where, "[parameters]");
  EXPECT_EQ(refusal("kk").allowed, "h, k.base, k.fins");
  EXPECT_EQ(refusal("k").what, "a value of a parameter that has several values");
  EXPECT_EQ(refusal("k").allowed, "k.base, k.fins");
  EXPECT_EQ(refusal("k.fin").what, "a value of a parameter in a group that it has no value for");
  EXPECT_EQ(refusal("k.fin").remedy, "did you mean \"k.fins\"?");
  EXPECT_EQ(refusal("h.fins").what, "a value of a parameter in a group, which has none");
  EXPECT_EQ(refusal("h.fins").allowed, "h");
}

TEST(ParameterNames, SayWhatAsked) {
  const Diagnostic told = refusal("kk", {.what = "a gradient by", .where = "case.toml:15"});
  EXPECT_EQ(told.what, "a gradient by what is no parameter");
  EXPECT_EQ(told.where, "case.toml:15");
  EXPECT_EQ(told.found, "kk");
}

TEST(ParameterNames, MayBecomeSettable) {
  FormSpec form = form_with_parameters();
  make_settable(form, {"k.fins"});
  EXPECT_FALSE(form.parameters[0].settable);
  EXPECT_TRUE(form.parameters[1].settable);
  EXPECT_THROW(make_settable(form, {"k"}), Error);
}

} // namespace
} // namespace weft
