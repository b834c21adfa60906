#include "op/reference/fv_cells.h"

#include <set>
#include <tuple>

#include "mesh/build/periodic_facets.h"
#include "op/evaluate/point_values.h"

namespace weft::reference {

namespace {

// Adds a facet's part of the cell's volume and of its first moments about an origin:
//   volume = int x.n / dim,  moment_d = int x_d^2/2 n_d  (divergence theorem)
void add_facet_integrals(const Discretisation &d, FvCell &cell, int facet, const FvVector &origin,
                         FvVector &moment) {
  const int dim = d.mesh->dim;
  const PointTable table = make_facet_table(d, cell.set, facet, 4 * d.geometry.order + 2);
  const PointBatch batch(d, table, {&cell.cell, 1});
  std::vector<FvVector> normals, positions;
  FvVector area = FvVector::Zero();
  for (int q = 0; q < batch.num_points(); ++q) {
    FvVector &n = normals.emplace_back(FvVector::Zero());
    FvVector &x = positions.emplace_back(FvVector::Zero());
    for (int k = 0; k < dim; ++k) {
      n[k] = batch.measure()[q] * batch.normal(k)[q];
      x[k] = batch.coordinate(k)[q];
    }
    const FvVector r = x - origin;
    cell.volume += r.dot(n) / dim;
    moment += r.cwiseProduct(r).cwiseProduct(n) / 2;
    area += n;
  }
  FvVector middle = FvVector::Zero();
  for (int q = 0; q < batch.num_points(); ++q)
    middle += normals[q].dot(area) / area.squaredNorm() * positions[q];
  cell.areas.push_back(area);
  cell.middles.push_back(middle);
}

} // namespace

std::vector<FvCell> fv_cells(const Discretisation &d) {
  std::vector<FvCell> cells;
  const NodeMap &map = d.map_of_field(0);
  const int dim = d.mesh->dim;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s)
    for (std::int32_t c = 0; c < d.mesh->sets[s].num_cells(); ++c) {
      FvCell &cell = cells.emplace_back(FvCell{.set = static_cast<int>(s), .cell = c});
      for (int k = 0; k < dim; ++k)
        cell.position[k] = map.coordinates[std::int64_t(map.sets[s].nodes[c]) * dim + k];
      FvVector moment = FvVector::Zero();
      for (int f = 0; f < num_facets(d.mesh->sets[s].type); ++f)
        add_facet_integrals(d, cell, f, cell.position, moment);
      cell.centre = cell.position + moment / cell.volume;
    }
  return cells;
}

std::vector<FvFacet> fv_facets(const Discretisation &d, const std::vector<FvCell> &cells) {
  std::vector<int> first;
  int count = 0;
  for (const CellSet &set : d.mesh->sets) {
    first.push_back(count);
    count += static_cast<int>(set.num_cells());
  }
  std::vector<FvFacet> facets;
  std::set<std::tuple<int, int, int>> inside;
  const auto add = [&](const Facet &facet, int condition) {
    FvFacet &f = facets.emplace_back();
    f.minus = first[facet.minus.set] + facet.minus.cell;
    f.condition = condition;
    f.facet_class = facet.facet_class;
    f.area = cells[f.minus].areas[facet.minus.facet];
    f.middle = cells[f.minus].middles[facet.minus.facet];
    f.minus_offset = f.middle - cells[f.minus].centre;
    if (condition >= 0)
      return;
    f.plus = first[facet.plus.set] + facet.plus.cell;
    f.plus_offset = cells[f.plus].middles[facet.plus.facet] - cells[f.plus].centre;
    for (const FacetRef &ref : {facet.minus, facet.plus})
      inside.emplace(ref.set, ref.cell, ref.facet);
  };
  for (const Facet &facet : interior_facets(*d.mesh))
    add(facet, -1);
  for (const Facet &facet : periodic_facets(*d.mesh))
    add(facet, -1);
  for (std::int64_t f = 0; f < d.mesh->num_boundary_facets; ++f) {
    const Facet &facet = d.mesh->facets[f];
    if (!inside.contains({facet.minus.set, facet.minus.cell, facet.minus.facet}))
      add(facet, d.condition_of_class[facet.facet_class]);
  }
  return facets;
}

} // namespace weft::reference
