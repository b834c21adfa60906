#include "mesh/make/place_groups.h"

#include <algorithm>
#include <functional>
#include <map>

#include "mesh/make/distribute_mesh.h"
#include "ranks/thread_ranks.h"
#include "support/cut_mesh.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

using Position = std::array<double, 3>;

// Conditions by name, in place of the language of expressions.
const std::map<std::string, std::function<bool(const Position &)>> conditions = {
    {"left", [](const Position &x) { return x[0] < 1e-9; }},
    {"bottom edge", [](const Position &x) { return x[1] < 1e-9 && x[2] < 1e-9; }},
    {"right half", [](const Position &x) { return x[0] > 1 - 1e-9; }},
    {"left half", [](const Position &x) { return x[0] < 1 + 1e-9; }},
    {"nowhere", [](const Position &x) { return x[0] > 9; }}};

MeshSpec spec_of_box(const std::string &cell, std::vector<GroupSpec> groups) {
  MeshSpec spec;
  spec.box = box_spec(cell, {4, 2, 2});
  spec.box->size = {2, 1, 1};
  for (GroupSpec &group : groups)
    group.place = "[mesh] groups." + group.name;
  spec.groups = std::move(groups);
  spec.condition_holds = [](const SourceText &condition, int dim,
                            const std::vector<double> &points) {
    std::vector<bool> holds;
    for (std::size_t p = 0; p < points.size(); p += dim) {
      Position x = {0, 0, 0};
      std::copy_n(&points[p], dim, x.begin());
      holds.push_back(conditions.at(condition.text)(x));
    }
    return holds;
  };
  return spec;
}

GroupSpec by(GroupKind kind, const std::string &name, const std::string &condition) {
  return {.name = name, .kind = kind, .condition = {.text = condition}};
}

Mesh made(const MeshSpec &spec) {
  Timings timings;
  return make_mesh(spec, timings);
}

std::int64_t num_facets_of(const Mesh &mesh, const std::string &group) {
  return std::count_if(mesh.facets.begin(), mesh.facets.end(), [&](const Facet &facet) {
    const auto &groups = mesh.facet_classes[facet.facet_class].groups;
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  });
}

std::int64_t num_cells_of(const Mesh &mesh, const std::string &group) {
  std::int64_t count = 0;
  for (const CellSet &set : mesh.sets)
    for (const std::int32_t region : set.region) {
      const auto &groups = mesh.region_classes[region].groups;
      count += std::find(groups.begin(), groups.end(), group) != groups.end() ? 1 : 0;
    }
  return count;
}

std::vector<GroupSpec> all_groups(int dim) {
  std::vector<GroupSpec> groups = {
      by(GroupKind::cells, "warm", "right half"),
      by(GroupKind::cells, "cold", "left half"),
      by(GroupKind::facets, "inlet", "left"),
      {.name = "tip", .kind = GroupKind::point, .point = {2, 1, 1}},
      {.name = "glue", .kind = GroupKind::between, .between = {"warm", "cold"}}};
  groups[3].point.resize(dim);
  if (dim == 3)
    groups.push_back(by(GroupKind::edges, "rail", "bottom edge"));
  return groups;
}

