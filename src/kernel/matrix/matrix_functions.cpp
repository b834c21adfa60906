#include "kernel/matrix/matrix_functions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "kernel/cell/cell_printer.h"
#include "kernel/matrix/matrix_tensor.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

constexpr int most_unrolled_entries = 256;

// A node of a test or trial function: its number, or the variable that holds it.
struct NodeOf {
  int field = 0;
  int number = -1;      // -1: see variable
  std::string variable; // "i"
};

class MatrixPrinter {
public:
  MatrixPrinter(const CellIntegral &in, const MatrixVariant &variant)
      : in_(in), variant_(variant), cell_(in, point_of(variant)), indices_(cell_.matrix_indices()),
        unrolled_(unrolls_matrix(in)) {
    for (int k = 0; k < in_.num_components(); ++k)
      field_of_.push_back(indices_.field_of(k));
  }
  MatrixFunctions print();

private:
  static MatrixPoint point_of(const MatrixVariant &variant);
  LaneText new_text() const { return LaneText(in_.precision); }
  int num_fields() const { return static_cast<int>(in_.tests.size()); }
  int num_nodes(int field) const {
    return in_.families[in_.tests[field].family].element.num_nodes();
  }
  int first_node(int field) const;
  std::vector<int> components_of(int field) const;
  bool skips(int test_field, int trial_field) const {
    return in_.symmetric && test_field > trial_field;
  }

  Coefficient basis(const NodeOf &node, int entry);
  // The row of component k of all at a node, and the entry in a row and a column, as text.
  std::string row_of(const NodeOf &node, int k) const;
  std::string entry_of(const NodeOf &test, int k, const NodeOf &trial, int l) const;
  // Coefficients of D(k, l, s, .) or D(k, l, ., t), values of a point or sums over the points.
  std::string value_of(int k, int l, int s, int t, bool of_sums) const;
  std::vector<Term> trial_terms(int k, int l, int s, const NodeOf &trial, bool of_sums);
  std::vector<Term> test_terms(int k, int l, int t, const NodeOf &test, bool of_sums);

  void add_columns(LaneText &text, const NodeOf &trial, bool of_sums);
  void print_all(LaneText &text, bool of_sums);
  void print_row(LaneText &text, bool of_sums);
  void print_row_of(LaneText &text, int field, bool of_sums);
  void print_entry(LaneText &text, bool of_sums);
  void print_pair(LaneText &text, int test_field, int trial_field, bool of_sums);
  void print_sum(LaneText &text);
  void print_tensor(LaneText &text);
  void print_vector(LaneText &text);
  void print_numbers(LaneText &text) const;
  void open_function(LaneText &text, const std::string &name, const std::string &arguments);

  const CellIntegral &in_;
  const MatrixVariant &variant_;
  CellPrinter cell_;
  const MatrixIndices &indices_;
  const bool unrolled_;
  std::vector<int> field_of_;
  std::map<std::pair<int, int>, std::string> tensor_tables_; // by families
};

namespace {

// What stands in the text wherever the array in local memory is accessed; of the matrix's array in
// any loop order.
std::string local_access(LocalArray local) {
  switch (local) {
  case LocalArray::none:
    break;
  case LocalArray::geometry:
    return "cell->in[";
  case LocalArray::coefficients:
    return "[WEFT_COEFFICIENT(";
  case LocalArray::shape:
    return "cell->local_";
  case LocalArray::matrix:
    return "[WEFT_ENTRY(";
  }
  return {};
}

} // namespace

MatrixPoint MatrixPrinter::point_of(const MatrixVariant &variant) {
  MatrixPoint point;
  point.weighted = variant.loop_order != LoopOrder::tensor;
  point.sums_gradients = point.weighted;
  if (variant.local == LocalArray::coefficients) {
    point.value_space = "WEFT_COEFFICIENT_SPACE";
    point.value_index = "WEFT_COEFFICIENT({})";
  }
  point.local_inputs = variant.local == LocalArray::geometry;
  point.local_tables = variant.local == LocalArray::shape;
  point.local_access = local_access(variant.local);
  return point;
}

