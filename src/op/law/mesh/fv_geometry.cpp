#include "op/law/mesh/fv_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "op/evaluate/point_values.h"
#include "op/law/mesh/fv_least_squares.h"

namespace weft {

namespace {

constexpr std::int64_t cells_of_a_chunk = 64;

// Sums over the points of each cell of a batch.
void set_centres(const PointBatch &batch, int dim, double *centre, double *volume) {
  const int points = batch.table().num_points;
  for (std::size_t c = 0; c < batch.cells().size(); ++c) {
    for (int q = 0; q < points; ++q) {
      const double measure = batch.measure()[c * points + q];
      volume[c] += measure;
      for (int d = 0; d < dim; ++d)
        centre[c * dim + d] += measure * batch.coordinate(d)[c * points + q];
    }
    for (int d = 0; d < dim; ++d)
      centre[c * dim + d] /= volume[c];
  }
}

void set_middles(const PointBatch &batch, int dim, int facet, int num_facets, double *middle) {
  const int points = batch.table().num_points;
  for (std::size_t c = 0; c < batch.cells().size(); ++c) {
    double area[3] = {0, 0, 0};
    for (int q = 0; q < points; ++q)
      for (int d = 0; d < dim; ++d)
        area[d] += batch.measure()[c * points + q] * batch.normal(d)[c * points + q];
    double sum = 0;
    double *to = middle + (c * num_facets + facet) * dim;
    for (int q = 0; q < points; ++q) {
      double along = 0;
      for (int d = 0; d < dim; ++d)
        along += area[d] * batch.normal(d)[c * points + q];
      along *= batch.measure()[c * points + q];
      sum += along;
      for (int d = 0; d < dim; ++d)
        to[d] += along * batch.coordinate(d)[c * points + q];
    }
    for (int d = 0; d < dim; ++d)
      to[d] /= sum;
  }
}

double largest_extent(const Mesh &mesh, Communicator *ranks) {
  double largest = 0;
  for (int d = 0; d < mesh.dim; ++d) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = d; i < mesh.coordinates.size(); i += mesh.dim) {
      low = std::min(low, mesh.coordinates[i]);
      high = std::max(high, mesh.coordinates[i]);
    }
    largest = std::max(largest, weft::largest(ranks, high) - weft::smallest(ranks, low));
  }
  return largest;
}

// What is known of cells, written to their lanes.
class FvWriter {
public:
  FvWriter(const Discretisation &d, const FacetNeighbours &neighbours, DgMesh &mesh)
      : law_(*d.law), neighbours_(neighbours), mesh_(mesh), dim_(mesh.dim),
        extent_(largest_extent(*d.mesh, d.ranks)) {
    for (const DgSet &set : mesh.sets)
      positions_.push_back(fv_positions(d, set.set));
    for (std::size_t b = 0; b < law_.boundaries.size(); ++b)
      is_sampled_.push_back(is_sampled(law_, static_cast<int>(b)));
  }

  void write(DgSet &set) {
    const DgValues values = dg_values(law_);
    const std::size_t slots = set.groups.cells.size();
    if (values.gradients > 0)
      set.gradient_weights.resize(slots * set.num_facets() * dim_);
    if (values.limiters > 0)
      set.limiter_slack.resize(slots);
    parallel_ranges(set.groups.num_groups(), [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t g = begin; g < end; ++g)
        for (int lane = 0; lane < mesh_.lanes; ++lane) {
          const std::int32_t cell = set.groups.cells[g * mesh_.lanes + lane];
          write(set, g, lane, cell >= 0 ? cell : set.groups.cells[g * mesh_.lanes]);
        }
    });
  }