TEST(PlaceGroups, AreThoseOfTheCondition) {
  for (const std::string cell : all_cells) {
    const int dim = dimension(cell_type_from_name(cell));
    MeshSpec spec = spec_of_box(cell, all_groups(dim));
    const Mesh coarse = made(spec);
    EXPECT_EQ(num_facets_of(coarse, "inlet"), num_facets_of(coarse, "x0")) << cell;
    EXPECT_EQ(num_facets_of(coarse, "glue"), num_facets_of(coarse, "x0")) << cell;
    EXPECT_EQ(2 * num_cells_of(coarse, "warm"), coarse.num_cells()) << cell;
    EXPECT_EQ(2 * num_cells_of(coarse, "cold"), coarse.num_cells()) << cell;
    EXPECT_EQ(num_cells_of(coarse, "box"), coarse.num_cells()) << cell;
    ASSERT_EQ(coarse.point_groups.at("tip").size(), 1u) << cell;
    const std::int32_t tip = coarse.point_groups.at("tip")[0];
    EXPECT_EQ(coarse.coordinates[tip * dim], 2) << cell;
    EXPECT_EQ(coarse.edge_groups.size(), dim == 3 ? 1u : 0u) << cell;
    spec.refine = 1;
    const Mesh fine = made(spec);
    const int parts = dim == 2 ? 2 : 4;
    EXPECT_EQ(num_facets_of(fine, "inlet"), parts * num_facets_of(coarse, "inlet")) << cell;
    EXPECT_EQ(num_facets_of(fine, "glue"), parts * num_facets_of(coarse, "glue")) << cell;
    EXPECT_EQ(fine.point_groups.at("tip"), coarse.point_groups.at("tip")) << cell;
    for (const auto &[name, edges] : coarse.edge_groups) {
      EXPECT_EQ(edges.size(), 4u) << cell;
      EXPECT_EQ(fine.edge_groups.at(name).size(), 8u) << cell;
    }
  }
}

TEST(PlaceGroups, AreTheSameInParts) {
  for (const int refine : {0, 2}) {
    MeshSpec spec = spec_of_box("tetrahedron", all_groups(3));
    spec.refine = refine;
    Timings timings;
    const Mesh whole = make_whole_mesh(spec, timings);
    std::vector<Mesh> parts(3);
    run_thread_ranks(3, [&](Communicator &ranks) {
      Timings unused;
      parts[ranks.rank()] = distribute_mesh(
          spec, ranks, [](CellType) { return 1.0; }, unused, {}, 1);
    });
    expect_parts_of_mesh({whole, parts}, "refined " + std::to_string(refine));
    EXPECT_EQ(whole.edge_groups.at("rail").size(), 4u << refine);
  }
}

TEST(PlaceGroups, PairsOfThemArePeriodic) {
  MeshSpec spec = spec_of_box("quadrilateral", {by(GroupKind::facets, "in", "left")});
  spec.periodic = {{"in", "x1"}};
  EXPECT_EQ(made(spec).periodic_master.size(), 3u);
}

TEST(PlaceGroups, SayWhatIsWrong) {
  const auto expect = [](const std::string &cell, const GroupSpec &group,
                         const std::vector<std::string> &parts) {
    expect_error(ErrorKind::input, parts, [&] { made(spec_of_box(cell, {group})); });
  };
  expect("triangle", by(GroupKind::facets, "x0", "left"),
         {"has a group of this name", "[mesh] groups.x0", "box, x0, x1, y0, y1"});
  expect("triangle", by(GroupKind::facets, "wall", "nowhere"),
         {"A group of boundary facets is empty", "0 vertices", "between (0, 0) and (2, 1)"});
  expect("tetrahedron", by(GroupKind::edges, "rail", "nowhere"), {"A group of edges is empty"});
  expect("tetrahedron", by(GroupKind::cells, "hot", "nowhere"), {"A group of cells is empty"});
  expect("triangle", by(GroupKind::edges, "rail", "left"),
         {"In two dimensions edges are facets", "write facets = \"left\""});
  expect("triangle", {.name = "tip", .kind = GroupKind::point, .point = {2.2, 1}},
         {"far from every vertex", "the nearest to (2.2, 1) is (2, 1), at a distance of 0.2",
          "hundredth"});
  expect("triangle", {.name = "tip", .kind = GroupKind::point, .point = {2, 1, 0}},
         {"wrong number of coordinates"});
  expect("triangle", {.name = "glue", .kind = GroupKind::between, .between = {"box", "bxo"}},
         {"no region of this name", "bxo", "did you mean box"});
}

} // namespace
} // namespace weft
