#include "mesh/parts/mesh_bytes.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "base/error.h"

namespace weft {

namespace {

class Writer {
public:
  template <typename T> void operator()(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&value, sizeof value);
  }
  void operator()(const std::string &text) { array(text); }
  template <typename T> void operator()(const std::vector<T> &values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      array(values);
    } else {
      (*this)(static_cast<std::int64_t>(values.size()));
      for (const T &value : values)
        (*this)(value);
    }
  }
  template <typename Key, typename Value> void operator()(const std::map<Key, Value> &values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    for (const auto &[key, value] : values) {
      (*this)(key);
      (*this)(value);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  template <typename Array> void array(const Array &values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    add(values.data(), values.size() * sizeof(values[0]));
  }
  void add(const void *from, std::size_t count) {
    const auto *bytes = static_cast<const std::byte *>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
  }
  std::vector<std::byte> bytes_;
};

class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T> void operator()(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    take(&value, sizeof value);
  }
  void operator()(std::string &text) { array(text); }
  template <typename T> void operator()(std::vector<T> &values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      array(values);
    } else {
      values.resize(count());
      for (T &value : values)
        (*this)(value);
    }
  }
  template <typename Key, typename Value> void operator()(std::map<Key, Value> &values) {
    for (std::int64_t left = count(); left > 0; --left) {
      Key key{};
      (*this)(key);
      (*this)(values[key]);
    }
  }
  bool at_end() const { return bytes_.empty(); }

private:
  std::int64_t count() {
    std::int64_t value = 0;
    (*this)(value);
    return value;
  }
  template <typename Array> void array(Array &values) {
    values.resize(count());
    take(values.data(), values.size() * sizeof(values[0]));
  }
  void take(void *to, std::size_t count) {
    require(count <= bytes_.size(), "a mesh has all its bytes");
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }
  std::span<const std::byte> bytes_;
};

// Visits all that a mesh holds: writes it, or reads it.
template <typename Visit, typename M> void for_members(Visit &visit, M &mesh) {
  visit(mesh.dim);
  visit(mesh.geometry_order);
  visit(mesh.coordinates);
  auto num_sets = static_cast<std::int64_t>(mesh.sets.size());
  visit(num_sets);
  if constexpr (!std::is_const_v<M>)
    mesh.sets.resize(num_sets);
  for (auto &set : mesh.sets) {
    visit(set.type);
    visit(set.nodes_per_cell);
    visit(set.nodes);
    visit(set.region);
    visit(set.leaf_offset);
    visit(set.canonical);
  }
  auto num_facets = static_cast<std::int64_t>(mesh.facets.size());
  visit(num_facets);
  if constexpr (!std::is_const_v<M>)
    mesh.facets.resize(num_facets);
  for (auto &facet : mesh.facets) { // member by member: the same mesh has the same bytes
    for (auto *side : {&facet.minus, &facet.plus}) {
      visit(side->set);
      visit(side->cell);
      visit(side->facet);
    }
    visit(facet.facet_class);
  }
  visit(mesh.num_boundary_facets);
  for (auto *classes : {&mesh.region_classes, &mesh.facet_classes}) {
    auto num_classes = static_cast<std::int64_t>(classes->size());
    visit(num_classes);
    if constexpr (!std::is_const_v<M>)
      classes->resize(num_classes);
    for (auto &of_class : *classes)
      visit(of_class.groups);
  }
  visit(mesh.point_groups);
  visit(mesh.periodic_master);
  bool is_part = mesh.share.has_value();
  visit(is_part);
  if (!is_part)
    return;
  if constexpr (!std::is_const_v<M>) {
    mesh.share.emplace();
    mesh.share->sets.resize(num_sets);
  }
  auto &share = *mesh.share;
  for (auto &cells : share.sets) {
    visit(cells.num_inner);
    visit(cells.num_owned);
    visit(cells.whole);
    visit(cells.owner);
  }
  visit(share.part);
  visit(share.num_parts);
  visit(share.whole_nodes);
  visit(share.vertex_owner);
  visit(share.num_whole_cells);
  visit(share.num_whole_nodes);
}

} // namespace

std::vector<std::byte> mesh_to_bytes(const Mesh &mesh) {
  Writer writer;
  for_members(writer, mesh);
  return writer.take();
}

Mesh mesh_from_bytes(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Mesh mesh;
  for_members(reader, mesh);
  require(reader.at_end(), "a mesh has no bytes left");
  return mesh;
}

} // namespace weft
