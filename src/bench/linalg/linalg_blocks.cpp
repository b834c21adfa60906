#include "bench/linalg/linalg_blocks.h"

#include <cmath>
#include <memory>

#include "base/error.h"
#include "linalg/stored_matrix.h"
#include "linalg/vector_costs.h"
#include "linalg/vector_kernels.h"

namespace weft {

namespace {

struct BlockTraits {
  const char *name;
  double flops; // an unknown; of csr and sell: an entry
  bool matrix, only_reads;
};
constexpr BlockTraits all_traits[] = {
    {"axpy", 2, false, false},     {"axpy_entries", 2, false, false},
    {"dot", 2, false, true},       {"norm", 2, false, true},
    {"axpy_dot", 4, false, false}, {"largest", 1, false, true},
    {"band9", 18, true, true},     {"csr", 2, true, true},
    {"sell", 2, true, true},       {"sell32", 2, true, true}};

const BlockTraits &traits_of(const std::string &block) {
  for (const BlockTraits &traits : all_traits)
    if (block == traits.name)
      return traits;
  throw Error(ErrorKind::input, {.what = "unknown block of linear algebra",
                                 .found = block,
                                 .remedy = "see weft bench linalg --help"});
}

double moved_bytes(const KernelCost &cost) {
  return cost.bytes_read + cost.bytes_written + cost.bytes_streamed;
}

// Numbers between `least` and `least` + 1.
Vector filled_vector(Device &device, std::int64_t size, Precision precision, double least = -0.5) {
  Vector v = make_vector(device, size, precision, "vector of a block");
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = 0.01 * static_cast<double>(i % 101) + least;
  set_vector(device, v, values);
  return v;
}

// What the blocks on vectors share.
struct VectorData {
  std::unique_ptr<VectorKernels> kernels;
  Vector x, y, d;
  Buffer a;
};

LinalgBlock vector_block(Device &device, const LinalgCase &c, const BlockTraits &traits) {
  const auto data = std::make_shared<VectorData>();
  const std::int64_t size = c.unknowns / c.systems * c.systems;
  data->kernels = std::make_unique<VectorKernels>(device, c.vectors, size, 1,
                                                  std::set<std::string>{"block"}, c.systems);
  data->x = filled_vector(device, size, c.vectors);
  data->y = filled_vector(device, size, c.vectors);
  data->d = filled_vector(device, size, c.vectors);
  data->a = data->kernels->reals(c.systems, "coefficients");
  data->kernels->write_reals(data->a, std::vector<double>(c.systems, 0x1p-10));
  std::string kernel = "vector_" + c.block;
  VectorChoices choices;
  LinalgBlock block{.unknowns = size,
                    .flops = traits.flops * static_cast<double>(size),
                    .only_reads = traits.only_reads};
  if (c.block == "axpy")
    block.work = [data] { data->kernels->axpy(data->y, data->a, data->x); };
  else if (c.block == "axpy_entries")
    block.work = [data] { data->kernels->axpy_entries(data->y, data->d, data->x); };
  else if (c.block == "dot")
    block.work = [data] { data->kernels->dot(data->x, data->y, 0); };
  else if (c.block == "axpy_dot")
    block.work = [data] { data->kernels->axpy_dot(data->y, data->a, data->x, 0); };
  else if (c.block == "largest")
    block.work = [data] { data->kernels->largest(data->x, 0); };
  else {
    kernel = "vector_dot";
    choices.same = true;
    block.work = [data] { data->kernels->dot(data->x, data->x, 0); };
  }
  block.bytes = moved_bytes(vector_kernel_cost(kernel, data->kernels->shape(), choices));
  return block;
}

template <typename Matrix>
LinalgBlock matrix_block(Device &device, const std::shared_ptr<Matrix> &matrix, std::int64_t size,
                         Precision vectors) {
  LinalgBlock block{
      .unknowns = size, .bytes = moved_bytes(matrix->cost().cost), .only_reads = true};
  const Vector x = filled_vector(device, size, vectors);
  auto y = std::make_shared<Vector>(filled_vector(device, size, vectors));
  block.work = [matrix, x, y] { matrix->apply(x, *y); };
  return block;
}

HostMatrix tetrahedra_of_a_cube(std::int64_t nodes_a_side) {
  // A cell's diagonal runs from its lowest corner to the highest, so that neighbours differ by 0 or
  // 1 in every direction, or by 0 or -1.
  const std::int64_t n = nodes_a_side;
  HostMatrix matrix;
  matrix.row_start = {0};
  for (std::int64_t row = 0; row < n * n * n; ++row) {
    const std::int64_t at[] = {row % n, row / n % n, row / (n * n)};
    const auto add = [&](int sign, int corner, double value) {
      std::int64_t column = 0;
      for (int d = 2; d >= 0; --d) {
        const std::int64_t to = at[d] + sign * (corner >> d & 1);
        if (to < 0 || to >= n)
          return;
        column = column * n + to;
      }
      matrix.columns.push_back(static_cast<std::int32_t>(column));
      matrix.values.push_back(value);
    };
    for (int corner = 7; corner >= 1; --corner)
      add(-1, corner, -1.0 / corner);
    add(1, 0, 8);
    for (int corner = 1; corner <= 7; ++corner)
      add(1, corner, -1.0 / corner);
    matrix.row_start.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

// k of the cell whose lowest corner is node (i, j): between 1 and 3.
double coefficient(std::int64_t i, std::int64_t j) {
  return 2 + std::sin(0.7 * static_cast<double>(i)) * std::cos(0.4 * static_cast<double>(j));
}

} // namespace

std::vector<std::string> linalg_block_names() {
  std::vector<std::string> names;
  for (const BlockTraits &traits : all_traits)
    names.emplace_back(traits.name);
  return names;
}

bool is_matrix_block(const std::string &block) {
  return traits_of(block).matrix;
}

std::int64_t most_rows(const std::string &block) {
  constexpr std::int64_t vectors = std::int64_t{1} << 26, bands = 1 << 22, sparse = 1 << 21;
  return !is_matrix_block(block) ? vectors : block == "band9" ? bands : sparse;
}

HostBands q1_patch(std::int64_t width, std::int64_t height, double shift) {
  // The stiffness matrix of a square cell, its nodes (0,0), (1,0), (0,1), (1,1).
  constexpr double stiffness[4][4] = {
      {4, -1, -1, -2}, {-1, 4, -2, -1}, {-1, -2, 4, -1}, {-2, -1, -1, 4}};
  HostBands matrix{.width = width, .height = height, .bands = {}};
  for (std::vector<double> &band : matrix.bands)
    band.assign(matrix.size(), 0.0);
  const auto inside = [&](std::int64_t i, std::int64_t j) {
    return i >= 0 && i < width && j >= 0 && j < height;
  };
  // Cells around the patch too: their outer nodes are prescribed.
  for (std::int64_t j = -1; j < height; ++j)
    for (std::int64_t i = -1; i < width; ++i)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          const std::int64_t ia = i + a % 2, ja = j + a / 2, ib = i + b % 2, jb = j + b / 2;
          if (inside(ia, ja) && inside(ib, jb))
            matrix.bands[(jb - ja + 1) * 3 + ib - ia + 1][ja * width + ia] +=
                coefficient(i, j) * stiffness[a][b] / 6;
        }
  for (double &diagonal : matrix.bands[num_bands / 2])
    diagonal *= 1 + shift;
  return matrix;
}

LinalgMatrices make_linalg_matrices(std::int64_t rows) {
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows)));
  const auto cube = static_cast<std::int64_t>(std::lround(std::cbrt(static_cast<double>(rows))));
  return {.bands = q1_patch(side, side, 0),
          .sparse = rows <= most_rows("sell") ? tetrahedra_of_a_cube(cube) : HostMatrix()};
}