private:
  void write(DgSet &set, std::int64_t group, int lane, std::int32_t cell) const {
    const FvPositions &own = positions_[set.set];
    std::vector<double> towards(std::size_t(set.num_facets()) * dim_, 0.0), weights(towards.size());
    for (int f = 0; f < set.num_facets(); ++f) {
      const std::int64_t index = std::int64_t(cell) * set.num_facets() + f;
      const FacetNeighbour &neighbour = neighbours_[set.set][index];
      const FvPositions &other = positions_[neighbour.plus.set];
      const std::int64_t other_index =
          std::int64_t(neighbour.plus.cell) * mesh_.sets[neighbour.plus.set].num_facets() +
          neighbour.plus.facet;
      for (int d = 0; d < dim_; ++d) {
        const double middle = own.middle[index * dim_ + d];
        const double minus = middle - own.centre[cell * dim_ + d];
        const double plus = neighbour.condition >= 0
                                ? 0
                                : other.middle[other_index * dim_ + d] -
                                      other.centre[neighbour.plus.cell * dim_ + d];
        const std::int64_t first = (group * set.num_facets() + f) * mesh_.facet.entries;
        const auto to = [&](int entry) -> double & {
          return set.facet_metric[(first + entry + d) * mesh_.lanes + lane];
        };
        if (mesh_.facet.middle >= 0)
          to(mesh_.facet.middle) = middle;
        if (mesh_.facet.offsets >= 0) {
          to(mesh_.facet.offsets) = minus;
          to(mesh_.facet.offsets + dim_) = plus;
        }
        if (neighbour.condition < 0 || is_sampled_[neighbour.condition])
          towards[f * dim_ + d] = minus - plus;
      }
    }
    if (!set.limiter_slack.empty())
      set.limiter_slack[group * mesh_.lanes + lane] =
          limiter_slack(std::pow(own.volume[cell], 1.0 / dim_) / extent_);
    if (set.gradient_weights.empty())
      return;
    least_squares_weights(dim_, towards, weights);
    for (std::size_t i = 0; i < weights.size(); ++i)
      set.gradient_weights[(group * std::int64_t(weights.size()) + std::int64_t(i)) * mesh_.lanes +
                           lane] = weights[i];
  }

  const ConservationLaw &law_;
  const FacetNeighbours &neighbours_;
  DgMesh &mesh_;
  int dim_;
  double extent_;
  std::vector<FvPositions> positions_; // [set]
  std::vector<bool> is_sampled_;       // [condition]
};

} // namespace

FvPositions fv_positions(const Discretisation &d, int set) {
  const int dim = d.mesh->dim, facets = num_facets(d.mesh->sets[set].type);
  const std::int64_t cells = d.mesh->sets[set].num_cells();
  const CellType type = d.mesh->sets[set].type;
  const bool is_simplex = type == CellType::triangle || type == CellType::tetrahedron;
  // Places times products of three derivatives of the geometry, on facets of two.
  const int degree = is_simplex && d.geometry.order == 1 ? 1 : 4 * d.geometry.order;
  const PointTable inside = make_cell_table(d, set, degree);
  std::vector<PointTable> on_facets;
  for (int f = 0; f < facets; ++f)
    on_facets.push_back(make_facet_table(d, set, f, degree));
  FvPositions positions{.centre = std::vector<double>(cells * dim),
                        .volume = std::vector<double>(cells),
                        .middle = std::vector<double>(cells * facets * dim)};
  parallel_chunks(cells, cells_of_a_chunk, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<std::int32_t> batch(end - begin);
    std::iota(batch.begin(), batch.end(), static_cast<std::int32_t>(begin));
    set_centres(PointBatch(d, inside, batch), dim, &positions.centre[begin * dim],
                &positions.volume[begin]);
    for (int f = 0; f < facets; ++f)
      set_middles(PointBatch(d, on_facets[f], batch), dim, f, facets,
                  &positions.middle[begin * facets * dim]);
  });
  return positions;
}

void set_fv_geometry(const Discretisation &d, const FacetNeighbours &neighbours, DgMesh &mesh) {
  FvWriter writer(d, neighbours, mesh);
  for (DgSet &set : mesh.sets)
    writer.write(set);
}

double limiter_slack(double relative_size) {
  constexpr double k = 5;
  return std::pow(k * relative_size, 3);
}

} // namespace weft
