#include "mesh/gmsh/write_gmsh.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "mesh/build/second_order.h"
#include "mesh/gmsh/gmsh_elements.h"

namespace weft {

namespace {

// Numbers and lines, the counterpart of GmshSource.
class GmshSink {
public:
  GmshSink(const std::string &path, bool binary) : path_(path), binary_(binary) {
    temporary_ = fmt::format("{}.{}.tmp", path, ::getpid());
    file_.open(temporary_, std::ios::binary | std::ios::trunc);
    check();
  }
  ~GmshSink() {
    std::error_code ignored;
    if (!finished_)
      std::filesystem::remove(temporary_, ignored);
  }
  void text(const std::string &line) { file_ << line << '\n'; }
  void int32(std::int64_t value) { put(static_cast<std::int32_t>(value)); }
  void int64(std::int64_t value) { put(value); }
  void real(double value) {
    if (binary_)
      put(value);
    else
      file_ << format_real(value) << ' ';
  }
  // Ends a line in ASCII.
  void end() {
    if (!binary_)
      file_ << '\n';
  }
  void end_section(const char *name) { file_ << (binary_ ? "\n$End" : "$End") << name << '\n'; }
  bool binary() const { return binary_; }
  void finish() {
    file_.close();
    check();
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error)
      fail(error.message());
    finished_ = true;
  }

private:
  template <typename T> void put(T value) {
    if (binary_)
      file_.write(reinterpret_cast<const char *>(&value), sizeof(T));
    else
      file_ << value << ' ';
  }
  void check() {
    if (!file_)
      fail(std::strerror(errno));
  }
  [[noreturn]] void fail(const std::string &reason) const {
    throw Error(ErrorKind::system,
                {"The mesh cannot be written.", path_, reason,
                 "a file in a writable folder with room", "choose another path"});
  }

  std::string path_, temporary_;
  bool binary_;
  bool finished_ = false;
  std::ofstream file_;
};

// Physical numbers of group names in one dimension, in the order of the names.
using Physicals = std::map<std::string, int>;

Physicals number_groups(const std::vector<std::string> &names) {
  Physicals numbers;
  for (const auto &name : names)
    numbers.emplace(name, static_cast<int>(numbers.size()) + 1);
  return numbers;
}

struct Groups {
  Physicals points, facets, regions;
};

Groups number_all_groups(const Mesh &mesh) {
  std::vector<std::string> points;
  for (const auto &[name, nodes] : mesh.point_groups)
    points.push_back(name);
  return {number_groups(points), number_groups(mesh.facet_group_names()),
          number_groups(mesh.region_names())};
}

void write_names(GmshSink &sink, const Mesh &mesh, const Groups &groups) {
  sink.text("$PhysicalNames");
  sink.text(fmt::format("{}", groups.points.size() + groups.facets.size() + groups.regions.size()));
  const auto write = [&](int dim, const Physicals &names) {
    for (const auto &[name, number] : names)
      sink.text(fmt::format("{} {} \"{}\"", dim, number, name));
  };
  write(0, groups.points);
  write(mesh.dim - 1, groups.facets);
  write(mesh.dim, groups.regions);
  sink.text("$EndPhysicalNames");
}

std::array<double, 6> bounds(const Mesh &mesh) {
  std::array<double, 6> box = {0, 0, 0, 0, 0, 0};
  for (std::int64_t i = 0; i < mesh.num_nodes(); ++i)
    for (int d = 0; d < mesh.dim; ++d) {
      const double x = mesh.coordinates[i * mesh.dim + d];
      box[d] = i == 0 ? x : std::min(box[d], x);
      box[3 + d] = i == 0 ? x : std::max(box[3 + d], x);
    }
  return box;
}

// A class of cells or facets is an entity: class number + 1, its groups as physical ones.
void write_classes(GmshSink &sink, const std::vector<GroupClass> &classes, const Physicals &numbers,
                   const std::array<double, 6> &box) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    sink.int32(static_cast<std::int64_t>(c) + 1);
    for (double x : box)
      sink.real(x);
    sink.int64(static_cast<std::int64_t>(classes[c].groups.size()));
    for (const auto &group : classes[c].groups)
      sink.int32(numbers.at(group));
    sink.int64(0);
    sink.end();
  }
}

// A point group is an entity of its own.
void write_entities(GmshSink &sink, const Mesh &mesh, const Groups &groups) {
  const auto box = bounds(mesh);
  std::array<std::int64_t, 4> counts = {static_cast<std::int64_t>(groups.points.size()), 0, 0, 0};
  counts[mesh.dim - 1] = static_cast<std::int64_t>(mesh.facet_classes.size());
  counts[mesh.dim] = static_cast<std::int64_t>(mesh.region_classes.size());
  sink.text("$Entities");
  for (auto count : counts)
    sink.int64(count);
  sink.end();
  for (const auto &[name, number] : groups.points) {
    sink.int32(number);
    for (int d = 0; d < 3; ++d)
      sink.real(box[d]);
    sink.int64(1);
    sink.int32(number);
    sink.end();
  }
  write_classes(sink, mesh.facet_classes, groups.facets, box);
  write_classes(sink, mesh.region_classes, groups.regions, box);
  sink.end_section("Entities");
}

