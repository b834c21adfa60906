// [verify]: on which meshes, with which elements, and what must come out.
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

// What a key of a box names, with its place.
struct Choice {
  std::string name;
  std::string where;
};

// `e`: a text or a list of them. Error (input): an empty list.
std::vector<Choice> choices_of(const Entry &e, const std::vector<std::string> &allowed) {
  if (e.value->is_string())
    return {{text_of(e), e.where()}};
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < e.value->as_array()->size(); ++i) {
    const Entry element = element_of(e, i);
    choices.push_back({text_of(element), element.where()});
  }
  if (choices.empty())
    throw Error(ErrorKind::input, {.what = "an empty list",
                                   .where = e.where(),
                                   .found = "[]",
                                   .allowed = "one or more of " + join_names(allowed),
                                   .remedy = fmt::format("name one, such as \"{}\"", allowed[0])});
  return choices;
}

// Error (input): the combination is there already.
void add_combination(std::vector<VerifyCombination> &combinations, VerifyCombination added) {
  for (const VerifyCombination &known : combinations)
    if (known.name() == added.name())
      throw Error(ErrorKind::input,
                  {.what = "a combination of cells and element that is there already",
                   .where = added.where,
                   .found = fmt::format("{}, as at {}", added.name(), known.where),
                   .allowed = "each combination once",
                   .remedy = "leave it out of one of the two"});
  combinations.push_back(std::move(added));
}

// Elements that a case on a mesh of its own may have in every field.
std::vector<std::string> cell_elements() {
  std::vector<std::string> elements = field_elements();
  std::erase(elements, "R");
  return elements;
}

// Every type of cells with every element of one of the boxes.
void read_combinations(const Entry &e, const std::vector<std::string> &cells,
                       std::vector<VerifyCombination> &combinations) {
  const auto cell = child_of(e, "cell");
  const auto element = child_of(e, "element");
  if (!element)
    throw Error(ErrorKind::input, {.what = "a box without the elements that are verified on it",
                                   .where = e.where(),
                                   .allowed = join_names(cell_elements()),
                                   .remedy = "add element = [\"P1\", \"P2\"]"});
  const std::vector<Choice> types =
      cell ? choices_of(*cell, cells) : std::vector<Choice>{{BoxSpec().cell, e.where()}};
  for (const Choice &type : types)
    for (const Choice &choice : choices_of(*element, cell_elements()))
      add_combination(
          combinations,
          {.box = read_box(e, type.name), .element = choice.name, .where = choice.where});
}

Declaration boxes_key(VerifySpec &verify) {
  std::vector<Declaration> keys = box_keys();
  std::vector<std::string> cells;
  for (Declaration &key : keys)
    if (key.key == "cell") {
      key.types |= type_texts;
      key.description = "type of the cells, or several";
      cells = key.allowed;
    }
  Declaration element =
      declare_key("element", type_text | type_texts, "of every field, as in [fields]; or several");
  element.allowed = cell_elements();
  keys.push_back(element);
  Declaration boxes = declare_key(
      "boxes", type_tables,
      "in place of the mesh and of the elements of the fields, one after another: boxes as in "
      "[mesh], each with the elements that are verified on it. Of a case on a box of three "
      "dimensions, one of two is the side z = 0: what is said of z0 and z1 falls away. Default: "
      "the case as it is written");
  boxes.children = std::move(keys);
  boxes.read = [&verify, cells](const Entry &e) {
    verify.combinations.clear();
    for (std::size_t i = 0; i < e.value->as_array()->size(); ++i)
      read_combinations(element_of(e, i), cells, verify.combinations);
    if (verify.combinations.empty())
      throw Error(ErrorKind::input,
                  {.what = "an empty list",
                   .where = e.where(),
                   .found = "[]",
                   .allowed = "tables such as { cell = \"triangle\", cells = [8, 8], element = "
                              "[\"P1\", \"P2\"] }",
                   .remedy = "leave boxes out to verify the case as it is written"});
  };
  return boxes;
}

Declaration expected_order(VerifySpec &verify) {
  Declaration order =
      declare_key("<field>", type_real | type_text,
                  "expected order of its L2 error; `optimal`: the degree of its element + 1");
  order.allowed = {"optimal"};
  order.read = [&verify](const Entry &e) {
    const bool optimal = e.value->is_string();
    verify.expect.emplace_back(e.key, optimal ? 0 : real_of(e));
    if (optimal)
      verify.expect_optimal.push_back(e.key);
  };
  return order;
}

} // namespace

Declaration verify_declaration(Case &c) {
  VerifySpec &verify = c.verify;
  Declaration time_order = declare_key("<field>", type_real, "expected order in time");
  time_order.read = [&verify](const Entry &e) {
    verify.expect_time.emplace_back(e.key, real_of(e));
  };
  return declare_table(
      "verify", "`weft verify`: convergence under refinement.",
      {bind_integer(
           "refine", verify.refine,
           "meshes, each with half the cell size: boxes with cells doubled, geometries meshed "
           "anew, meshes of files with every cell split",
           {.at_least = 2, .at_most = 12}),
       boxes_key(verify),
       declare_table("expect", "exit code 1 below an expected order - 0.2",
                     {expected_order(verify)}),
       declare_table("expect_time",
                     "the same in time, with steps halved on the case's mesh: of the change from "
                     "one to the next of the state at the end",
                     {time_order})});
}

} // namespace weft