int MatrixPrinter::first_node(int field) const {
  int first = 0;
  for (int f = 0; f < field; ++f)
    first += num_nodes(f);
  return first;
}

std::vector<int> MatrixPrinter::components_of(int field) const {
  std::vector<int> components;
  for (int k = 0; k < in_.num_components(); ++k)
    if (field_of_[k] == field)
      components.push_back(k);
  return components;
}

Coefficient MatrixPrinter::basis(const NodeOf &node, int entry) {
  BasisTables &tables = cell_.tables(in_.tests[node.field].family);
  if (node.number >= 0)
    return tables.entry(node.number, entry);
  return {.literal = false, .table = tables.entry_at(node.variable, entry)};
}

std::string MatrixPrinter::row_of(const NodeOf &node, int k) const {
  const int components = in_.tests[node.field].components;
  const int first = in_.first_row(node.field) + indices_.component_in_field(k);
  return node.number >= 0 ? std::to_string(first + node.number * components)
                          : affine_text(node.variable, components, first);
}

std::string MatrixPrinter::entry_of(const NodeOf &test, int k, const NodeOf &trial, int l) const {
  const std::string row = row_of(test, k), column = row_of(trial, l);
  const int rows = in_.num_rows();
  if (test.number < 0)
    return fmt::format("{} * {}{}", row.find(' ') == std::string::npos ? row : "(" + row + ")",
                       rows, column == "0" ? "" : " + " + column);
  const int first = std::stoi(row) * rows;
  return trial.number < 0 ? text_plus(column, first) : std::to_string(first + std::stoi(column));
}

std::string MatrixPrinter::value_of(int k, int l, int s, int t, bool of_sums) const {
  const int sum = cell_.sum_index(k, l, s, t), value = indices_.value_index(k, l, s, t);
  if (value < 0 || (sum >= 0) != of_sums)
    return "";
  return of_sums ? fmt::format("cell->sum[{}]", sum)
                 : fmt::format("f[WEFT_COEFFICIENT({})]", value);
}

namespace {

bool is_zero(const Coefficient &c) {
  return c.literal && c.value == 0;
}

} // namespace

std::vector<Term> MatrixPrinter::trial_terms(int k, int l, int s, const NodeOf &trial,
                                             bool of_sums) {
  std::vector<Term> terms;
  for (int t = 0; t < in_.num_entries(); ++t)
    if (const std::string value = value_of(k, l, s, t, of_sums); !value.empty())
      if (const Coefficient c = basis(trial, t); !is_zero(c))
        terms.push_back({c, value});
  return terms;
}

std::vector<Term> MatrixPrinter::test_terms(int k, int l, int t, const NodeOf &test, bool of_sums) {
  std::vector<Term> terms;
  for (int s = 0; s < in_.num_entries(); ++s)
    if (const std::string value = value_of(k, l, s, t, of_sums); !value.empty())
      if (const Coefficient c = basis(test, s); !is_zero(c))
        terms.push_back({c, value});
  return terms;
}

// The columns of one trial node: first v = D times the trial function, then rows.
void MatrixPrinter::add_columns(LaneText &text, const NodeOf &trial, bool of_sums) {
  const auto name = [](int k, int l, int s) { return fmt::format("v{}_{}_{}", k, l, s); };
  const auto exists = [&](int k, int l, int s) {
    return !trial_terms(k, l, s, trial, of_sums).empty();
  };
  for (const int l : components_of(trial.field))
    for (int k = 0; k < in_.num_components(); ++k)
      for (int s = 0; s < in_.num_entries() && !skips(field_of_[k], trial.field); ++s)
        if (exists(k, l, s))
          text.sum("const lane ", name(k, l, s), trial_terms(k, l, s, trial, of_sums), false);
  for (int field = 0; field < num_fields(); ++field) {
    if (skips(field, trial.field))
      continue;
    const bool triangle = in_.symmetric && field == trial.field;
    const auto add = [&](LaneText &to, const NodeOf &test) {
      for (const int l : components_of(trial.field))
        for (const int k : components_of(field)) {
          if (triangle && test.number >= 0 && test.number == trial.number && k > l)
            continue;
          std::vector<Term> terms;
          for (int s = 0; s < in_.num_entries(); ++s)
            if (exists(k, l, s))
              if (const Coefficient c = basis(test, s); !is_zero(c))
                terms.push_back({c, name(k, l, s)});
          to.sum("", fmt::format("a[WEFT_ENTRY({})]", entry_of(test, k, trial, l)), terms, true);
        }
    };
    if (trial.number >= 0) {
      const int end = triangle ? trial.number + 1 : num_nodes(field);
      for (int i = 0; i < end; ++i)
        add(text, {field, i, ""});
      continue;
    }
    LaneText body = new_text();
    add(body, {field, -1, "i"});
    if (body.text().empty())
      continue;
    const int n = num_nodes(field);
    text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{",
                          triangle ? "j + 1" : std::to_string(n)));
    text.append(body, triangle ? (n + 1) / 2.0 : n);
    text.close();
  }
}