void write_nodes(GmshSink &sink, const Mesh &mesh) {
  const std::int64_t count = mesh.num_nodes();
  sink.text("$Nodes");
  for (std::int64_t value : {std::int64_t(1), count, std::int64_t(1), count})
    sink.int64(value);
  sink.end();
  for (int value : {mesh.dim, 1, 0}) // one block, on the first entity, not parametric
    sink.int32(value);
  sink.int64(count);
  sink.end();
  for (std::int64_t i = 1; i <= count; ++i) {
    sink.int64(i);
    sink.end();
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d)
      sink.real(d < mesh.dim ? mesh.coordinates[i * mesh.dim + d] : 0.0);
    sink.end();
  }
  sink.end_section("Nodes");
}

// Elements of one type on one entity, their nodes one after another in our order.
struct ElementBlock {
  CellType type;
  int entity;
  std::vector<std::int32_t> nodes;
};

std::vector<ElementBlock> collect_blocks(const Mesh &mesh, const Groups &groups) {
  std::map<std::tuple<int, CellType, int>, std::vector<std::int32_t>> blocks;
  for (const auto &[name, nodes] : mesh.point_groups)
    blocks[{0, CellType::point, groups.points.at(name)}] = nodes;
  for (const auto &facet : mesh.facets) {
    if (mesh.facet_classes[facet.facet_class].groups.empty())
      continue;
    const CellSet &set = mesh.sets[facet.minus.set];
    const CellType type = facet_type(set.type, facet.minus.facet);
    auto &nodes = blocks[{mesh.dim - 1, type, facet.facet_class + 1}];
    for (int i : facet_geometry_nodes(set.type, facet.minus.facet, mesh.geometry_order))
      nodes.push_back(
          set.nodes[static_cast<std::int64_t>(facet.minus.cell) * set.nodes_per_cell + i]);
  }
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      auto &nodes = blocks[{mesh.dim, set.type, set.region[c] + 1}];
      nodes.insert(nodes.end(), &set.nodes[c * set.nodes_per_cell],
                   &set.nodes[c * set.nodes_per_cell] + set.nodes_per_cell);
    }
  std::vector<ElementBlock> list;
  for (auto &[key, nodes] : blocks)
    list.push_back({std::get<1>(key), std::get<2>(key), std::move(nodes)});
  return list;
}

void write_elements(GmshSink &sink, const Mesh &mesh, const Groups &groups) {
  const auto blocks = collect_blocks(mesh, groups);
  const auto size = [&](const ElementBlock &block) {
    return static_cast<std::int64_t>(block.nodes.size()) /
           num_geometry_nodes(block.type, mesh.geometry_order);
  };
  std::int64_t count = 0;
  for (const auto &block : blocks)
    count += size(block);
  sink.text("$Elements");
  for (std::int64_t value :
       {static_cast<std::int64_t>(blocks.size()), count, std::int64_t(1), count})
    sink.int64(value);
  sink.end();
  std::int64_t tag = 0;
  for (const auto &block : blocks) {
    const GmshElementType &type = gmsh_element(block.type, mesh.geometry_order);
    const int n = static_cast<int>(type.permutation.size());
    sink.int32(dimension(block.type));
    sink.int32(block.entity);
    sink.int32(type.number);
    sink.int64(size(block));
    sink.end();
    std::array<std::int32_t, 27> theirs;
    for (std::int64_t e = 0; e < size(block); ++e) {
      for (int i = 0; i < n; ++i)
        theirs[type.permutation[i]] = block.nodes[e * n + i];
      sink.int64(++tag);
      for (int i = 0; i < n; ++i)
        sink.int64(theirs[i] + std::int64_t(1));
      sink.end();
    }
  }
  sink.end_section("Elements");
}

void write_periodic(GmshSink &sink, const Mesh &mesh) {
  if (mesh.periodic_master.empty())
    return;
  sink.text("$Periodic");
  sink.int64(1);
  sink.end();
  for (int value : {mesh.dim - 1, 1, 1}) // the entities do not matter, the nodes do
    sink.int32(value);
  sink.end();
  sink.int64(0);
  sink.end();
  sink.int64(static_cast<std::int64_t>(mesh.periodic_master.size()));
  sink.end();
  for (const auto &[node, master] : mesh.periodic_master) {
    sink.int64(node + std::int64_t(1));
    sink.int64(master + std::int64_t(1));
    sink.end();
  }
  sink.end_section("Periodic");
}

} // namespace

void write_gmsh(const Mesh &mesh, const std::string &path, bool binary) {
  GmshSink sink(path, binary);
  sink.text("$MeshFormat");
  sink.text(fmt::format("4.1 {} 8", binary ? 1 : 0));
  if (binary)
    sink.int32(1); // byte order
  sink.end_section("MeshFormat");
  const Groups groups = number_all_groups(mesh);
  write_names(sink, mesh, groups);
  write_entities(sink, mesh, groups);
  write_nodes(sink, mesh);
  write_elements(sink, mesh, groups);
  write_periodic(sink, mesh);
  sink.finish();
}

} // namespace weft
