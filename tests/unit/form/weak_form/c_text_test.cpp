// What C text may be without trust, what is refused and where, and what is found of ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "form/weak_form/c_syntax.h"

namespace weft {
namespace {

SourceText source_of(const std::string &text) {
  return {.text = text, .file = "case.toml", .line = 10, .key = "[pointwise] u.f1"};
}

// In f1 of a vector field in two dimensions, with what a case may have.
CProgram checked(const std::string &text) {
  static const std::map<std::string, Shape> names = {
      {"T", {}}, {"x", {}}, {"k", {}}, {"u", {2}}, {"grad_T", {2}}, {"grad_u", {2, 2}}};
  const SourceText source = source_of(text);
  const auto find = [&](const std::string &name) {
    const auto found = names.find(name);
    return found == names.end() ? std::optional<Shape>() : found->second;
  };
  CProgram program = parse_c(source, {.result = "f1",
                                      .result_shape = {2, 2},
                                      .dim = 2,
                                      .find = find,
                                      .known = {"T", "x", "k", "u", "grad_T", "grad_u"}});
  check_c_ranges(source, program);
  return program;
}

Error refusal_of(const std::string &text) {
  try {
    checked(text);
  } catch (const Error &e) {
    return e;
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return Error(ErrorKind::invariant, {.what = "accepted"});
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(CTextSubset, TakesWhatPointwiseFunctionsAreWrittenIn) {
  const char *accepted[] = {
      "",
      ";",
      "// nothing: \"°C\" & # \\ are comments\n/* if (x */",
      "f1[0][1] = 2.0*T;",
      "for (int k = 0; k < dim; ++k)\n  for (int d = 0; d < dim; ++d)\n    f1[k][d] = k == d ? T : "
      "0;",
      "real n = 1e-3f, m = .5, l = 3.; f1[0][0] = n + m + l;",
      "const int n = 2*dim + 1; real a[n] = {1, 2}; f1[0][0] = a[n - 1];",
      "real m[2][3] = {{1, 2}, {3}}; f1[1][1] = m[1][2];",
      "real m[2][3] = {0}; f1[1][1] = m[1][2] + m[0][0];",
      "double d = T; float s = x; bool b = T > 1; int i = b; f1[0][0] = d*s*i;",
      "if (T > 1 && !(x < 0) || k != 2) { f1[0][0] = 1; } else if (T) return; else f1[0][0] = 2;",
      "f1[0][0] = f1[0][1] = 0; f1[0][0] += T; f1[0][0] -= 1; f1[0][0] *= 2; f1[0][0] /= x;",
      "int i; for (i = 4; i >= 0; i -= 2) f1[0][0] += i; f1[0][0] = i;",
      "for (int it = 0; it < 50 && fabs(T) > 1e-9; it += 1) { if (T < 0) break; continue; }",
      "for (int i = 0; i < 3; ++i) for (int j = i; j <= 2; ++j) { real a[3][3]; a[j][i] = T; }",
      "int n = 0; real a[6]; for (int i = 0; i < 3; ++i) for (int j = i; j < 3; ++j) { a[n] = T; "
      "++n; }",
      "int i = (int)(T*10); if (i < 0) i = 0; if (i > 7) i = 7; real t[8] = {0}; f1[0][0] = t[i];",
      "int i = (int)floor(T); i = i < 0 ? 0 : i > 7 ? 7 : i; real t[8]; f1[0][0] = t[i];",
      "int i = min(max((int)T, 0), 1); f1[i][i] = T;",
      "for (int i = 0; i < 3; ++i) f1[0][0] += i > 0 && i - 1 < 2 ? u[i - 1] : 0;",
      "int i = (int)T; if (i >= 0 && i < 2) f1[0][i] = 1; if (!(i < 0 || i > 1)) f1[i][0] = 1;",
      "int n = (int)T; if (n >= -100 && n < 0 && n != -100) f1[0][0] = 7/n + 7%(n - 1) + 1/(n + "
      "100);",
      "f1[0][0] = pow(T, 2) + fmax(T, 0) + atan2(1, 2.0) + hypot(x, T) + isnan(T) + max(T, 1.0);",
      "f1[0][0] = -(-T) - +x - !T + (real)(1) + (double)2/(float)3 + (bool)T + true - false;",
      "real T = 2; { real T = 3; f1[0][0] = T; } f1[0][1] = T; { real x = x_of_mine_is_not; }",
      "real pi_of_mine = 3.0, kernel_width = 1, n = 2; f1[0][0] = pi_of_mine*kernel_width*n;",
      "for (int i = 0; i < 100000; ++i) f1[0][0] += T;",
      "return; f1[99][99] = 1;",
      "if (0) f1[2][0] = 1;",
  };
  for (const std::string text : accepted) {
    if (has(text, "is_not")) { // the line shows that inner names end with their block
      EXPECT_TRUE(has(refusal_of(text).what(), "x_of_mine_is_not"));
      continue;
    }
    EXPECT_NO_THROW(checked(text)) << text;
  }
}

struct Refused {
  const char *text;
  int line; // of the text, from 0
  const char *what;
};

TEST(CTextSubset, RefusesEverythingElseWithItsLine) {
  const Refused refused[] = {
      // Ways to other code.
      {"f1[0][0] = 1;\n#include \"/etc/passwd\"", 1, "preprocessor"},
      {"\n\n  #pragma unroll", 2, "preprocessor"},
      {"#line 7", 0, "preprocessor"},
      {"\n?"
       "?=include <a>",
       1, "trigraph"},
      {"%:include <a>", 0, "digraph"},
      {"f1<:0:>[0] = 1;", 0, "digraph"},
      {"<% f1[0][0] = 1; %>", 0, "digraph"},
      {"f1[0][0] = 1; \\\n2;", 0, "backslash"},
      {"// so \\\nf1[0][0] = 1;", 0, "goes on"},
      {"// so \\\r\nf1[0][0] = 1;", 0, "goes on"},
      {"\nasm(\"nop\");", 1, "assembly"},
      {"__asm__ volatile (\"nop\");", 0, "compilers"},
      {"__builtin_trap();", 0, "compilers"},
      {"_Pragma(\"unroll\")", 0, "compilers"},
      {"f1[0][0] = WEFT_LANES;", 0, "belongs to Weft"},
      {"weft_out[0] = 1;", 0, "belongs to Weft"},
      {"f1[0][0] = weft_in[9];", 0, "belongs to Weft"},
      {"lane_store(T, 0);", 0, "belongs to Weft"},
      {"}\nf1[0][0] = 1; {", 0, "closes nothing"},
      {"f1[0][0] = 1;\n}\nvoid other() {", 2, "a type"},
      {"f1[0][0] = 1; } {", 0, "closes nothing"},
      {"if (T) {\n f1[0][0] = 1;", 0, "nothing closes"},
      {"{ { } ", 0, "nothing closes"},
      {"f1[0][0] = printf(\"a\");", 0, "string"},
      {"f1[0][0] = 'a';", 0, "string"},
      {"f1[0][0] = get_global_id(0);", 0, "may not call"},
      {"f1[0][0] = sqrtf(T);", 0, "may not call"},
      {"barrier(1);", 0, "stands alone"},
      {"real f(real a) { return a; }", 0, "a function"},
      {"real (*g)(real) = sin;", 0, "a name was expected"},
      {"f1[0][0] = (*T)(1);", 0, "a pointer"},
      {"f1[0][0] = T(1);", 0, "may not call"},
      {"f1[0][0] = (T)(1);", 0, "expected"},
      {"f1[0][0] = f1[0](1);", 0, "indices"},
      {"real *p = 0;", 0, "a pointer"},
      {"*f1 = 1;", 0, "a statement was expected"},
      {"f1[0][0] = *u;", 0, "a pointer"},
      {"f1[0][0] = &T;", 0, "address"},
      {"f1[0][0] = (real *)3;", 0, "a pointer"},
      {"f1[0][0] = u->x;", 0, "a pointer"},
      {"f1[0][0] = T.x;", 0, "a member"},
      {"f1[0][0] = T@2;", 0, "a character"},
      {"f1[0][0] = T$2;", 0, "a character"},
      {"f1[0][0] = T `2;", 0, "a character"},
      {"f1[0][0] = 2·T;", 0, "a character"},
      {"struct s { int a; } b;", 0, "a type"},
      {"union s { int a; } b;", 0, "a type"},
      {"typedef int t;", 0, "a type"},
      {"enum { n = 3 };", 0, "a type"},
      {"f1[0][0] = sizeof(T);", 0, "a type"},
      {"static real s;", 0, "a type"},
      {"volatile real s;", 0, "a type"},
      {"extern real s;", 0, "a type"},
      {"unsigned i = 1;", 0, "a type"},
      {"void *p;", 0, "a type"},
      {"global real s;", 0, "OpenCL"},
      {"local real s[3];", 0, "OpenCL"},
      {"kernel void f() {}", 0, "OpenCL"},
      {"double4 v;", 0, "an unknown name"},
      {"template <int n> f();", 0, "C++"},
      {"using f = real;", 0, "C++"},
      {"f1[0][0] = new real;", 0, "C++"},
      {"[[noreturn]] f1[0][0] = 1;", 0, "a statement was expected"},
      {"f1[0][0] = T, x = 2;", 0, "expected"},
      {"f1[0][0] = ({ 1; });", 0, "a list"},
      {"f1[0][0] = (real[1]){1}[0];", 0, "expected"},
      // Loops that may not end, and jumps.
      {"while (1) ;", 0, "not counted"},
      {"do ; while (1);", 0, "not counted"},
      {"goto end; end: ;", 0, "jump"},
      {"end: f1[0][0] = 1;", 0, "an unknown name"},
      {"switch (1) { case 1: ; }", 0, "jump"},
      {"for (;;) ;", 0, "a statement was expected"},
      {"for (int i = 0; ; ++i) ;", 0, "without a condition"},
      {"for (int i = 0; i < 10; ) ;", 0, "a statement was expected"},
      {"for (int i = 0; i < 10; f1[0][0] = 1) ;", 0, "does not count"},
      {"for (int i = 0; i < 10; i = 0) ;", 0, "does not count"},
      {"for (real r = 0; r < 10; r += 1) ;", 0, "without a counter"},
      {"for (int i = 0, j = 0; i < 10; ++i) ;", 0, "without a counter"},
      {"for (int i = 0; i < 10; ++i) i = 0;", 0, "changes its own counter"},
      {"for (int i = 0; i < 10; ++i) { --i; }", 0, "changes its own counter"},
      {"for (int i = 0; i < 10; ++i) for (i = 0; i < 3; ++i) ;", 0, "changes its own counter"},
      {"for (int i = 0; i < 10; ++i) { int i = 3; }", 0, "counter around it"},
      {"\nfor (int i = 0; i < 2000000000; ++i) ;", 1, "too long"},
      {"for (int i = 0; i < 10; i += 0) ;", 0, "too long"},
      {"for (int i = 0; i < 10; --i) ;", 0, "too long"},
      {"for (int i = 0; x < 1; i += 0) ;", 0, "too long"},
      {"for (int a = 0; a < 100; ++a)\nfor (int b = 0; b < 100; ++b)\nfor (int c = 0; c < 100; "
       "++c)\n"
       "f1[0][0] += T;",
       3, "too long"},
      {"int n = 3; for (int i = 0; i < n; ++i) ++n;", 0, "too long"},
      {"break;", 0, "in no loop"},
      {"if (T) continue;", 0, "in no loop"},
      {"return 1;", 0, "a value that is returned"},
      {"else f1[0][0] = 1;", 0, "an else"},
      // Indices and whole numbers.
      {"f1[2][0] = 1;", 0, "outside"},
      {"f1[0][0] = u[-1];", 0, "outside"},
      {"f1[0][0] = 1;\nf1[0][(int)T] = 1;", 1, "outside"},
      {"for (int i = 0; i <= 2; ++i)\n  f1[0][i] = 1;", 1, "outside"},
      {"for (int i = 2; i >= 0; --i) f1[0][i] = 1;", 0, "outside"},
      {"for (int i = 0; i < 3; ++i) f1[0][0] += u[i > 0 ? i - 1 : 2];", 0, "outside"},
      {"real a[4]; int i = (int)T; if (i < 4) a[i] = 1;", 0, "outside"},
      {"real a[4]; int i = (int)T; if (i >= 0 || i < 4) a[i] = 1;", 0, "outside"},
      {"int a[2] = {5, 0}; f1[a[0]][0] = 1;", 0, "outside"},
      {"real a[2]; int n = 0; for (int i = 0; i < 4; ++i) { if (T > i) ++n; a[n] = 1; }", 0,
       "outside"},
      {"f1[0][0] = u[T > 1 || u[2] > 0];", 0, "outside"},
      {"f1[T][0] = 1;", 0, "not a whole number"},
      {"f1[0][1.0] = 1;", 0, "not a whole number"},
      {"f1[0][0] = u;", 0, "indices"},
      {"f1[0] = 1;", 0, "indices"},
      {"f1[0][0][0] = 1;", 0, "indices"},
      {"f1[0][0] = T[0];", 0, "indices"},
      {"f1[0][0] = 1/0;", 0, "may be 0"},
      {"int i = 0; f1[0][0] = 1%i;", 0, "may be 0"},
      {"int i = 3; for (int j = 0; j < 4; ++j) i /= 2 - j;", 0, "may be 0"},
      {"f1[0][0] = 7/(int)T;", 0, "may be 0"},
      {"f1[0][0] = 2147483647 + 1;", 0, "fit into an int"},
      {"f1[0][0] = -2147483647 - 2;", 0, "fit into an int"},
      {"int i = 1; for (int j = 0; j < 40; ++j) i *= 2;", 0, "fit into an int"},
      {"int i = (int)T; ++i;", 0, "fit into an int"},
      {"f1[0][0] = -(int)T;", 0, "fit into an int"},
      {"f1[0][0] = abs((int)T);", 0, "fit into an int"},
      {"int i = (-2147483647 - 1)/-1;", 0, "fit into an int"},
      // Types, names, values.
      {"f1[0][0] = 2147483648;", 0, "whole number"},
      {"f1[0][0] = 010;", 0, "whole number"},
      {"f1[0][0] = 0x10;", 0, "not a number"},
      {"f1[0][0] = 1u;", 0, "not a number"},
      {"f1[0][0] = 1.0e;", 0, "not a number"},
      {"f1[0][0] = 1.0.0;", 0, "not a number"},
      {"f1[0][0] = 1e999;", 0, "not a number"},
      {"f1[0][0] = 1.5T;", 0, "not a number"},
      {"f1[0][0] = T % 2;", 0, "remainder"},
      {"f1[0][0] = 1 << 3;", 0, "bits"},
      {"f1[0][0] = 1 | 3;", 0, "bits"},
      {"f1[0][0] = ~1;", 0, "bits"},
      {"T = 1;", 0, "a constant that is set"},
      {"u[0] += 1;", 0, "a constant that is set"},
      {"dim = 1;", 0, "a constant that is set"},
      {"const int n = 1; n = 2;", 0, "a constant that is set"},
      {"const real c;", 0, "without a value"},
      {"f1[0][0] = Tt;", 0, "did you mean T"},
      {"f1[0][0] = sin;", 0, "an unknown name"},
      {"f1[0][0] = pow(T);", 0, "wrong number of arguments"},
      {"f1[0][0] = sin();", 0, "wrong number of arguments"},
      {"f1[0][0] = sin(T, );", 0, "a value was expected"},
      {"f1[0][0] = abs(T);", 0, "fabs"},
      {"f1[0][0] = (x = 2);", 0, "an assignment inside"},
      {"f1[0][0] = u[0]++;", 0, "++ inside"},
      {"int i = 0; f1[++i][0] = 1;", 0, "++ inside"},
      {"real a = a;", 0, "its own first value"},
      {"real a; real a;", 0, "declared twice"},
      {"real sin = 1;", 0, "name of a function"},
      {"real f1 = 1;", 0, "a meaning of its own"},
      {"real if = 1;", 0, "a meaning of its own"},
      {"if (T) real a = 1;", 0, "nothing can use"},
      {"int n = 3; real a[n];", 0, "is not known"},
      {"real a[0];", 0, "is not known, or not positive"},
      {"real a[-1];", 0, "is not known, or not positive"},
      {"real a[5000];", 0, "too large"},
      {"real a[4096], b[1];", 0, "too large"},
      {"real a[99999][99999][99999];", 0, "too large"},
      {"real a[1][1][1][1];", 0, "too many indices"},
      {"real a[2] = {1, 2, 3};", 0, "too many values"},
      {"real a[2] = {{1}};", 0, "too many { }"},
      {"real a[2][2] = {{1, 2, 3}};", 0, "too many values"},
      {"real a[2] = {};", 0, "a value was expected"},
      {"real a[2] = 1;", 0, "a list of values"},
      {"real a = {1};", 0, "a list inside"},
      {"int i = 1; i += 0.5;", 0, "to int"},
      {"bool b = true; ++b;", 0, "of a bool"},
      {"int i; f1[0][0] = i = 1;", 0, "several types"},
      {"int i; bool b; i = b = 3;", 0, "several types"},
      {"/* never", 0, "does not end"},
      {"f1[0][0] = 1", 0, "something else was expected"},
      {"f1[0][0] = ;", 0, "a value was expected"},
      {"f1[0][0] = (T;", 0, "something else was expected"},
      {"real a; a;", 0, "an assignment was expected"},
      {"f1[0][0]\n=\n1 2;", 2, "something else was expected"},
  };
  for (const Refused &r : refused) {
    SCOPED_TRACE(r.text);
    const Error error = refusal_of(r.text);
    const Diagnostic &d = error.diagnostic();
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    EXPECT_TRUE(d.where.starts_with("case.toml:" + std::to_string(10 + r.line) + ": ")) << d.where;
    EXPECT_TRUE(has(d.where, "column")) << d.where;
    EXPECT_TRUE(has(error.what(), r.what)) << error.what();
    EXPECT_FALSE(d.found.empty() || d.allowed.empty() || d.remedy.empty()) << error.what();
  }
}

TEST(CTextSubset, RefusesControlCharactersAndNulsAlsoInComments) {
  for (const std::string &text :
       {std::string("f1[0][0] = 1;\0f1[0][0] = 2;", 27), std::string("// a\0b", 6),
        std::string("/* \x1b[2J */"), std::string("f1[0][0] = \x7f;"), std::string("\x01")}) {
    const Error error = refusal_of(text);
    EXPECT_TRUE(has(error.diagnostic().found, "\\x")) << error.what();
    const std::string message = error.what();
    EXPECT_TRUE(std::all_of(message.begin(), message.end(),
                            [](unsigned char c) { return c >= ' ' || c == '\n'; }));
  }
}

TEST(CTextSubset, AnIndexIsRefusedWithItsNameItsRangeAndWhatThereIs) {
  const Error error = refusal_of("for (int i = 1; i < 4; ++i)\n  f1[0][0] += grad_u[0][i];");
  EXPECT_TRUE(has(error.diagnostic().what, "grad_u")) << error.what();
  EXPECT_TRUE(has(error.diagnostic().what, "number 2")) << error.what();
  EXPECT_EQ(error.diagnostic().found, "2");
  EXPECT_EQ(error.diagnostic().allowed, "0 to 1");
  EXPECT_TRUE(has(error.diagnostic().where, "column 25")) << error.what();
  EXPECT_EQ(refusal_of("f1[0][(int)T] = 1;").diagnostic().found, "-2147483648 to 2147483647");
}

std::string repeated(const std::string &text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

TEST(CTextSubset, DeepAndLongTextsAreTakenUpToTheirLimits) {
  EXPECT_NO_THROW(checked("f1[0][0] = T" + repeated(" + T", 900) + ";"));
  EXPECT_NO_THROW(checked(repeated("f1[0][0] += 1;\n", 4000)));
  EXPECT_NO_THROW(checked("f1[0][0] = " + repeated("(", 50) + "T" + repeated(")", 50) + ";"));
  for (const std::string &text :
       {"f1[0][0] = T" + repeated(" + T", 1100) + ";",
        "f1[0][0] = " + repeated("(", 30000) + "T" + repeated(")", 30000) + ";",
        "f1[0][0] = " + repeated("- ", 30000) + "T;", "f1[0][0] = " + repeated("!", 60000) + "T;",
        "f1[0][0] = " + repeated("(real)", 9000) + "T;",
        "f1[0][0] = " + repeated("T ? T : ", 8000) + "T;", "f1[0][0] = " + repeated("u[0*u[", 9000),
        "f1[0][0] = " + repeated("sin(", 9000), repeated("{", 60000),
        repeated("if (T) ", 9000) + ";", repeated("if (T) ; else ", 4000) + ";",
        repeated("for (int i = 0; i < 1; ++i) ", 2000) + ";",
        "real a[2][2] = " + repeated("{", 30000), repeated(" ", 70000),
        "f1[0][0] = " + repeated("9", 30000) + ";", repeated("a", 30000) + " = 1;"}) {
    const Error error = refusal_of(text);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_LT(std::string(error.what()).size(), 1500);
  }
}

std::string documentation() {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/docs/reference/c_text.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CTextSubset, DocumentationNamesAllFunctionsAndItsExamplesAreTaken) {
  const std::string page = documentation();
  for (const std::string &name : c_function_names())
    EXPECT_TRUE(has(page, " " + name + " ") || has(page, " " + name + "`") ||
                has(page, "`" + name + " ") || has(page, "`" + name + "`"))
        << name;
  const std::string begin = "```c\n";
  int examples = 0;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    std::string text = page.substr(at + begin.size());
    text = text.substr(0, text.find("```"));
    if (const std::size_t f0 = text.find("f0"); f0 != std::string::npos)
      text.replace(f0, 2, "f1[0][0]");
    EXPECT_NO_THROW(checked(text)) << text;
    ++examples;
  }
  EXPECT_EQ(examples, 2);
}

} // namespace
} // namespace weft