void MatrixPrinter::open_function(LaneText &text, const std::string &name,
                                  const std::string &arguments) {
  text.open(
      fmt::format("WEFT_FUNCTION void {}(WEFT_PRIVATE weft_cell *cell, {}) {{", name, arguments));
  cell_.print_point_numbers(text, arguments.rfind("const i32 q", 0) == 0 ? "q" : "");
}

void MatrixPrinter::print_all(LaneText &text, bool of_sums) {
  open_function(
      text, of_sums ? "weft_matrix_finish" : "weft_matrix_add",
      (of_sums ? "" : std::string("const i32 q, WEFT_COEFFICIENT_SPACE const lane *f, ")) +
          "WEFT_MATRIX_SPACE lane *a");
  for (int field = 0; field < num_fields(); ++field) {
    if (unrolled_) {
      for (int j = 0; j < num_nodes(field); ++j) {
        LaneText body = new_text();
        add_columns(body, {field, j, ""}, of_sums);
        if (body.text().empty())
          continue;
        text.line("WEFT_COLUMN_STEP;");
        text.open("{");
        text.append(body, 1);
        text.close();
      }
      continue;
    }
    LaneText body = new_text();
    add_columns(body, {field, -1, "j"}, of_sums);
    if (body.text().empty())
      continue;
    text.open(fmt::format("WEFT_NO_UNROLL for (i32 j = 0; j < {}; ++j) {{", num_nodes(field)));
    text.append(body, num_nodes(field));
    text.close();
  }
  text.close();
}

namespace {

// "i >= 4 && i < 10", and "i - 4": node i of all as one of a field.
std::string is_within(const std::string &i, int first, int num) {
  return first == 0 ? fmt::format("{} < {}", i, num)
                    : fmt::format("{0} >= {1} && {0} < {2}", i, first, first + num);
}
std::string counted_from(const std::string &i, int first) {
  return first == 0 ? i : fmt::format("{} - {}", i, first);
}

} // namespace

// Rows of one test node of `field`, n.
void MatrixPrinter::print_row_of(LaneText &text, int field, bool of_sums) {
  const NodeOf test{field, -1, "n"};
  const auto name = [](int k, int l, int t) { return fmt::format("u{}_{}_{}", k, l, t); };
  std::vector<std::string> names;
  for (const int k : components_of(field))
    for (int l = 0; l < in_.num_components(); ++l)
      for (int t = 0; t < in_.num_entries() && !skips(field, field_of_[l]); ++t)
        if (const std::vector<Term> terms = test_terms(k, l, t, test, of_sums); !terms.empty()) {
          LaneText body = new_text();
          body.sum("const lane ", name(k, l, t), terms, false);
          text.append(body, num_nodes(field));
          names.push_back(name(k, l, t));
        }
  for (int trial_field = 0; trial_field < num_fields(); ++trial_field) {
    if (skips(field, trial_field))
      continue;
    const NodeOf trial{trial_field, -1, "j"};
    LaneText body = new_text();
    for (const int k : components_of(field))
      for (const int l : components_of(trial_field)) {
        std::vector<Term> terms;
        for (int t = 0; t < in_.num_entries(); ++t)
          if (std::count(names.begin(), names.end(), name(k, l, t)) > 0)
            terms.push_back({basis(trial, t), name(k, l, t)});
        body.sum("",
                 fmt::format(
                     "r[WEFT_ENTRY({})]",
                     text_plus(row_of(trial, l), indices_.component_in_field(k) * in_.num_rows())),
                 terms, true);
      }
    if (body.text().empty())
      continue;
    const bool triangle = in_.symmetric && field == trial_field;
    const int n = num_nodes(trial_field);
    text.open(
        fmt::format("WEFT_UNROLL_NODES for (i32 j = {}; j < {}; ++j) {{", triangle ? "n" : "0", n));
    text.append(body, triangle ? n * (n + 1) / 2.0 : 1.0 * n * num_nodes(field));
    text.close();
  }
}

