// [verify] boxes: combinations of a type of cells and an element, and the case read on one of them.
#include "support/case_text.h"

namespace weft {
namespace {

// In three dimensions, with lines for what falls away in two.
const std::string cube = R"toml([mesh]
box = { cells = [2, 2, 2], cell = "hexahedron" }
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T))) - z*test(T)"
facets.x1 = "T*test(T)"
facets.z1 = "2*T*test(T)"
[dirichlet]
x0 = { T = "z" }
z0 = { T = 0 }
[functionals]
T_0 = { point = [0, 0, 0], value = "T" }
[exact]
T = "x"
[output]
probes = [[0, 0, 0]]
[verify]
expect = { T = "optimal" }
boxes = [
  { cells = [8, 4], distort = 0.1, element = ["P1", "P2"] },
  { cell = ["tetrahedron", "prism"], cells = [3, 3, 3], size = [1, 2, 3], element = "P2" },
]
)toml";

Case on(const std::string &combination) {
  return read_case_text(cube, "case.toml", {}, false, combination);
}

TEST(Combinations, AreEveryCellWithEveryElementOfABox) {
  const auto combinations = on("").verify.combinations;
  std::vector<std::string> names;
  for (const VerifyCombination &c : combinations)
    names.push_back(c.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"triangle P1", "triangle P2", "tetrahedron P2", "prism P2"}));
  EXPECT_EQ(combinations[1].box.dim, 2);
  EXPECT_EQ(combinations[1].box.cells, (std::array<int, 3>{8, 4, 1}));
  EXPECT_DOUBLE_EQ(combinations[1].box.distort, 0.1);
  EXPECT_EQ(combinations[1].where, "case.toml:21: [verify] boxes[0].element[1]");
  EXPECT_EQ(combinations[3].box.size, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(combinations[3].where, "case.toml:22: [verify] boxes[1].element");
}

TEST(Combinations, CaseIsAsItIsWrittenWithoutOne) {
  const Case c = on("");
  EXPECT_EQ(c.mesh.box->cell, "hexahedron");
  EXPECT_EQ(c.form.fields[0].order, 1);
  EXPECT_EQ(c.dirichlet.size(), 2u);
  EXPECT_FALSE(c.form.in_plane);
  EXPECT_EQ(c.verify.expect[0], (std::pair<std::string, double>("T", 2)));
}

TEST(Combinations, MeshAndElementAreThoseOfTheCombination) {
  const Case c = on("prism P2");
  EXPECT_EQ(c.mesh.box->cell, "prism");
  EXPECT_EQ(c.mesh.box->cells, (std::array<int, 3>{3, 3, 3}));
  EXPECT_EQ(c.form.fields[0].order, 2);
  EXPECT_EQ(c.verify.expect[0], (std::pair<std::string, double>("T", 3)));
  EXPECT_EQ(c.dirichlet.size(), 2u);
  EXPECT_EQ(c.form.integrals.size(), 3u);
  EXPECT_EQ(c.functionals.size(), 1u);
}

TEST(Combinations, InThePlaneWhatIsSaidOfSidesAlongZFallsAway) {
  const Case c = on("triangle P2");
  EXPECT_TRUE(c.form.in_plane);
  ASSERT_EQ(c.dirichlet.size(), 1u);
  EXPECT_EQ(c.dirichlet[0].group, "x0");
  ASSERT_EQ(c.form.integrals.size(), 2u);
  EXPECT_EQ(c.form.integrals[1].groups, std::vector<std::string>{"x1"});
  EXPECT_TRUE(c.functionals.empty());
  EXPECT_TRUE(c.output.probes.empty());
}

TEST(Combinations, InThePlaneStatesOutsideFallAwayToo) {
  std::string law = small_law;
  law.replace(law.find("[2, 2]"), 6, "[2, 2, 2], cell = \"hexahedron\"");
  law += "[boundary]\nz0 = { outer = { p = 0 } }\nx0 = { outer = { p = 0 } }\n[verify]\n"
         "boxes = [{ cells = [2, 2], element = [\"DG1\", \"DG2\"] }]\n";
  const Case c = read_case_text(law, "case.toml", {}, false, "triangle DG2");
  ASSERT_EQ(c.form.boundaries.size(), 1u);
  EXPECT_EQ(c.form.boundaries[0].group, "x0");
  for (const FieldSpec &field : c.form.fields)
    EXPECT_EQ(field.element(), "DG2");
}

TEST(Combinations, UnknownOneNamesThoseThereAre) {
  try {
    on("wedge P1");
    FAIL() << "a combination that is not there was taken";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_TRUE(contains(e.what(), "triangle P1, triangle P2, tetrahedron P2, prism P2"))
        << e.what();
  }
}

