#include "bench/fv/bench_fv_matrices.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "bench/fv/ideal_matrix.h"
#include "case/user_settings.h"
#include "linalg/stored_matrix.h"
#include "mesh/make/make_mesh.h"
#include "mesh/statistics/count_line_reuse.h"
#include "mesh/statistics/order_statistics.h"
#include "op/law/fv_diffusion.h"
#include "op/law/mesh/fv_coefficients.h"

namespace weft {

namespace {

constexpr double cpu_line_bytes = 64, gpu_line_bytes = 32;

// x = 0, 0.01, ..., and y.
struct Operands {
  Vector x, y;
};

std::shared_ptr<Operands> make_operands(Device &device, std::int64_t columns, std::int64_t rows,
                                        Precision precision) {
  auto operands = std::make_shared<Operands>(Operands{make_vector(device, columns, precision, "x"),
                                                      make_vector(device, rows, precision, "y")});
  std::vector<double> values(columns);
  for (std::int64_t i = 0; i < columns; ++i)
    values[i] = 0.01 * static_cast<double>(i % 101);
  set_vector(device, operands->x, values);
  return operands;
}

NeighbourSum neighbour_sum(const FvBenchMatrix &matrix, const FvDiffusion &diffusion,
                           const DeviceInfo &device) {
  const KernelCost cost = diffusion.cost().cost;
  const double rows = static_cast<double>(matrix.matrix.num_rows);
  NeighbourSum sum;
  sum.precision = diffusion.settings().precision;
  sum.cells = rows;
  sum.bytes_read = cost.bytes_read / rows;
  sum.bytes_written = (cost.bytes_written + cost.bytes_streamed) / rows;
  sum.streams = cost.bytes_streamed > 0;
  sum.line_bytes = device.is_cpu ? cpu_line_bytes : gpu_line_bytes;
  sum.block_cells = matrix.block;
  const int line_cells =
      static_cast<int>(sum.line_bytes / static_cast<double>(size_bytes(sum.precision)));
  if (*diffusion.settings().form == FvForm::plain) {
    sum.reuse = line_reuse(matrix.adjacency, line_cells);
    return sum;
  }
  const BlockReuse reuse =
      block_line_reuse(matrix.adjacency, line_cells, *diffusion.settings().block_rows);
  sum.reuse = reuse.copied;
  sum.stage_reuse = reuse.stage;
  sum.copied_by_index = reuse.outside_entries;
  sum.copied = 1 + sum.copied_by_index;
  sum.stage_bytes = cost.stage_bytes;
  return sum;
}

FvDiffusionSettings settings_of(const std::string &kernel, Precision precision) {
  FvDiffusionSettings settings;
  settings.precision = precision;
  settings.form = kernel == "staged" ? FvForm::staged : FvForm::plain;
  if (kernel == "plain16")
    settings.index_bits = 16;
  if (kernel == "plain")
    settings.ahead = 0;
  return settings;
}

} // namespace

FvBenchMatrix ideal_bench_matrix(std::int64_t rows, std::int64_t block) {
  FvBenchMatrix result{.name = "ideal", .matrix = make_ideal_matrix(rows, block)};
  result.adjacency = make_adjacency(result.matrix.index, rows, result.matrix.width);
  result.block = static_cast<double>(block);
  result.lines = line_accesses(result.adjacency, {});
  return result;
}

FvBenchMesh make_bench_mesh(const std::string &file, std::int64_t cells, bool trust) {
  MeshSpec spec;
  const int n = std::max(
      1, static_cast<int>(std::lround(std::cbrt(static_cast<double>(cells) / 6)))); // a box has six
  if (file.empty())
    spec.box = BoxSpec{.dim = 3, .cells = {n, n, n}, .cell = "tetrahedron", .distort = 0.2};
  else
    spec.file = file;
  spec.trust = trusts_foreign_code(trust);
  const Mesh mesh = make_mesh_as_it_is(spec);
  const CellGraph graph = make_cell_graph(mesh);
  FvCoefficients coefficients = make_fv_coefficients(mesh, graph);
  FvBenchMesh result{.name = file.empty() ? "box" : std::filesystem::path(file).stem().string(),
                     .dim = mesh.dim};
  result.adjacency = make_adjacency(graph.neighbour, graph.num_cells, graph.width);
  result.matrix = std::move(coefficients.matrix);
  for (std::int64_t c = 0; c < graph.num_cells; ++c)
    for (int d = 0; d < mesh.dim; ++d)
      result.centres.push_back(coefficients.places[c][d]);
  return result;
}

FvBenchMatrix ordered_bench_matrix(const FvBenchMesh &mesh, CellOrder order,
                                   std::int64_t block_cells) {
  const CellOrdering ordering =
      cell_order(order, mesh.adjacency, mesh.centres, mesh.dim, block_cells);
  const LineReads reads{.width = mesh.matrix.width};
  FvBenchMatrix result{.name = mesh.name, .order = to_string(order)};
  result.matrix = reordered(mesh.matrix, ordering.cells);
  result.adjacency = reordered(mesh.adjacency, ordering.cells);
  result.lines = line_accesses(result.adjacency, reads);
  result.block = effective_block_size(result.lines, result.matrix.num_rows, reads);
  result.outside =
      block_share(result.adjacency, ordering.block_offset.empty()
                                        ? even_blocks(result.matrix.num_rows, block_cells)
                                        : ordering.block_offset)
          .outside_share();
  return result;
}

HostMatrix difference_matrix(const EllpackMatrix &matrix) {
  require(matrix.num_ghosts == 0, "a matrix without ghosts");
  HostMatrix result;
  result.row_start.push_back(0);
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::int64_t i = 0; i < matrix.num_rows; ++i) {
    row.assign(1, {static_cast<std::int32_t>(i), 0.0});
    for (std::int64_t e = i * matrix.width; e < (i + 1) * matrix.width; ++e)
      if (matrix.index[e] != i) {
        row.emplace_back(matrix.index[e], matrix.value[e]);
        row.front().second -= matrix.value[e];
      }
    std::sort(row.begin(), row.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    const auto first = static_cast<std::size_t>(result.row_start.back());
    for (const auto &[column, value] : row) // columns that come twice are one entry
      if (result.columns.size() > first && result.columns.back() == column)
        result.values.back() += value;
      else {
        result.columns.push_back(column);
        result.values.push_back(value);
      }
    result.row_start.push_back(static_cast<std::int32_t>(result.columns.size()));
  }
  return result;
}

FvBenchKernel make_fv_bench_kernel(Device &device, const FvBenchMatrix &matrix,
                                   const std::string &kernel, Precision precision) {
  const auto operands =
      make_operands(device, matrix.matrix.num_columns(), matrix.matrix.num_rows, precision);
  if (kernel == "matrix") {
    const auto stored =
        std::make_shared<StoredMatrix>(device, difference_matrix(matrix.matrix), MatrixFormat::sell,
                                       ProductSettings{.storage = precision, .vectors = precision});
    return {.apply = [stored, operands] { stored->apply(operands->x, operands->y); },
            .y = operands->y,
            .moved_bytes = stored->cost().cost.bytes()};
  }
  const auto diffusion =
      std::make_shared<FvDiffusion>(device, matrix.matrix, settings_of(kernel, precision));
  return {.apply = [diffusion, operands] { diffusion->apply(operands->x, operands->y); },
          .y = operands->y,
          .moved_bytes = diffusion->cost().cost.bytes(),
          .model = neighbour_sum(matrix, *diffusion, device.info())};
}

} // namespace weft
