// Search spaces: which variants are candidates, and what is said of one that is not.
#include "tune/search/search_space.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

// Blocks have leaves, cells have none and few lanes.
SearchSpace small_space() {
  return {.kernel = "fem_integrate",
          .parameters = {{"strategy", {"block", "cell"}},
                         {"lanes", {"4", "8", "16"}},
                         {"leaves", {"-", "2", "4"}}},
          .constraints = {{"leaves only with strategy block",
                           [](const Variant &v) {
                             return (v.value("strategy") == "block") == (v.value("leaves") != "-");
                           },
                           {"strategy", "leaves"}},
                          {"at most 8 lanes with strategy cell", [](const Variant &v) {
                             return v.value("strategy") != "cell" || v.number("lanes", 0) <= 8;
                           }}}};
}

std::string message_of(const SearchSpace &space, const std::string &variant) {
  try {
    check_variant(space, variant_from_string(variant), "old.json");
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

void expect_parts(const std::string &message, const std::vector<std::string> &parts) {
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" in\n" << message;
}

TEST(SearchSpace, CandidatesAreTheProductWithinTheConstraints) {
  std::vector<std::string> found;
  for (const Variant &variant : candidates(small_space()))
    found.push_back(to_string(variant));
  const std::vector<std::string> expected = {
      "strategy=block lanes=4 leaves=2",  "strategy=block lanes=4 leaves=4",
      "strategy=block lanes=8 leaves=2",  "strategy=block lanes=8 leaves=4",
      "strategy=block lanes=16 leaves=2", "strategy=block lanes=16 leaves=4",
      "strategy=cell lanes=4 leaves=-",   "strategy=cell lanes=8 leaves=-"};
  EXPECT_EQ(found, expected);
}

TEST(SearchSpace, ConstraintsAreCheckedAsSoonAsTheyAreKnown) {
  // 2^40 variants, all but one of which the first parameter rules out.
  SearchSpace space{.kernel = "wide"};
  for (int p = 0; p < 40; ++p)
    space.parameters.push_back({"p" + std::to_string(p), {"0", "1"}});
  for (const Parameter &parameter : space.parameters)
    space.constraints.push_back(
        {"zero",
         [name = parameter.name](const Variant &v) { return v.value(name) == "0"; },
         {parameter.name}});
  EXPECT_EQ(candidates(space).size(), 1u);
}

TEST(SearchSpace, ASpaceWithoutParametersHasOneVariant) {
  EXPECT_EQ(candidates({.kernel = "plain"}).size(), 1u);
}

TEST(SearchSpace, VariantsAreTextAndBack) {
  const Variant variant = variant_from_string("strategy=block  lanes=8 leaves=-");
  EXPECT_EQ(to_string(variant), "strategy=block lanes=8 leaves=-");
  EXPECT_EQ(variant.value("strategy"), "block");
  EXPECT_EQ(variant.value("geometry"), "");
  EXPECT_EQ(variant.number("lanes", 0), 8);
  EXPECT_EQ(variant.number("leaves", 7), 7);
  EXPECT_EQ(variant.number("strategy", 7), 7);
  EXPECT_EQ(variant.number("batches", 7), 7);
  EXPECT_EQ(variant_from_string(to_string(variant)), variant);
  for (const char *wrong : {"block", "=block", "strategy=", "lanes=4 lanes=8"})
    EXPECT_THROW(variant_from_string(wrong), Error) << wrong;
}

TEST(SearchSpace, AVariantOfTheSpacePassesInAnyOrder) {
  EXPECT_EQ(message_of(small_space(), "strategy=cell lanes=8 leaves=-"), "");
  EXPECT_EQ(message_of(small_space(), "leaves=2 strategy=block lanes=16"), "");
  EXPECT_EQ(to_string(in_order(small_space(),
                               variant_from_string("leaves=2 strategy=block colour=red lanes=16"))),
            "strategy=block lanes=16 leaves=2");
}

TEST(SearchSpace, MessagesNameWhatIsNotAllowedAndWhatIs) {
  const SearchSpace space = small_space();
  expect_parts(message_of(space, "strategy=block lanes=32 leaves=2"),
               {"\"lanes\"", "fem_integrate", "old.json", "32", "4, 8, 16"});
  expect_parts(message_of(space, "strategy=block lane=8 leaves=2"),
               {"no parameter \"lane\"", "old.json", "did you mean lanes?"});
  expect_parts(message_of(space, "strategy=block leaves=2"),
               {"without parameter \"lanes\"", "old.json", "4, 8, 16"});
  expect_parts(message_of(space, "strategy=cell lanes=16 leaves=-"),
               {"not possible", "old.json", "strategy=cell lanes=16 leaves=-",
                "at most 8 lanes with strategy cell"});
}

} // namespace
} // namespace weft
