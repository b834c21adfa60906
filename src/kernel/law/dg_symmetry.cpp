#include "kernel/law/dg_symmetry.h"

#include <Eigen/Dense>
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "kernel/text/constant_table.h"

namespace weft {

namespace {

bool has_derivative(DgStage stage) {
  return stage == DgStage::fused || stage == DgStage::differentiate;
}

bool has_lift(DgStage stage) {
  return stage == DgStage::fused || stage == DgStage::lift;
}

// Indices of the combinations of a class, ascending.
std::vector<int> indices_of(const SymmetricPoints &points, int of_class) {
  std::vector<int> indices;
  for (int p = 0; p < points.size(); ++p)
    if (points.classes[p] == of_class)
      indices.push_back(p);
  return indices;
}

// Matrices of the derivative along each axis: those of the reference directions, by the inverse of
// NodalSymmetry::axes.
std::vector<std::vector<double>> axis_derivatives(const NodalOperators &operators,
                                                  const NodalSymmetry &symmetry) {
  const auto dim = static_cast<Eigen::Index>(operators.directions.size());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd inverse = Eigen::Map<const Rows>(symmetry.axes.data(), dim, dim).inverse();
  std::vector<std::vector<double>> result;
  for (Eigen::Index a = 0; a < dim; ++a) {
    auto &sum = result.emplace_back(operators.directions[0].weak_derivative.size());
    for (Eigen::Index r = 0; r < dim; ++r)
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += inverse(r, a) * operators.directions[r].weak_derivative[i];
  }
  return result;
}

} // namespace

bool dg_knows_symmetry(const DgKernelSpec &spec) {
  return spec.affine && !spec.node_group && !spec.law->finite_volume &&
         spec.operators->element.order > 0 && has_nodal_symmetry(spec.operators->element.cell);
}

bool dg_uses_symmetry(DgStage stage, const DgKernelSpec &spec) {
  return spec.by_symmetry && (has_derivative(stage) || has_lift(stage));
}

DgClasses dg_classes(DgStage stage, const NodalOperators &operators, int rows) {
  DgClasses result{.symmetry = make_nodal_symmetry(operators),
                   .has_derivative = has_derivative(stage),
                   .has_lift = has_lift(stage)};
  const NodalSymmetry &s = result.symmetry;
  const auto dim = s.axis_class.size();
  const int n = s.nodes.size();
  if (result.has_derivative)
    result.derivative_index.resize(dim * n);
  if (result.has_lift)
    result.lift_index.resize(s.facet_points.size());
  result.rate_index.resize(n);
  for (int c = 0; c < s.classes; ++c) {
    DgClasses::Block block{.first_input = result.inputs};
    for (std::size_t a = 0; result.has_derivative && a < dim; ++a)
      for (const int index : indices_of(s.nodes, c ^ s.axis_class[a]))
        result.derivative_index[a * n + index] = result.inputs++;
    if (result.has_lift)
      for (const int index : indices_of(s.facet_points, c))
        result.lift_index[index] = result.inputs++;
    block.inputs = result.inputs - block.first_input;
    const std::vector<int> of_class = indices_of(s.nodes, c);
    for (std::size_t first = 0; first < of_class.size(); first += rows) {
      block.rows = std::min(rows, static_cast<int>(of_class.size() - first));
      for (int r = 0; r < block.rows; ++r)
        result.rate_index[of_class[first + r]] = static_cast<int>(result.blocks.size()) * rows + r;
      block.first_entry = result.entries;
      result.entries += block.inputs * rows;
      result.blocks.push_back(block);
    }
  }
  return result;
}

double DgClasses::needed_products() const {
  double sum = 0;
  for (const Block &block : blocks)
    sum += double(block.rows) * block.inputs;
  return sum;
}

double DgClasses::combining_additions() const {
  const double of_nodes = 1 + (has_derivative ? double(symmetry.axis_class.size()) : 0);
  return of_nodes * symmetry.nodes.additions() + (has_lift ? symmetry.facet_points.additions() : 0);
}

std::vector<double> dg_class_matrix(const DgClasses &classes, const NodalOperators &operators,
                                    int rows) {
  const NodalSymmetry &s = classes.symmetry;
  std::vector<double> entries(classes.entries);
  // The column of a combination that has to do with a class is that of its input.
  const auto fill = [&](const std::vector<double> &matrix, const SymmetricPoints &from,
                        const int *input_index, int axis_class) {
    for (int to_index = 0; to_index < s.nodes.size(); ++to_index) {
      const int row = classes.rate_index[to_index];
      const DgClasses::Block &block = classes.blocks[row / rows];
      for (const int index : indices_of(from, s.nodes.classes[to_index] ^ axis_class))
        entries[block.first_entry + (input_index[index] - block.first_input) * rows + row % rows] =
            between_combinations(matrix, s.nodes, to_index, from, index);
    }
  };
  if (classes.has_derivative) {
    const auto derivatives = axis_derivatives(operators, s);
    for (std::size_t a = 0; a < derivatives.size(); ++a)
      fill(derivatives[a], s.nodes, classes.derivative_index.data() + a * s.nodes.size(),
           s.axis_class[a]);
  }
  if (classes.has_lift)
    fill(operators.whole_lift(), s.facet_points, classes.lift_index.data(), 0);
  return entries;
}

std::string dg_symmetry_text(const DgClasses &classes, int rows, Precision precision) {
  const NodalSymmetry &s = classes.symmetry;
  std::string text;
  const auto define = [&](const char *name, std::size_t value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  define("WEFT_HAS_DERIVATIVE", classes.has_derivative);
  define("WEFT_HAS_LIFT", classes.has_lift);
  define("WEFT_INPUTS", classes.inputs);
  define("WEFT_CLASS_BLOCKS", classes.blocks.size());
  define("WEFT_CLASS_ROWS", classes.blocks.size() * rows);
  define("WEFT_NODE_FOURS", s.nodes.fours);
  define("WEFT_NODE_TWOS", s.nodes.twos);
  define("WEFT_FACET_FOURS", s.facet_points.fours);
  define("WEFT_FACET_TWOS", s.facet_points.twos);
  text += integer_table("weft_node_at", s.nodes.points);
  text += integer_table("weft_rate_index", classes.rate_index);
  if (classes.has_derivative) {
    text += integer_table("weft_derivative_index", classes.derivative_index);
    text += fmt::format("WEFT_CONSTANT real weft_axis[{}] = {{", s.axes.size());
    for (std::size_t i = 0; i < s.axes.size(); ++i)
      text += (i == 0 ? "" : ", ") + format_literal(s.axes[i], precision);
    text += "};\n";
  }
  if (classes.has_lift) {
    text += integer_table("weft_point_at", s.facet_points.points);
    text += integer_table("weft_lift_index", classes.lift_index);
  }
  std::vector<int> first_input, inputs, first_entry;
  for (const DgClasses::Block &block : classes.blocks) {
    first_input.push_back(block.first_input);
    inputs.push_back(block.inputs);
    first_entry.push_back(block.first_entry);
  }
  return text + integer_table("weft_block_input", first_input) +
         integer_table("weft_block_inputs", inputs) +
         integer_table("weft_block_entry", first_entry);
}

} // namespace weft