LinalgBlock make_horner_block(Device &device, Precision precision, std::int64_t unknowns,
                              int degree) {
  const auto data = std::make_shared<VectorData>();
  data->kernels = std::make_unique<VectorKernels>(device, precision, unknowns, 1,
                                                  std::set<std::string>{"block"});
  // Below zero, where sums stay between -1 and 0 however often they are done.
  data->x = filled_vector(device, unknowns, precision, -1);
  const KernelCost cost =
      vector_kernel_cost("vector_horner", data->kernels->shape(), {.degree = degree});
  return {.work = [data, degree] { data->kernels->horner(data->x, degree); },
          .unknowns = unknowns,
          .flops = (2.0 * degree - 1) * static_cast<double>(unknowns),
          .bytes = moved_bytes(cost)};
}

LinalgBlock make_linalg_block(Device &device, const LinalgCase &c, const LinalgMatrices &matrices) {
  const BlockTraits &traits = traits_of(c.block);
  if (!traits.matrix)
    return vector_block(device, c, traits);
  const ProductSettings settings{.storage = c.storage, .vectors = c.vectors, .systems = c.systems};
  if (c.block == "band9") {
    const auto matrix = std::make_shared<BandMatrix>(device, matrices.bands, settings);
    LinalgBlock block = matrix_block(device, matrix, matrix->vector_size(), c.vectors);
    block.flops = traits.flops * static_cast<double>(block.unknowns);
    return block;
  }
  const auto matrix = std::make_shared<StoredMatrix>(
      device, matrices.sparse, c.block == "csr" ? MatrixFormat::csr : MatrixFormat::sell, settings,
      c.block == "sell32");
  LinalgBlock block = matrix_block(device, matrix, matrix->product().vector_size(), c.vectors);
  block.flops = traits.flops * static_cast<double>(matrices.sparse.values.size()) * c.systems;
  return block;
}

} // namespace weft
