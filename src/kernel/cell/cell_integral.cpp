#include "kernel/cell/cell_integral.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "form/weak_form/rates.h"
#include "kernel/cell/c_text.h"

namespace weft {

std::string to_string(IntegralKind kind) {
  switch (kind) {
  case IntegralKind::residual:
    return "residual";
  case IntegralKind::linearised:
    return "apply";
  case IntegralKind::diagonal:
    return "diagonal";
  case IntegralKind::matrix:
    return "matrix";
  }
  return {};
}

std::string to_string(GeometrySource geometry) {
  return geometry == GeometrySource::on_the_fly ? "on_the_fly" : "stored";
}

std::string to_string(Summation sums) {
  switch (sums) {
  case Summation::points:
    return "points";
  case Summation::lines:
    return "lines";
  case Summation::planes:
    return "planes";
  }
  return {};
}

Summation summation_from_name(const std::string &name) {
  for (const Summation s : {Summation::points, Summation::lines, Summation::planes})
    if (to_string(s) == name)
      return s;
  throw Error(ErrorKind::input, {.what = "unknown sums of kernels",
                                 .found = name,
                                 .allowed = "points, lines, planes",
                                 .remedy = "choose one of these, or leave them open"});
}

std::string side_prefix(Side side) {
  return side == Side::plus ? "p_" : "";
}

bool has_lines(CellType cell) {
  return cell == CellType::quadrilateral || cell == CellType::hexahedron;
}

std::string domain_name(const CellIntegral &in) {
  if (in.is_two_sided())
    return "_interior";
  if (!in.on_facets)
    return "";
  return in.has_normals() ? "_facets" : in.part_dim == 0 ? "_points" : "_edges";
}

std::string cell_names(const CellIntegral &in) {
  const std::string name = to_string(in.cell);
  return in.is_two_sided() && in.plus->cell != in.cell ? name + "_" + to_string(in.plus->cell)
                                                       : name;
}

bool CellIntegral::affine() const {
  return !is_two_sided() && (cell == CellType::triangle || cell == CellType::tetrahedron) &&
         geometry_element().order == 1 && (!on_facets || has_normals());
}

int CellIntegral::num_rows() const {
  return first_row(static_cast<int>(tests.size()));
}

int CellIntegral::first_row(int field) const {
  int row = 0;
  for (int f = 0; f < field; ++f)
    row += families[tests[f].family].element.num_nodes() * tests[f].components;
  return row;
}

int CellIntegral::num_components() const {
  int components = 0;
  for (const TestField &test : tests)
    components += test.components;
  return components;
}

int CellIntegral::nodes_held(int family) const {
  const Element &element = families[family].element;
  if (!by_planes())
    return element.num_nodes();
  return dim == 3 ? element.order + 1 : 1;
}

int CellIntegral::rows_held() const {
  int rows = 0;
  for (const TestField &test : tests)
    rows += nodes_held(test.family) * test.components;
  return rows;
}

int CellIntegral::num_cell_inputs() const {
  return first_cell_input(static_cast<int>(inputs.size()));
}

int CellIntegral::first_cell_input(int input) const {
  int entry = 0;
  for (int i = 0; i < input; ++i) {
    const NodalInput &in = inputs[i];
    if (in.kind == NodalInput::Kind::coordinates && !reads_coordinates())
      continue;
    entry += in.components * (in.family < 0 ? 1 : nodes_held(in.family));
  }
  return entry;
}

bool CellIntegral::output_is_zero(int output) const {
  return c_text ? c_text_output_is_zero(*this, output) : function.output_is_zero(output);
}

std::vector<int> CellIntegral::shifts() const {
  std::vector<int> used;
  for (int shift = 0; shift < num_shifts; ++shift)
    if (std::any_of(function.symbols.begin(), function.symbols.end(), [&](const Symbol &s) {
          return s.kind == SymbolKind::shift && s.component == shift;
        }))
      used.push_back(shift);
  return used;
}

std::string shift_name(int shift) {
  static const char *const names[num_shifts] = {"shift", "velocity_shift", "acceleration_shift"};
  return names[shift];
}

bool CellIntegral::uses_gradients() const {
  return function.uses(SymbolKind::inverse_jacobian) || function.uses(SymbolKind::field_gradient) ||
         function.uses(SymbolKind::direction_gradient) ||
         function.uses(SymbolKind::rate_offset_gradient) ||
         function.uses(SymbolKind::auxiliary_gradient);
}

bool CellIntegral::uses_test_gradients() const {
  const int block = num_entries() * num_entries();
  int output = 0;
  if (is_bilinear()) { // [block][num_entries()][num_entries()]
    const int components = num_components();
    const int blocks = kind == IntegralKind::matrix ? components * components : components;
    for (; output < blocks * block; ++output)
      if (output % block != 0 && !output_is_zero(output))
        return true;
    if (!with_vector)
      return false;
  }
  for (const TestField &test : tests) { // f0[component], f1[component][dim]
    output += test.components;
    for (int entry = 0; entry < test.components * dim; ++entry, ++output)
      if (!output_is_zero(output))
        return true;
  }
  return false;
}

bool CellIntegral::uses_gradient_pairs() const {
  if (kind != IntegralKind::matrix)
    return false;
  const auto is_gradient = [&](int entry) { return entry > 0 && entry <= dim; };
  const int width = num_entries(), blocks = num_components() * num_components();
  for (int output = 0; output < blocks * width * width; ++output)
    if (is_gradient(output / width % width) && is_gradient(output % width) &&
        !output_is_zero(output))
      return true;
  return false;
}

StoredGeometryLayout CellIntegral::stored_geometry_layout() const {
  return {.dim = dim,
          .num_points = num_points(),
          .affine = affine(),
          .inverse = uses_transform(),
          .positions = function.uses(SymbolKind::coordinate)};
}

namespace {

std::vector<int> table_reads(const PointwiseFunction &function, SymbolKind kind, Side side,
                             const std::vector<std::optional<double>> &table) {
  std::vector<int> entries;
  for (const Symbol &symbol : function.symbols)
    if (symbol.kind == kind && symbol.side == side && !table[symbol.component])
      entries.push_back(symbol.component);
  return entries;
}

} // namespace

std::vector<int> CellIntegral::cell_table_reads(Side side) const {
  return table_reads(function, SymbolKind::cell_parameter, side, cell_table);
}

std::vector<int> CellIntegral::facet_table_reads() const {
  return table_reads(function, SymbolKind::facet_parameter, Side::none, facet_table);
}

namespace {

// Copies of a function into a graph with symbols replaced.
class Blocks {
public:
  Blocks(const PointwiseFunction &linearised, int dim, const std::vector<int> &components,
         const std::vector<Side> &sides = {Side::none})
      : linearised_(linearised), dim_(dim) {
    for (const Side side : sides)
      for (std::size_t field = 0; field < components.size(); ++field) {
        for (int k = 0; k < components[field]; ++k) {
          components_.push_back({static_cast<int>(field), k, side});
          first_output_.push_back(num_outputs_ + k);
          first_flux_.push_back(num_outputs_ + components[field] + k * dim);
        }
        num_outputs_ += components[field] * (1 + dim);
      }
    if (static_cast<int>(linearised.outputs.size()) > num_outputs_)
      num_entries_ += num_hessian_entries(dim);
  }
  std::size_t num_components() const { return components_.size(); }
  // Appends d(f0_k, f1_k)/d(w_l, grad w_l); k and l count the components of all fields.
  void append(std::size_t k, std::size_t l);
  // Appends the negated outputs of a residual with all fields 0.
  void append_vector(const PointwiseFunction &residual);
  PointwiseFunction extracted() const { return extract(graph_, outputs_); }

private:
  std::vector<NodeId> copy(const PointwiseFunction &function,
                           const std::function<NodeId(const Symbol &)> &symbol);
  const std::vector<std::vector<NodeId>> &columns(std::size_t l);
  int output_of(std::size_t k, int entry) const;