void MatrixPrinter::print_row(LaneText &text, bool of_sums) {
  open_function(
      text, of_sums ? "weft_matrix_row_finish" : "weft_matrix_row_add",
      (of_sums ? "const i32 i, "
               : std::string("const i32 q, const i32 i, WEFT_COEFFICIENT_SPACE const lane *f, ")) +
          "WEFT_MATRIX_SPACE lane *r");
  for (int field = 0; field < num_fields(); ++field) {
    text.open(fmt::format("if ({}) {{", is_within("i", first_node(field), num_nodes(field))));
    text.line(fmt::format("const i32 n = {};", counted_from("i", first_node(field))));
    print_row_of(text, field, of_sums);
    text.close();
  }
  text.close();
}

// One pair of nodes, n and m.
void MatrixPrinter::print_pair(LaneText &text, int test_field, int trial_field, bool of_sums) {
  const NodeOf test{test_field, -1, "n"}, trial{trial_field, -1, "m"};
  const int components = in_.tests[trial_field].components;
  for (const int k : components_of(test_field))
    for (const int l : components_of(trial_field)) {
      std::vector<Term> terms;
      for (int s = 0; s < in_.num_entries(); ++s) {
        const std::vector<Term> inner = trial_terms(k, l, s, trial, of_sums);
        if (inner.empty())
          continue;
        const std::string name = fmt::format("v{}_{}_{}", k, l, s);
        text.sum("const lane ", name, inner, false);
        terms.push_back({basis(test, s), name});
      }
      text.sum("",
               fmt::format("b[WEFT_ENTRY({})]", indices_.component_in_field(k) * components +
                                                    indices_.component_in_field(l)),
               terms, true);
    }
}

void MatrixPrinter::print_entry(LaneText &text, bool of_sums) {
  open_function(text, of_sums ? "weft_matrix_entry_finish" : "weft_matrix_entry_add",
                (of_sums ? "const i32 i, const i32 j, "
                         : std::string("const i32 q, const i32 i, const i32 j, "
                                       "WEFT_COEFFICIENT_SPACE const lane *f, ")) +
                    "WEFT_MATRIX_SPACE lane *b");
  for (int test = 0; test < num_fields(); ++test)
    for (int trial = 0; trial < num_fields(); ++trial) {
      if (skips(test, trial))
        continue;
      LaneText body = new_text();
      print_pair(body, test, trial, of_sums);
      if (body.text().empty())
        continue;
      const int rows = num_nodes(test), columns = num_nodes(trial);
      text.open(fmt::format("if ({} && {}) {{", is_within("i", first_node(test), rows),
                            is_within("j", first_node(trial), columns)));
      text.line(fmt::format("const i32 n = {};", counted_from("i", first_node(test))));
      text.line(fmt::format("const i32 m = {};", counted_from("j", first_node(trial))));
      text.append(body,
                  in_.symmetric && test == trial ? rows * (rows + 1) / 2.0 : 1.0 * rows * columns);
      text.close();
    }
  text.close();
}

