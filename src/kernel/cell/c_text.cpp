#include "kernel/cell/c_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/names.h"
#include "kernel/text/c_statements.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

// One text: a function of all inputs that writes some of the outputs.
struct UserFunction {
  std::string name;
  const CTextPart *text = nullptr;
  bool gradient = false; // f1
  bool scalar = false;   // of a scalar field
  int field = 0;
  int first_output = 0, num_outputs = 0;

  std::string head() const {
    return fmt::format("WEFT_FUNCTION void {}(const WEFT_PRIVATE real *weft_in, WEFT_PRIVATE real "
                       "*weft_out)",
                       name);
  }
};

std::vector<UserFunction> user_functions(const CellIntegral &in) {
  std::vector<UserFunction> functions;
  for (const CTextFunction &f : in.c_text->functions) {
    int first = 0;
    for (int other = 0; other < f.field; ++other)
      first += in.tests[other].components * (1 + in.dim);
    const int components = in.tests[f.field].components;
    const bool scalar = f.shape.empty();
    if (f.f0)
      functions.push_back({fmt::format("weft_c_text_f0_{}", f.field), &*f.f0, false, scalar,
                           f.field, first, components});
    if (f.f1)
      functions.push_back({fmt::format("weft_c_text_f1_{}", f.field), &*f.f1, true, scalar, f.field,
                           first + components, components * in.dim});
  }
  return functions;
}

int num_components(const Shape &shape) {
  int components = 1;
  for (const int extent : shape)
    components *= extent;
  return components;
}

// `const real c_grad_u[2][2] = {{weft_in[3], weft_in[4]}, {weft_in[5], weft_in[6]}};`. Text that is
// taken as it is has the names without a prefix.
std::string input_declaration(const CTextInput &input, int first, bool prefixed) {
  const auto row = [](int begin, int size) {
    std::vector<std::string> entries;
    for (int i = 0; i < size; ++i)
      entries.push_back(fmt::format("weft_in[{}]", begin + i));
    return "{" + join_names(entries) + "}";
  };
  std::string value;
  if (input.shape.empty()) {
    value = fmt::format("weft_in[{}]", first);
  } else if (input.shape.size() == 1) {
    value = row(first, input.shape[0]);
  } else {
    std::vector<std::string> rows;
    for (int i = 0; i < input.shape[0]; ++i)
      rows.push_back(row(first + i * input.shape[1], input.shape[1]));
    value = "{" + join_names(rows) + "}";
  }
  std::string extents;
  for (const int extent : input.shape)
    extents += fmt::format("[{}]", extent);
  return fmt::format("  const real {}{} = {};\n", prefixed ? c_name(input.name) : input.name,
                     extents, value);
}

// f0 and f1 by the shape of the field. f0 of a scalar is a macro, so that `return` keeps its value.
std::string result_declaration(const UserFunction &f, int dim) {
  if (!f.gradient)
    return f.scalar ? "#define f0 (*weft_out)\n" : "  WEFT_PRIVATE real *const f0 = weft_out;\n";
  if (f.scalar)
    return "  WEFT_PRIVATE real *const f1 = weft_out;\n";
  return fmt::format("  WEFT_PRIVATE real(*const f1)[{0}] = (WEFT_PRIVATE real(*)[{0}])weft_out;\n",
                     dim);
}

} // namespace

bool c_text_output_is_zero(const CellIntegral &in, int output) {
  const std::vector<UserFunction> functions = user_functions(in);
  return std::none_of(functions.begin(), functions.end(), [&](const UserFunction &f) {
    return output >= f.first_output && output < f.first_output + f.num_outputs;
  });
}

std::string c_text_declarations(const CellIntegral &in) {
  std::string text = "// Functions of the case in C: at the end.\n";
  for (const UserFunction &f : user_functions(in))
    text += f.head() + ";\n";
  return text;
}

std::string c_text_definitions(const CellIntegral &in) {
  std::string text;
  for (const UserFunction &f : user_functions(in)) {
    const CProgram *program = f.text->program.get();
    text += fmt::format("\n// f{} of field {}\n{} {{\n  enum {{ dim = {} }};\n", f.gradient ? 1 : 0,
                        f.field, f.head(), in.dim);
    int first = 0;
    for (const CTextInput &input : in.c_text->inputs) {
      text += input_declaration(input, first, program != nullptr);
      first += num_components(input.shape);
    }
    text += result_declaration(f, in.dim);
    // A scope of its own, in which the text may use names of the case for other things. A message
    // about case.toml is one about the user's text; no path, so that the kernel is the same
    // anywhere.
    text += fmt::format("  {{\n#line {} \"case.toml\"\n{}\n  }}\n}}\n", std::max(1, f.text->line),
                        program ? print_c_statements(*program) : f.text->text);
    if (!f.gradient && f.scalar)
      text += "#undef f0\n";
  }
  const bool needs_helpers = text.find("weft_c_int(") != std::string::npos;
  return needs_helpers ? "\n" + c_helpers() + text : text;
}

std::vector<std::string> print_c_text_calls(LaneText &text, const CellIntegral &in,
                                            const std::vector<std::string> &values) {
  const int num_values = static_cast<int>(values.size());
  const int num_outputs = in.num_components() * (1 + in.dim);
  text.line(fmt::format("real c_in[{} * WEFT_LANES], c_out[{} * WEFT_LANES];",
                        std::max(1, num_values), num_outputs));
  for (int i = 0; i < num_values; ++i)
    text.line(fmt::format("lane_store_private({}, {});", values[i], lanes_past("c_in", i)));
  text.open("WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {");
  text.line(fmt::format("real one_in[{}], one_out[{}];", std::max(1, num_values), num_outputs));
  text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) one_in[i] = c_in[i * WEFT_LANES "
                        "+ l];",
                        num_values));
  text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) one_out[i] = 0;", num_outputs));
  for (const UserFunction &f : user_functions(in))
    text.line(fmt::format("{}(one_in, {});", f.name, text_plus("one_out", f.first_output)));
  text.line(fmt::format("WEFT_UNROLL for (i32 i = 0; i < {}; ++i) c_out[i * WEFT_LANES + l] = "
                        "one_out[i];",
                        num_outputs));
  text.close();
  std::vector<std::string> outputs;
  for (int i = 0; i < num_outputs; ++i)
    outputs.push_back(fmt::format("lane_load_private({})", lanes_past("c_out", i)));
  return outputs;
}

} // namespace weft
