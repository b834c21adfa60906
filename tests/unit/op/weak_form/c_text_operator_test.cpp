// Forms as C text against the same forms as expressions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "device/host/host_device.h"
#include "form/expression/c_names.h"
#include "form/weak_form/c_syntax.h"
#include "form/weak_form/c_text.h"
#include "linalg/colouring.h"
#include "op/problem/discretisation.h"
#include "op/set_up/colour_dofs.h"
#include "op/weak_form/form_operator.h"
#include "support/build_only_device.h"
#include "support/difference.h"
#include "support/discrete_problem.h"
#include "support/need_nvrtc.h"
#include "support/test_device.h"

namespace weft {
namespace {

struct Values {
  std::vector<double> residual, applied, diagonal;
};

// At a state and a direction that are the same for every operator of a size.
Values values_of(const Discretisation &d, const OperatorSettings &settings,
                 Device &device = test_device()) {
  FormOperator op(device, d, settings);
  std::vector<double> state(op.size()), direction(op.size());
  for (std::int64_t i = 0; i < op.size(); ++i) {
    state[i] = 1.5 + std::sin(0.7 * static_cast<double>(i));
    direction[i] = 0.2 + std::cos(0.4 * static_cast<double>(i));
  }
  Vector u = make_vector(device, op.size(), settings.precision, "state");
  Vector x = make_vector(device, op.size(), settings.precision, "direction");
  Vector y = make_vector(device, op.size(), settings.precision, "result");
  set_vector(device, u, state);
  set_vector(device, x, direction);
  Values values;
  op.residual(u, y);
  values.residual = get_vector(device, y);
  op.linearise(u);
  op.apply(x, y);
  values.applied = get_vector(device, y);
  op.diagonal(y);
  values.diagonal = get_vector(device, y);
  return values;
}

// Every strategy once, with every geometry source and precision among them; few lanes, which
// compile quickly.
const OperatorSettings choices[] = {
    {.precision = Precision::f64, .strategy = Strategy::transposed, .lanes = 2},
    {.precision = Precision::f32,
     .strategy = Strategy::cell,
     .geometry = GeometrySource::stored,
     .lanes = 4},
    {.precision = Precision::f64, .strategy = Strategy::block, .lanes = 2}};

void expect_same(const std::string &head, const std::string &expressions, const std::string &c) {
  const DiscreteProblem reference(head + expressions, {}, 3), problem(head + c, {}, 3);
  EXPECT_TRUE(reference.d.form.c_text.empty());
  ASSERT_FALSE(problem.d.form.c_text.empty());
  EXPECT_FALSE(problem.d.form.linear);
  EXPECT_FALSE(problem.d.form.symmetric);
  const Values expected = values_of(reference.d, {.strategy = Strategy::cell, .lanes = 2});
  for (const OperatorSettings &settings : choices) {
    SCOPED_TRACE(to_string(*settings.strategy) + " " + to_string(settings.precision));
    const Values found = values_of(problem.d, settings);
    const bool f64 = settings.precision == Precision::f64;
    EXPECT_LT(difference(found.residual, expected.residual), f64 ? 1e-13 : 2e-5);
    EXPECT_LT(difference(found.applied, expected.applied), f64 ? 1e-8 : 2e-3);
    EXPECT_LT(difference(found.diagonal, expected.diagonal), f64 ? 1e-8 : 2e-3);
  }
}

TEST(CText, PoissonIsTheSameAsTheExpression) {
  const std::string head = box_text("triangle") + R"TOML(
[parameters]
k = 2.5
[fields]
T = { element = "P1" }
[dirichlet]
x0 = { T = 1 }
)TOML";
  expect_same(head, R"TOML([pointwise]
T = { f0 = "-x*(1 + y)", f1 = "k*grad(T)" }
)TOML",
              R"TOML([pointwise.T]
language = "c"
f0 = "f0 = -x*(1 + X[1]);"
f1 = """
for (int d = 0; d < dim; ++d)
  f1[d] = k*grad_T[d];
"""
)TOML");
}