struct WrongBoxes {
  const char *boxes;
  const char *place;
  const char *part; // of the message
};

class CombinationsWrong : public testing::TestWithParam<WrongBoxes> {};

TEST_P(CombinationsWrong, AreAnInputErrorWithItsLine) {
  const Error e = error_of(small_case + "[verify]\nboxes = " + GetParam().boxes + "\n");
  EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
  EXPECT_TRUE(e.diagnostic().where.ends_with(GetParam().place)) << e.what();
  EXPECT_TRUE(contains(e.what(), GetParam().part)) << e.what();
  EXPECT_FALSE(e.diagnostic().allowed.empty()) << e.what();
}

INSTANTIATE_TEST_SUITE_P(
    All, CombinationsWrong,
    testing::Values(
        WrongBoxes{"[]", "case.toml:9: [verify] boxes", "leave boxes out"},
        WrongBoxes{"[\"triangle\"]", "case.toml:9: [verify] boxes", "array of tables"},
        WrongBoxes{"[\n{ cell = \"wedge\", cells = [2, 2, 2], element = \"P1\" }]",
                   "case.toml:10: [verify] boxes[0].cell", "pyramid"},
        WrongBoxes{"[\n{ cell = [\"prism\",\n\"prysm\"], cells = [2, 2, 2], element = \"P1\" }]",
                   "case.toml:11: [verify] boxes[0].cell[1]", "did you mean \"prism\"?"},
        WrongBoxes{"[{ cells = [2, 2], element = [\"P1\", \"P12\"] }]",
                   "case.toml:9: [verify] boxes[0].element[1]", "did you mean \"P1\"?"},
        WrongBoxes{"[{ cells = [2, 2], element = [] }]", "case.toml:9: [verify] boxes[0].element",
                   "name one, such as \"P1\""},
        WrongBoxes{"[{ cell = [], cells = [2, 2], element = \"P1\" }]",
                   "case.toml:9: [verify] boxes[0].cell", "one or more of triangle"},
        WrongBoxes{"[{ cells = [2, 2] }]", "case.toml:9: [verify] boxes[0]",
                   "add element = [\"P1\", \"P2\"]"},
        WrongBoxes{"[{ cells = [2, 2], elements = \"P1\" }]",
                   "case.toml:9: [verify] boxes[0].elements", "did you mean \"element\"?"},
        WrongBoxes{"[{ cell = [\"triangle\", \"prism\"], cells = [2, 2], element = \"P1\" }]",
                   "case.toml:9: [verify] boxes[0].cells", "3 numbers, one a direction"},
        WrongBoxes{"[{ cells = [2, 2], element = [\"P1\", \"P1\"] }]",
                   "case.toml:9: [verify] boxes[0].element[1]", "boxes[0].element[0]"},
        WrongBoxes{"[\n{ cells = [2, 2], element = [\"P2\", \"P1\"] },\n"
                   "{ cell = \"triangle\", cells = [4, 4], element = \"P1\" }]",
                   "case.toml:11: [verify] boxes[1].element", "leave it out of one of the two"}));

TEST(CombinationsWrong, BoxWithoutNumbersOfCells) {
  const Error e = error_of(small_case + "[verify]\nboxes = [{ element = \"P1\" }]\n");
  EXPECT_TRUE(contains(e.what(), "case.toml:9: [verify] boxes[0]: a box needs the number"))
      << e.what();
}

TEST(CombinationsWrong, FieldsOfDifferentElements) {
  const std::string text = "[verify]\nboxes = [{ cells = [2, 2], element = \"P1\" }]\n"
                           "[fields.S]\nelement = \"P2\"\n";
  const Error e = error_of(small_case + text);
  EXPECT_TRUE(contains(e.what(), "case.toml:9: [verify] boxes[0].element")) << e.what();
  EXPECT_TRUE(contains(e.what(), "P1 of T, P2 of S")) << e.what();
}

TEST(CombinationsWrong, ElementOfOtherEquations) {
  const std::string text =
      small_case + "[verify]\nboxes = [{ cells = [2, 2], element = [\"P2\", \"FV\"] }]\n";
  EXPECT_NO_THROW(read_case_text(text, "case.toml", {}, false, "triangle P2"));
  EXPECT_THROW(read_case_text(text, "case.toml", {}, false, "triangle FV"), Error);
}

TEST(CombinationsWrong, OrderThatIsNoNumber) {
  const Error e = error_of(small_case + "[exact]\nT = 1\n[verify]\nexpect = { T = \"optmal\" }\n");
  EXPECT_TRUE(contains(e.what(), "did you mean \"optimal\"?")) << e.what();
}

} // namespace
} // namespace weft
