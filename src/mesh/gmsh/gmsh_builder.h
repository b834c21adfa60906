// Collects what the readers of both Gmsh formats find into a RawMesh.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mesh/gmsh/gmsh_elements.h"
#include "mesh/gmsh/gmsh_source.h"
#include "mesh/raw_mesh.h"

namespace weft {

class GmshBuilder {
public:
  explicit GmshBuilder(GmshSource &source);

  void add_physical_name(int dim, std::int64_t tag, const std::string &name);

  // Nodes: all of a file are added, then finish_nodes() makes their tags known. Coordinates that
  // are no finite numbers and tags given twice are input errors.
  void reserve_nodes(std::int64_t count);
  void add_node_tag(std::int64_t tag) { node_tags_.push_back(tag); }
  void add_node_position();
  void finish_nodes();
  // The index of the node with that tag; an input error if there is none.
  std::int32_t node(std::int64_t tag) const {
    const std::int32_t dense = find_dense_node(tag);
    return dense >= 0 ? dense : find_sparse_node(tag);
  }

  // Elements of a type are added one after another.
  struct ElementSink {
    const GmshElementType *type = nullptr;
    RawElements *elements = nullptr;
  };
  // Throws `unsupported` for types Weft does not read.
  ElementSink sink(std::int64_t gmsh_type);
  // Reads the node numbers of one element; in MSH 2 they have 4 bytes, in MSH 4 eight.
  template <bool wide> void add_element(const ElementSink &sink, std::int64_t tag, int label) {
    std::int32_t theirs[27];
    RawElements &elements = *sink.elements;
    for (int i = 0; i < elements.nodes_per_element; ++i)
      theirs[i] = node(wide ? source_.int64("node number") : source_.int32("node number"));
    for (int i : sink.type->permutation)
      elements.nodes.push_back(theirs[i]);
    elements.labels.push_back(label);
    elements.tags.push_back(tag);
  }

  // Reads a block of elements in the binary format of MSH 4 on all threads. False, and nothing is
  // read, where one of them needs a second look: tags that are far apart, or not known.
  bool add_elements(const ElementSink &sink, std::int64_t count, int label);

  // The label of an entity in these physical groups (numbers; their sign is dropped).
  int label(int dim, std::int64_t entity, const std::vector<std::int64_t> &physicals);

  void begin_periodic_link() { raw_.periodic.emplace_back(); }
  void add_periodic(std::int64_t node_tag, std::int64_t master_tag) {
    raw_.periodic.back().emplace_back(node(node_tag), node(master_tag));
  }
  // Input error for a link that joins nodes with themselves alone. (Some may be: those on the axis
  // of a rotation.)
  void end_periodic_link() const;

  const std::vector<RawLabel> &labels() const { return raw_.labels; }
  // The mesh, with elements in a fixed order of types.
  RawMesh finish();

private:
  // -1 where there is none.
  std::int32_t find_dense_node(std::int64_t tag) const {
    return tag >= lowest_tag_ && tag - lowest_tag_ < static_cast<std::int64_t>(dense_.size())
               ? dense_[tag - lowest_tag_]
               : -1;
  }
  std::int32_t find_sparse_node(std::int64_t tag) const;
  std::string group_name(int dim, std::int64_t physical) const;

  GmshSource &source_;
  RawMesh raw_;
  std::map<std::pair<int, std::int64_t>, std::string> physical_names_;
  std::map<RawLabel, int> label_numbers_;
  std::vector<std::int64_t> node_tags_;
  bool nodes_known_ = false;
  std::int64_t lowest_tag_ = 0;
  std::vector<std::int32_t> dense_;                           // [tag - lowest] where tags are dense
  std::vector<std::pair<std::int64_t, std::int32_t>> sparse_; // (tag, node) sorted otherwise
  std::map<int, RawElements> elements_;                       // by Gmsh's type number
};

} // namespace weft