TEST(CText, NonLinearFormWithFacetTermsReadsAuxiliaryFieldsParametersAndDefinitions) {
  const std::string head = box_text("tetrahedron") + R"TOML(
[parameters]
k = { box = 1.7 }
c = "1 + x*y"
b = [0.3, 0.2, -0.5]
[fields]
T = { element = "P2" }
[auxiliary]
a = { element = "P1", value = "1 + x" }
e = { element = "DG0", value = "2 - y" }
[definitions]
q = "T^3 + cell_size"
[weak_form]
facets.x1 = "(T - 2)*T*test(T) + dot(n, grad(T))*test(T)"
[dirichlet]
x0 = { T = "1 + y" }
)TOML";
  expect_same(head, R"TOML([pointwise]
T = { f0 = "e*q + dot(b, grad(a))*T", f1 = "(k + c*a*exp(-T^2))*grad(T)" }
)TOML",
              R"TOML([pointwise.T]
language = "c"
f0 = """
// n is no name of cells, and so free for other things: "T", 'a'
real n = e*q;
for (int d = 0; d < dim; ++d)
  n += b[d]*grad_a[d]*T;
f0 = n;
return;
"""
f1 = """
real k_eff = k + c*a*exp(-T*T); /* x, y */
for (int d = 0; d < dim; ++d)
  f1[d] = k_eff*grad_T[d];
"""
)TOML");
}

TEST(CText, ElasticityOfVectorsOnHexahedra) {
  const std::string head = box_text("hexahedron", 1, 0.2, "[2, 2, 2]") + R"TOML(
[parameters]
mu = 0.7
lam = 1.3
[fields]
u = { element = "P1", shape = "vector" }
[definitions]
eps = "sym(grad(u))"
[dirichlet]
x0 = { u = [0, 1, 2] }
y0 = { "u[1]" = 0.5 }
)TOML";
  expect_same(head, R"TOML([pointwise]
u = { f0 = "[0, 0, -u[0]]", f1 = "2*mu*eps + lam*tr(eps)*identity" }
)TOML",
              R"TOML([pointwise.u]
language = "c"
f0 = "f0[2] = -u[0];"
f1 = """
real trace = 0;
for (int d = 0; d < dim; ++d)
  trace += grad_u[d][d];
for (int k = 0; k < dim; ++k)
  for (int d = 0; d < dim; ++d)
    f1[k][d] = 2*mu*eps[k][d] + (k == d ? lam*trace : 0);
"""
)TOML");
}

TEST(CText, MissingPartIsZero) {
  expect_same(box_text("quadrilateral") + "[fields]\nT = { element = \"P1\" }\n",
              "[pointwise]\nT = { f1 = \"grad(T)\" }\n",
              "[pointwise]\nT = { f1 = \"f1[0] = grad_T[0]; f1[1] = grad_T[1];\", language = "
              "\"c\" }\n");
}

std::string unknown_name_case() {
  return box_text("triangle") + R"TOML([fields]
T = { element = "P1" }
[pointwise.T]
language = "c"
f0 = "f0 = T;"
f1 = """
f1[0] = grad_T[0];
f1[1] = conductivity*grad_T[1];
"""
)TOML";
}

void expect_unknown_name(const Error &error) {
  EXPECT_EQ(error.kind(), ErrorKind::input);
  const std::string text = unknown_name_case(), where = error.diagnostic().where;
  const auto line = std::count(text.begin(), text.begin() + text.find("conductivity"), '\n') + 1;
  EXPECT_NE(where.find(".toml:" + std::to_string(line) + ": [pointwise] T.f1"), std::string::npos)
      << where;
  EXPECT_NE(error.diagnostic().found.find("conductivity"), std::string::npos) << error.what();
}

TEST(CText, MessagesNameLineAndKey) {
  try {
    const DiscreteProblem problem(unknown_name_case());
    FAIL() << "the name is unknown";
  } catch (const Error &error) {
    expect_unknown_name(error);
  }
}

TEST(CText, CompilerMessagesAboutTrustedTextNameLineAndKey) {
  const DiscreteProblem problem(unknown_name_case(), {}, {}, true);
  FormOperator op(test_device(), problem.d, {});
  try {
    op.launches(IntegralKind::residual);
    FAIL() << "undeclared names do not compile";
  } catch (const Error &error) {
    expect_unknown_name(error);
  }
}

