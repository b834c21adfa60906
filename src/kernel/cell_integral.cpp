#include "kernel/cell_integral.h"

#include "base/error.h"
#include "kernel/c_text.h"

namespace weft {

std::string to_string(IntegralKind kind) {
  switch (kind) {
  case IntegralKind::residual:
    return "residual";
  case IntegralKind::linearised:
    return "apply";
  case IntegralKind::diagonal:
    return "diagonal";
  }
  return {};
}

std::string to_string(GeometrySource geometry) {
  return geometry == GeometrySource::on_the_fly ? "on_the_fly" : "stored";
}

bool CellIntegral::affine() const {
  return (cell == CellType::triangle || cell == CellType::tetrahedron) &&
         geometry_element().order == 1;
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

int CellIntegral::num_cell_inputs() const {
  return first_cell_input(static_cast<int>(inputs.size()));
}

int CellIntegral::first_cell_input(int input) const {
  int entry = 0;
  for (int i = 0; i < input; ++i) {
    const NodalInput &in = inputs[i];
    if (in.kind == NodalInput::Kind::coordinates && !reads_coordinates())
      continue;
    entry += in.components * (in.family < 0 ? 1 : nodes_of(in));
  }
  return entry;
}

bool CellIntegral::output_is_zero(int output) const {
  return c_text ? c_text_output_is_zero(*this, output) : function.output_is_zero(output);
}

bool CellIntegral::uses_gradients() const {
  return function.uses(SymbolKind::field_gradient) ||
         function.uses(SymbolKind::direction_gradient) ||
         function.uses(SymbolKind::auxiliary_gradient);
}

bool CellIntegral::uses_test_gradients() const {
  int output = 0;
  for (const TestField &test : tests)
    if (kind == IntegralKind::diagonal) { // [component][1 + dim][1 + dim]
      const int block = (1 + dim) * (1 + dim);
      for (int entry = 0; entry < test.components * block; ++entry, ++output)
        if (entry % block != 0 && !output_is_zero(output))
          return true;
    } else { // f0[component], f1[component][dim]
      output += test.components;
      for (int entry = 0; entry < test.components * dim; ++entry, ++output)
        if (!output_is_zero(output))
          return true;
    }
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

std::vector<int> table_reads(const PointwiseFunction &function, SymbolKind kind,
                             const std::vector<std::optional<double>> &table) {
  std::vector<int> entries;
  for (const Symbol &symbol : function.symbols)
    if (symbol.kind == kind && !table[symbol.component])
      entries.push_back(symbol.component);
  return entries;
}

} // namespace

std::vector<int> CellIntegral::cell_table_reads() const {
  return table_reads(function, SymbolKind::cell_parameter, cell_table);
}

std::vector<int> CellIntegral::facet_table_reads() const {
  return table_reads(function, SymbolKind::facet_parameter, facet_table);
}

PointwiseFunction diagonal_blocks(const PointwiseFunction &linearised, int dim,
                                  const std::vector<int> &field_components) {
  Graph graph;
  std::vector<NodeId> outputs;
  // The linearised function with the direction replaced by a unit one: entry 0 is the value of
  // component k of the field, entry 1 + d its derivative in direction d.
  const auto with_unit_direction = [&](int field, int component, int entry) {
    std::vector<NodeId> map(linearised.nodes.size());
    for (std::size_t i = 0; i < linearised.nodes.size(); ++i) {
      const Node &node = linearised.nodes[i];
      if (node.op == Op::constant) {
        map[i] = graph.constant(node.value);
      } else if (node.op == Op::symbol) {
        const Symbol &s = linearised.symbols[node.symbol];
        const bool value = s.kind == SymbolKind::direction;
        const bool gradient = s.kind == SymbolKind::direction_gradient;
        if (value || gradient) {
          const bool unit = s.index == field && s.component == component &&
                            entry == (value ? 0 : 1 + s.direction);
          map[i] = graph.constant(unit ? 1 : 0);
        } else {
          map[i] = graph.symbol(s);
        }
      } else {
        const auto operand = [&](int k) {
          return node.operand[k] < 0 ? NodeId{-1} : map[node.operand[k]];
        };
        map[i] = graph.make(node.op, operand(0), operand(1), operand(2));
      }
    }
    return map;
  };
  int first_output = 0; // of the field: f0[component], then f1[component][direction]
  for (std::size_t field = 0; field < field_components.size(); ++field) {
    const int components = field_components[field];
    for (int k = 0; k < components; ++k) {
      std::vector<std::vector<NodeId>> columns;
      for (int entry = 0; entry <= dim; ++entry)
        columns.push_back(with_unit_direction(static_cast<int>(field), k, entry));
      for (int row = 0; row <= dim; ++row) {
        const int output =
            row == 0 ? first_output + k : first_output + components + k * dim + row - 1;
        for (int entry = 0; entry <= dim; ++entry)
          outputs.push_back(columns[entry][linearised.outputs[output]]);
      }
    }
    first_output += components * (1 + dim);
  }
  return extract(graph, outputs);
}

} // namespace weft