  struct Component {
    int field = 0, component = 0;
    Side side = Side::none;
  };

  const PointwiseFunction &linearised_;
  const int dim_;
  std::vector<Component> components_;
  std::vector<int> first_output_, first_flux_; // [component of all]: of f0, of f1
  int num_outputs_ = 0;                        // without those of second derivatives
  int num_entries_ = 1 + dim_;
  std::map<std::size_t, std::vector<std::vector<NodeId>>> columns_;
  Graph graph_;
  std::vector<NodeId> outputs_;
};

std::vector<NodeId> Blocks::copy(const PointwiseFunction &function,
                                 const std::function<NodeId(const Symbol &)> &symbol) {
  std::vector<NodeId> map(function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const Node &node = function.nodes[i];
    if (node.op == Op::constant) {
      map[i] = graph_.constant(node.value);
    } else if (node.op == Op::symbol) {
      map[i] = symbol(function.symbols[node.symbol]);
    } else {
      const auto operand = [&](int k) {
        return node.operand[k] < 0 ? NodeId{-1} : map[node.operand[k]];
      };
      map[i] = graph_.make(node.op, operand(0), operand(1), operand(2));
    }
  }
  return map;
}

// The linearised function with the direction replaced by unit ones: entry 0 is the value of
// component l, entry 1 + d its derivative in direction d, then the second derivatives.
const std::vector<std::vector<NodeId>> &Blocks::columns(std::size_t l) {
  std::vector<std::vector<NodeId>> &columns = columns_[l];
  if (!columns.empty())
    return columns;
  for (int entry = 0; entry < num_entries_; ++entry)
    columns.push_back(copy(linearised_, [&](const Symbol &s) {
      int of_symbol = 0;
      if (s.kind == SymbolKind::direction_gradient)
        of_symbol = 1 + s.direction;
      else if (s.kind == SymbolKind::direction_hessian)
        of_symbol = 1 + dim_ + s.direction;
      else if (s.kind != SymbolKind::direction)
        return graph_.symbol(s);
      const Component &of = components_[l];
      const bool unit = s.index == of.field && s.component == of.component && s.side == of.side &&
                        entry == of_symbol;
      return graph_.constant(unit ? 1 : 0);
    }));
  return columns;
}

int Blocks::output_of(std::size_t k, int entry) const {
  if (entry == 0)
    return first_output_[k];
  if (entry <= dim_)
    return first_flux_[k] + entry - 1;
  return num_outputs_ + static_cast<int>(k) * num_hessian_entries(dim_) + entry - 1 - dim_;
}

void Blocks::append(std::size_t k, std::size_t l) {
  const auto &column = columns(l);
  for (int row = 0; row < num_entries_; ++row)
    for (int entry = 0; entry < num_entries_; ++entry)
      outputs_.push_back(column[entry][linearised_.outputs[output_of(k, row)]]);
}

void Blocks::append_vector(const PointwiseFunction &residual) {
  const std::vector<NodeId> map = copy(residual, [&](const Symbol &s) {
    const bool of_field = s.kind == SymbolKind::field || s.kind == SymbolKind::field_gradient ||
                          s.kind == SymbolKind::field_hessian;
    return of_field ? graph_.constant(0) : graph_.symbol(s);
  });
  for (const NodeId output : residual.outputs)
    outputs_.push_back(graph_.neg(map[output]));
}

void append_all(Blocks &blocks) {
  for (std::size_t k = 0; k < blocks.num_components(); ++k)
    for (std::size_t l = 0; l < blocks.num_components(); ++l)
      blocks.append(k, l);
}

} // namespace

PointwiseFunction matrix_blocks(const PointwiseFunction &linearised, int dim,
                                const std::vector<int> &field_components, bool two_sided) {
  const std::vector<Side> sides =
      two_sided ? std::vector{Side::minus, Side::plus} : std::vector{Side::none};
  Blocks blocks(linearised, dim, field_components, sides);
  append_all(blocks);
  return blocks.extracted();
}

PointwiseFunction matrix_and_vector(const PointwiseFunction &linearised,
                                    const PointwiseFunction &residual, int dim,
                                    const std::vector<int> &field_components) {
  Blocks blocks(linearised, dim, field_components);
  append_all(blocks);
  blocks.append_vector(residual);
  return blocks.extracted();
}

PointwiseFunction diagonal_blocks(const PointwiseFunction &linearised, int dim,
                                  const std::vector<int> &field_components) {
  Blocks blocks(linearised, dim, field_components);
  for (std::size_t k = 0; k < blocks.num_components(); ++k)
    blocks.append(k, k);
  return blocks.extracted();
}

} // namespace weft
