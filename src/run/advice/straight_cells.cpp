#include "run/advice/straight_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <tuple>

#include "base/names.h"
#include "mesh/position.h"
#include "op/problem/boundary_conditions.h"

namespace weft {

namespace {

// Where two facets of a class meet: an edge in 3D, a vertex in 2D.
struct Meeting {
  std::int32_t facet_class = 0;
  std::array<std::int32_t, 2> vertices = {-1, -1};
  Position normal = {}; // of length 1, of the facet that says so
};

Position normal_of(const Mesh &mesh, const std::vector<std::int32_t> &vertices) {
  const Position along =
      difference_of(position_of(mesh, vertices[1]), position_of(mesh, vertices[0]));
  Position normal = {along[1], -along[0], 0};
  if (mesh.dim == 3)
    normal = cross_product(
        along, difference_of(position_of(mesh, vertices[2]), position_of(mesh, vertices[0])));
  const double length = norm_of(normal);
  return {normal[0] / length, normal[1] / length, normal[2] / length};
}

// Sorted by class and place.
std::vector<Meeting> meetings_of(const Mesh &mesh) {
  std::vector<Meeting> meetings;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const Facet &facet = mesh.facets[f];
    if (!is_own_cell(mesh, facet.minus))
      continue;
    const CellSet &set = mesh.sets[facet.minus.set];
    std::vector<std::int32_t> vertices;
    for (const int v : facet_vertices(set.type, facet.minus.facet))
      vertices.push_back(set.nodes[std::int64_t(facet.minus.cell) * set.nodes_per_cell + v]);
    const Position normal = normal_of(mesh, vertices);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const std::int32_t a = vertices[i];
      const std::int32_t b = mesh.dim == 3 ? vertices[(i + 1) % vertices.size()] : -1;
      meetings.push_back({facet.facet_class, {std::min(a, b), std::max(a, b)}, normal});
    }
  }
  std::sort(meetings.begin(), meetings.end(), [](const Meeting &a, const Meeting &b) {
    return std::tie(a.facet_class, a.vertices) < std::tie(b.facet_class, b.vertices);
  });
  return meetings;
}

// [facet class]: the mean angle, in degrees, at which facets of a curved boundary meet; 0 of flat
// ones, and of those with few facets.
std::vector<double> bends_of(const Discretisation &d) {
  constexpr double least = 0.5, most = 46; // degrees: beyond, it is a corner
  constexpr double fewest = 6;             // meetings
  const Mesh &mesh = *d.mesh;
  const std::vector<Meeting> meetings = meetings_of(mesh);
  const std::size_t num_classes = mesh.facet_classes.size();
  std::vector<double> all(num_classes, 0), bent(num_classes, 0), sum(num_classes, 0);
  for (std::size_t i = 1; i < meetings.size(); ++i) {
    const Meeting &a = meetings[i - 1], &b = meetings[i];
    if (a.facet_class != b.facet_class || a.vertices != b.vertices)
      continue;
    const double angle =
        180 / std::numbers::pi *
        std::atan2(norm_of(cross_product(a.normal, b.normal)), weft::product(a.normal, b.normal));
    all[a.facet_class] += 1;
    if (angle >= least && angle <= most) {
      bent[a.facet_class] += 1;
      sum[a.facet_class] += angle;
    }
  }
  all = weft::sum(d.ranks, all);
  bent = weft::sum(d.ranks, bent);
  sum = weft::sum(d.ranks, sum);
  std::vector<double> bends(num_classes, 0);
  for (std::size_t k = 0; k < num_classes; ++k)
    // On a cylinder a third of the edges of triangles run along its axis.
    if (all[k] >= fewest && 2 * bent[k] >= all[k])
      bends[k] = sum[k] / bent[k];
  return bends;
}

} // namespace

std::vector<std::string> straight_cells(const Case &c, const Discretisation &d) {
  const bool higher = std::any_of(d.form.fields.begin(), d.form.fields.end(),
                                  [](const FieldSpec &field) { return field.order > 1; });
  if (!higher || d.mesh->geometry_order > 1 || c.mesh.box)
    return {};
  const std::vector<double> bends = bends_of(d);
  std::vector<std::string> names;
  double most = 0;
  for (std::size_t k = 0; k < bends.size(); ++k)
    if (bends[k] > 0) {
      const GroupClass &facets = d.mesh->facet_classes[k];
      names.push_back(facets.groups.empty() ? "facets without a group" : name_of_class(facets));
      most = std::max(most, bends[k]);
    }
  if (names.empty())
    return {};
  return {fmt::format(
      "{}: {} {} curved, but cells are straight (their facets meet at {:.2g} degrees): elements of "
      "order 2 and more reach no more than order 2 there; [mesh] order = 2 bends the cells of a "
      "geometry, and meshes of order 2 in files are bent as they are",
      place_in(c, "[mesh]"), join_names(names), names.size() > 1 ? "look" : "looks", most)};
}

} // namespace weft