void MatrixPrinter::print_sum(LaneText &text) {
  text.open("WEFT_FUNCTION void weft_matrix_sum(WEFT_PRIVATE weft_cell *cell, "
            "WEFT_COEFFICIENT_SPACE const lane *f) {");
  const int components = in_.num_components();
  for (int k = 0; k < components; ++k)
    for (int l = 0; l < components; ++l)
      for (int s = 1; s <= in_.dim; ++s)
        for (int t = 1; t <= in_.dim; ++t)
          if (const int sum = cell_.sum_index(k, l, s, t);
              sum >= 0 && indices_.is_computed(k, l, s, t)) {
            text.line(fmt::format("cell->sum[{0}] = cell->sum[{0}] + f[WEFT_COEFFICIENT({1})];",
                                  sum, indices_.value_index(k, l, s, t)));
            text.count().additions += 1;
          }
  text.close();
}

void MatrixPrinter::print_tensor(LaneText &text) {
  text.open("WEFT_FUNCTION void weft_matrix_tensor(WEFT_COEFFICIENT_SPACE const lane *f, "
            "WEFT_MATRIX_SPACE lane *a) {");
  for (int test = 0; test < num_fields(); ++test)
    for (int trial = 0; trial < num_fields(); ++trial) {
      if (skips(test, trial))
        continue;
      const ReferenceTensor tensor(in_, in_.tests[test].family, in_.tests[trial].family);
      const bool triangle = in_.symmetric && test == trial;
      // Coefficients by value: those of equal D add up.
      const auto sum_entry = [&](LaneText &to, const NodeOf &i, const NodeOf &j, int k, int l) {
        std::vector<double> sums(indices_.num_values(), 0.0);
        std::vector<Term> terms;
        for (int s = 0; s <= in_.dim; ++s)
          for (int t = 0; t <= in_.dim; ++t)
            if (const int value = indices_.value_index(k, l, s, t); value >= 0) {
              if (i.number >= 0)
                sums[value] += tensor.at(i.number, j.number, s, t);
              else
                terms.push_back({{.literal = false, .table = tensor.name_at("i", "j", s, t)},
                                 fmt::format("f[WEFT_COEFFICIENT({})]", value)});
            }
        for (int value = 0; value < indices_.num_values() && i.number >= 0; ++value)
          if (std::abs(sums[value]) > 1e-15)
            terms.push_back({{.literal = true, .value = sums[value]},
                             fmt::format("f[WEFT_COEFFICIENT({})]", value)});
        to.sum("", fmt::format("a[WEFT_ENTRY({})]", entry_of(i, k, j, l)), terms, false);
      };
      const auto sum_pair = [&](LaneText &to, const NodeOf &i, const NodeOf &j) {
        for (const int k : components_of(test))
          for (const int l : components_of(trial))
            if (!(triangle && i.number >= 0 && i.number == j.number && k > l))
              sum_entry(to, i, j, k, l);
      };
      const int n = num_nodes(test), m = num_nodes(trial);
      if (unrolled_) {
        for (int i = 0; i < n; ++i)
          for (int j = triangle ? i : 0; j < m; ++j)
            sum_pair(text, {test, i, ""}, {trial, j, ""});
        continue;
      }
      tensor_tables_[{in_.tests[test].family, in_.tests[trial].family}] =
          tensor.definition(in_.precision);
      LaneText body = new_text();
      sum_pair(body, {test, -1, "i"}, {trial, -1, "j"});
      text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", n));
      text.open(
          fmt::format("WEFT_NO_UNROLL for (i32 j = {}; j < {}; ++j) {{", triangle ? "i" : "0", m));
      text.append(body, triangle ? n * (n + 1) / 2.0 : 1.0 * n * m);
      text.close();
      text.close();
    }
  text.close();
}

