#include "mesh/gmsh/gmsh_builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/build/second_order.h"

namespace weft {

GmshBuilder::GmshBuilder(GmshSource &source) : source_(source) {
  raw_.file = source.path();
}

void GmshBuilder::add_physical_name(int dim, std::int64_t tag, const std::string &name) {
  if (name.empty() || has_control_character(name, false))
    throw Error(ErrorKind::input,
                {name.empty() ? "The mesh names a group with an empty text."
                              : "The mesh names a group with a control character.",
                 source_.where(), name, "letters, digits and signs", "rename the physical group"});
  for (const char *reserved : {"all", "boundary", "interior"})
    if (name == reserved)
      throw Error(ErrorKind::input,
                  {"The mesh names a group with a reserved word.", source_.where(), name,
                   "any name but all, boundary, interior", "rename the physical group"});
  physical_names_[{dim, tag}] = name;
}

void GmshBuilder::reserve_nodes(std::int64_t count) {
  if (count > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {"The mesh has too many nodes.", source_.where(),
                                         std::to_string(count), "at most 2147483647", ""});
  node_tags_.reserve(count);
  raw_.coordinates.reserve(3 * count);
}

void GmshBuilder::add_node_position() {
  for (int d = 0; d < 3; ++d) {
    const double x = source_.real("coordinate");
    if (!std::isfinite(x))
      source_.fail("A node's coordinate is no finite number.", std::to_string(x), "numbers");
    raw_.coordinates.push_back(x);
  }
}

void GmshBuilder::finish_nodes() {
  if (nodes_known_)
    source_.fail("The mesh has a second section of nodes.", "$Nodes", "one $Nodes");
  nodes_known_ = true;
  if (node_tags_.empty())
    source_.fail("The mesh has no nodes.", "0", "at least 3");
  const auto [low, high] = std::minmax_element(node_tags_.begin(), node_tags_.end());
  lowest_tag_ = *low;
  if (*low < 0)
    source_.fail("A node has a negative number.", std::to_string(*low), "0 or more");
  const std::int64_t count = static_cast<std::int64_t>(node_tags_.size());
  const std::int64_t range = *high - *low;
  const auto twice = [&](std::int64_t tag) {
    source_.fail("A node number is given twice.", std::to_string(tag), "each number once");
  };
  if (range <= 4 * count + 1024) {
    dense_.assign(range + 1, -1);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int32_t &slot = dense_[node_tags_[i] - lowest_tag_];
      if (slot >= 0)
        twice(node_tags_[i]);
      slot = static_cast<std::int32_t>(i);
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      sparse_.emplace_back(node_tags_[i], static_cast<std::int32_t>(i));
    std::sort(sparse_.begin(), sparse_.end());
    for (std::int64_t i = 1; i < count; ++i)
      if (sparse_[i].first == sparse_[i - 1].first)
        twice(sparse_[i].first);
  }
  node_tags_ = {};
}

std::int32_t GmshBuilder::find_sparse_node(std::int64_t tag) const {
  const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), std::pair{tag, 0});
  if (found != sparse_.end() && found->first == tag)
    return found->second;
  source_.fail("A node number has no node.", std::to_string(tag),
               nodes_known_ ? "a number listed in $Nodes" : "$Nodes before its use");
}

GmshBuilder::ElementSink GmshBuilder::sink(std::int64_t gmsh_type) {
  const GmshElementType *type = find_gmsh_element(gmsh_type);
  if (!type)
    throw Error(ErrorKind::unsupported,
                {"Weft does not read this type of element.", source_.where(),
                 "Gmsh element type " + std::to_string(gmsh_type),
                 "points, lines, triangles, quadrilaterals, tetrahedra, pyramids, prisms, "
                 "hexahedra of order 1 and complete order 2",
                 "mesh with -order 1 or 2 and Mesh.SecondOrderIncomplete = 0"});
  RawElements &elements = elements_[type->number];
  elements.type = type->cell;
  elements.order = type->order;
  elements.nodes_per_element = num_geometry_nodes(type->cell, type->order);
  return {type, &elements};
}

bool GmshBuilder::add_elements(const ElementSink &sink, std::int64_t count, int label) {
  RawElements &elements = *sink.elements;
  const std::int64_t n = elements.nodes_per_element, record = 1 + n, first = elements.size();
  const std::size_t bytes = count * record * sizeof(std::int64_t);
  const std::string_view records = source_.peek_bytes(bytes);
  if (!source_.binary() || records.size() < bytes)
    return false;
  const auto resize = [&](std::int64_t size) {
    elements.nodes.resize(size * n);
    elements.labels.resize(size, label);
    elements.tags.resize(size);
  };
  resize(first + count);
  std::atomic<bool> known = true;
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    std::int64_t numbers[28]; // the tag, then Gmsh's nodes
    for (std::int64_t e = begin; e < end; ++e) {
      std::memcpy(numbers, records.data() + e * record * sizeof *numbers, record * sizeof *numbers);
      elements.tags[first + e] = numbers[0];
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t node = find_dense_node(numbers[1 + sink.type->permutation[i]]);
        elements.nodes[(first + e) * n + i] = node;
        if (node < 0)
          known = false;
      }
    }
  });
  if (known)
    source_.skip(bytes);
  else
    resize(first);
  return known;
}

std::string GmshBuilder::group_name(int dim, std::int64_t physical) const {
  const auto named = physical_names_.find({dim, physical});
  return named != physical_names_.end() ? named->second : "physical_" + std::to_string(physical);
}

int GmshBuilder::label(int dim, std::int64_t entity, const std::vector<std::int64_t> &physicals) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  RawLabel label{dim, entity, {}};
  for (std::int64_t physical : physicals) {
    if (physical < -most || physical > most)
      source_.fail("The number of a physical group cannot be right.", std::to_string(physical),
                   "-2147483647 to 2147483647");
    if (physical != 0)
      label.groups.push_back(group_name(dim, physical < 0 ? -physical : physical));
  }
  std::sort(label.groups.begin(), label.groups.end());
  label.groups.erase(std::unique(label.groups.begin(), label.groups.end()), label.groups.end());
  const auto [found, fresh] =
      label_numbers_.try_emplace(label, static_cast<int>(raw_.labels.size()));
  if (fresh)
    raw_.labels.push_back(label);
  return found->second;
}

void GmshBuilder::end_periodic_link() const {
  const PeriodicLink &link = raw_.periodic.back();
  const bool with_itself = std::all_of(link.begin(), link.end(),
                                       [](const auto &pair) { return pair.first == pair.second; });
  if (with_itself && !link.empty())
    source_.fail("A periodic link joins something with itself.",
                 std::to_string(link.size()) + " nodes, each its own master",
                 "nodes and their masters on another side");
}

RawMesh GmshBuilder::finish() {
  for (auto &[number, elements] : elements_)
    if (elements.size() > 0)
      raw_.elements.push_back(std::move(elements));
  std::vector<bool> has_elements(raw_.labels.size(), false);
  for (const RawElements &elements : raw_.elements)
    for (const std::int32_t label : elements.labels)
      has_elements[label] = true;
  std::set<std::pair<int, std::string>> used;
  for (std::size_t label = 0; label < has_elements.size(); ++label)
    for (const std::string &group : raw_.labels[label].groups)
      if (has_elements[label])
        used.emplace(raw_.labels[label].dim, group);
  for (const auto &[number, name] : physical_names_)
    if (!used.contains({number.first, name}))
      raw_.groups_without_elements.push_back(name + " (" + entity_kind(number.first) + ")");
  return std::move(raw_);
}

} // namespace weft