// All kinds of statements give what C gives, here for both ways of the text to a compiler.
TEST(CText, MeansWhatCMeans) {
  const std::string text = box_text("quadrilateral") + R"TOML([parameters]
kappa = 0.3
c = [0.5, 0.25]
[fields]
T = { element = "P1" }
[pointwise.T]
language = "c"
f0 = """
// A table, looked up with an index that is kept inside.
const int n = 2*dim;
const real table[n + 1] = {1, 1.5, 2.5, 4};
int i = (int)floor(T*2); if (i < 0) i = 0; else if (i > n - 1) i = n - 1;
real value = table[i] + (T*2 - i)*(table[i + 1] - table[i]);
/* Newton's iteration for a cube root */ real root = 1, before;
for (int step = 0; step < 30; ++step) {
  before = root;
  root -= (root*root*root - 2 - x)/(3*root*root);
  if (fabs(root - before) < 1e-15*root) break;
}
real sums[2][2] = {{0, 1}}; int count = 0; bool odd;
for (int a = 3; a >= 0; --a) {
  if (a % 2 == 1) continue;
  for (int b = a; b <= 3 && b < 10; b += 2) { sums[b % 2][a/2] += b - a*2; count += 1; }
}
odd = count % 2 != 0;
sums[1][1] = sums[1][0] = - -1.5e0f;
if (odd) if (x > 0.5) value *= 2; else value *= -3;
f0 = value*root + pow(y, 2.0) - max(x, 0.3) + (odd ? sums[0][0] : -sums[0][1]) + c[1]*kappa
     + min(count, 3) + abs(count - 9)/4 + isnan(x) + !odd - (7 - 3 - 2)*(4/(1 + 1))/(real)2;
return;
f0 = 0;
"""
f1 = "f1[0] = grad_T[0]; for (int d = 1; d < dim; d++) { f1[d] += c[d]*grad_T[d]; }"
)TOML";
  const DiscreteProblem subset(text, {}, 3), whole(text, {}, 3, true);
  ASSERT_TRUE(subset.d.form.c_text.functions[0].f0->program);
  ASSERT_FALSE(whole.d.form.c_text.functions[0].f0->program);
  const OperatorSettings settings{.strategy = Strategy::cell, .lanes = 2};
  const Values found = values_of(subset.d, settings), expected = values_of(whole.d, settings);
  EXPECT_EQ(found.residual, expected.residual);
  EXPECT_EQ(found.applied, expected.applied);
  const auto [least, most] = std::minmax_element(found.residual.begin(), found.residual.end());
  EXPECT_GT(*most - *least, 0.1);
}

std::string vector_case(const std::string &law) {
  return R"TOML(
[fields]
u = { element = "P1", shape = "vector" }
[pointwise.u]
language = "c"
f0 = "f0[1] = )TOML" +
         law + R"TOML(;"
f1 = """
real work[dim] = {1, 2};
for (int k = 0; k < dim; ++k)
  for (int d = 0; d < dim; ++d)
    f1[k][d] = work[d]*grad_u[k][d];
"""
)TOML";
}

TEST(CText, IsTheSameInTheHostDialect) {
  // Which has no functions of C's library.
  const DiscreteProblem problem(box_text("triangle") + vector_case("u[0]*u[0]*x"), {}, 2);
  const OperatorSettings settings{.strategy = Strategy::cell, .lanes = 4};
  const Values expected = values_of(problem.d, settings);
  const std::unique_ptr<Device> host = open_host_device();
  const Values found = values_of(problem.d, settings, *host);
  EXPECT_LT(difference(found.residual, expected.residual), 1e-13);
  EXPECT_LT(difference(found.applied, expected.applied), 1e-8);
  EXPECT_LT(difference(found.diagonal, expected.diagonal), 1e-8);
}

// Says that it is a GPU, and compiles for one instead of launching anything.
class CompilingDevice : public BuildOnlyDevice {
public:
  CompilingDevice() : BuildOnlyDevice(gpu_info()) { need_nvrtc(); }
  Program build(const ProgramSource &source) override {
    built.push_back(source.name);
    compile_cuda(source, "sm_90");
    return {};
  }
  std::vector<std::string> built;

private:
  static DeviceInfo gpu_info() {
    DeviceInfo info = open_host_device()->info();
    info.backend = "cuda";
    info.is_cpu = false;
    info.max_work_group = 1024;
    return info;
  }
};