void MatrixPrinter::print_vector(LaneText &text) {
  open_function(text, "weft_vector_add",
                "const i32 q, WEFT_COEFFICIENT_SPACE const lane *f, WEFT_PRIVATE lane *b");
  for (int field = 0; field < num_fields(); ++field) {
    const auto add = [&](LaneText &to, const NodeOf &test) {
      for (const int k : components_of(field)) {
        std::vector<Term> terms;
        for (int s = 0; s < in_.num_entries(); ++s)
          if (const int value = indices_.vector_index(k, s); value >= 0)
            terms.push_back({basis(test, s), fmt::format("f[WEFT_COEFFICIENT({})]", value)});
        to.sum("", fmt::format("b[{}]", row_of(test, k)), terms, true);
      }
    };
    const int n = num_nodes(field);
    for (int i = 0; i < n && unrolled_; ++i)
      add(text, {field, i, ""});
    LaneText body = new_text();
    if (!unrolled_)
      add(body, {field, -1, "i"});
    if (body.text().empty())
      continue;
    text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", n));
    text.append(body, n);
    text.close();
  }
  text.close();
}

void MatrixPrinter::print_numbers(LaneText &text) const {
  text.line("// Rows of node i of all.");
  // By returns: `i < n ? i : 3 * i` is of no one type in the host's dialect.
  const auto print = [&](const char *name, const auto &value_of) {
    text.open(fmt::format("WEFT_FUNCTION i32 {}(const i32 i) {{", name));
    for (int field = 0; field + 1 < num_fields(); ++field)
      text.line(fmt::format("if (i < {}) return {};", first_node(field + 1), value_of(field)));
    text.line(fmt::format("return {};", value_of(num_fields() - 1)));
    text.close();
  };
  print("weft_first_row", [&](int field) {
    const std::string node = counted_from("i", first_node(field));
    return affine_text(node == "i" ? node : "(" + node + ")", in_.tests[field].components,
                       in_.first_row(field));
  });
  print("weft_num_components",
        [&](int field) { return std::to_string(in_.tests[field].components); });
}

MatrixFunctions MatrixPrinter::print() {
  MatrixFunctions result;
  LaneText numbers = new_text(), points = new_text(), cell = new_text();
  if (variant_.loop_order == LoopOrder::sqs || variant_.loop_order == LoopOrder::ssq)
    print_numbers(numbers);
  switch (variant_.loop_order) {
  case LoopOrder::tensor:
    print_tensor(cell);
    break;
  case LoopOrder::qss:
    print_sum(points);
    print_all(points, false);
    print_all(cell, true);
    break;
  case LoopOrder::sqs:
    print_sum(points);
    print_row(points, false);
    print_row(cell, true);
    break;
  case LoopOrder::ssq:
    print_sum(points);
    print_entry(points, false);
    print_entry(cell, true);
    break;
  }
  if (in_.with_vector)
    print_vector(points);
  points.drop_unread_names();
  cell.drop_unread_names();
  const CellFunctions functions = cell_.print();
  result.tables = functions.tables;
  for (const auto &[families, table] : tensor_tables_)
    result.tables += table;
  result.functions = functions.functions + numbers.text() + points.text() + cell.text();
  result.num_values = functions.num_values;
  if (variant_.local == LocalArray::shape)
    result.local_tables = cell_.used_tables();
  result.unrolled = unrolled_;
  result.cost.num_values = functions.num_values;
  Operations &operations = result.cost.operations;
  operations = functions.prepare;
  operations +=
      (variant_.loop_order == LoopOrder::tensor ? 1.0 : in_.num_points()) * functions.point;
  operations += 1.0 * in_.num_points() * points.operations();
  operations += cell.operations();
  result.cost.performed = operations;
  if (const std::string access = local_access(variant_.local);
      !access.empty() && variant_.loop_order == LoopOrder::qss) {
    result.cost.local_reals =
        functions.prepare_local_reals + cell.occurrences(access) +
        in_.num_points() * (functions.point_local_reals + points.occurrences(access));
    if (variant_.local == LocalArray::matrix) // it begins with zeros
      result.cost.local_reals += in_.num_rows() * in_.num_rows();
  }
  return result;
}

} // namespace

bool unrolls_matrix(const CellIntegral &in) {
  return in.num_rows() * in.num_rows() <= most_unrolled_entries;
}

MatrixFunctions print_matrix_functions(const CellIntegral &integral, const MatrixVariant &variant) {
  return MatrixPrinter(integral, variant).print();
}

} // namespace weft