TEST(CText, CompilesAsCuda) {
  const DiscreteProblem problem(box_text("triangle") + vector_case("exp(-u[0])*fmax(x, y)"), {}, 2);
  for (const Strategy strategy : {Strategy::transposed, Strategy::cell}) {
    CompilingDevice device;
    FormOperator op(device, problem.d, {.strategy = strategy});
    EXPECT_EQ(op.launches(IntegralKind::residual).size(), 1);
    const auto built = [&](const std::string &start) {
      return std::any_of(device.built.begin(), device.built.end(),
                         [&](const std::string &name) { return name.starts_with(start); });
    };
    EXPECT_TRUE(built("residual_form_triangle"));
    EXPECT_TRUE(built("difference_f64"));
  }
}

// A call of each function that C text may have, with arguments of several types in turn.
std::string calls_of_all_functions() {
  std::string text = "real s = 0; int w = dim; double d = x; float e = y;\n";
  const std::vector<std::string> arguments = {"x", "d", "e", "w", "2", "1.5f"};
  std::size_t turn = 0;
  for (const std::string &name : c_function_names()) {
    const CFunction &f = *find_c_function(name);
    text += "s += " + name + "(";
    for (int i = 0; i < f.arguments; ++i)
      text += (i > 0 ? ", " : "") +
              (f.of == CFunction::Of::wholes ? "w" : arguments[turn++ % arguments.size()]);
    text += ");\n";
  }
  return text;
}

TEST(CText, EveryFunctionCompilesForOpenClAndCuda) {
  const DiscreteProblem problem(box_text("triangle") + R"TOML([fields]
u = { element = "P1" }
[pointwise.u]
language = "c"
f0 = """
)TOML" + calls_of_all_functions() + "f0 = s + min(w, 1) + max(w, 1);\"\"\"\n",
                                {}, 2);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const OperatorSettings settings{.precision = precision, .strategy = Strategy::cell, .lanes = 1};
    FormOperator op(test_device(), problem.d, settings);
    EXPECT_EQ(op.launches(IntegralKind::residual).size(), 1);
    CompilingDevice device;
    FormOperator on_cuda(device, problem.d, {.precision = precision, .strategy = Strategy::cell});
    EXPECT_EQ(on_cuda.launches(IntegralKind::residual).size(), 1);
  }
}

TEST(CText, NamesWithAMeaningOfTheirOwnAreRefused) {
  try {
    DiscreteProblem(box_text("triangle") +
                    "[parameters]\ndim = 2\n[fields]\nT = { element = \"P1\" }\n"
                    "[pointwise]\nT = { f0 = \"f0 = dim;\", language = \"c\" }\n");
    FAIL() << "the parameter dim hides the dimension";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("dim"), std::string::npos);
  }
}

TEST(CText, NamesOfATextLeaveOutCommentsAndLiterals) {
  EXPECT_EQ(names_in_c_text("a = b1*1e5f + 0x1p3; // c\n/* d \n e */ g_h(\"i\\\"j\", 'k') + a"),
            (std::vector<std::string>{"a", "b1", "g_h"}));
  EXPECT_TRUE(names_in_c_text("/* a").empty());
  EXPECT_TRUE(names_in_c_text("\"a").empty());
}

TEST(Colouring, NoTwoDofsOfACellShareAColour) {
  for (const char *cell : all_cells) {
    const DiscreteProblem problem(box_text(cell) + R"TOML([fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + p*test(p)"
)TOML");
    const Discretisation &d = problem.d;
    const Colouring colouring = colour_dofs(d);
    EXPECT_EQ(colouring.colours, colour_dofs(d).colours);
    for (std::size_t s = 0; s < d.mesh->sets.size(); ++s)
      for (std::int64_t c = 0; c < d.mesh->sets[s].num_cells(); ++c) {
        std::vector<std::int32_t> colours;
        for (int field = 0; field < 2; ++field) {
          const NodeMapSet &set = d.map_of_field(field).sets[s];
          const int nodes = set.element.num_nodes(), k = d.form.fields[field].components();
          for (int i = 0; i < nodes * k; ++i)
            colours.push_back(colouring.colours[d.field_offset[field] +
                                                set.nodes[c * nodes + i / k] * k + i % k]);
        }
        std::sort(colours.begin(), colours.end());
        EXPECT_EQ(std::adjacent_find(colours.begin(), colours.end()), colours.end());
        EXPECT_GE(colours.front(), 0);
        EXPECT_LT(colours.back(), colouring.num_colours);
      }
  }
}

} // namespace
} // namespace weft
