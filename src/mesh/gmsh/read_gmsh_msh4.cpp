#include "mesh/gmsh/read_gmsh.h"

namespace weft {

namespace {

int checked_dimension(const GmshSource &source, std::int64_t dim) {
  if (dim < 0 || dim > 3)
    source.fail("The dimension of an entity is wrong.", std::to_string(dim), "0 to 3");
  return static_cast<int>(dim);
}

} // namespace

GmshEntityLabels read_entities_msh4(GmshSource &source, GmshBuilder &builder) {
  GmshEntityLabels entities;
  std::int64_t counts[4];
  for (auto &count : counts)
    count = source.checked_count(source.int64("number of entities"), 0, 0, "number of entities");
  for (int dim = 0; dim < 4; ++dim)
    for (std::int64_t e = 0; e < counts[dim]; ++e) {
      const std::int64_t tag = source.int32("number of an entity");
      for (int k = 0; k < (dim == 0 ? 3 : 6); ++k)
        source.real("bound of an entity");
      const std::int64_t num_physicals = source.checked_count(
          source.int64("number of physical groups"), 4, 1, "number of physical groups");
      std::vector<std::int64_t> physicals(num_physicals);
      for (auto &physical : physicals)
        physical = source.int32("number of a physical group");
      entities[{dim, tag}] = builder.label(dim, tag, physicals);
      if (dim == 0)
        continue;
      const std::int64_t num_bounding = source.checked_count(
          source.int64("number of bounding entities"), 4, 1, "number of bounding entities");
      for (std::int64_t k = 0; k < num_bounding; ++k)
        source.int32("number of a bounding entity");
    }
  return entities;
}

void read_nodes_msh4(GmshSource &source, GmshBuilder &builder) {
  const std::int64_t num_blocks =
      source.checked_count(source.int64("number of node blocks"), 20, 4, "number of node blocks");
  builder.reserve_nodes(
      source.checked_count(source.int64("number of nodes"), 32, 4, "number of nodes"));
  source.int64("lowest node number");
  source.int64("highest node number");
  for (std::int64_t b = 0; b < num_blocks; ++b) {
    const int dim = checked_dimension(source, source.int32("dimension of a node block"));
    source.int32("entity of a node block");
    const bool parametric = source.int32("mark of parametric nodes") != 0;
    const std::int64_t count =
        source.checked_count(source.int64("number of nodes"), 32, 4, "number of nodes in a block");
    for (std::int64_t i = 0; i < count; ++i)
      builder.add_node_tag(source.int64("node number"));
    for (std::int64_t i = 0; i < count; ++i) {
      builder.add_node_position();
      for (int d = 0; parametric && d < dim; ++d)
        source.real("parametric coordinate");
    }
  }
  builder.finish_nodes();
}

void read_elements_msh4(GmshSource &source, GmshBuilder &builder, GmshEntityLabels &entities) {
  const std::int64_t num_blocks = source.checked_count(source.int64("number of element blocks"), 20,
                                                       4, "number of element blocks");
  source.checked_count(source.int64("number of elements"), 16, 2, "number of elements");
  source.int64("lowest element number");
  source.int64("highest element number");
  for (std::int64_t b = 0; b < num_blocks; ++b) {
    const int dim = checked_dimension(source, source.int32("dimension of an element block"));
    const std::int64_t entity = source.int32("entity of an element block");
    const auto sink = builder.sink(source.int32("type of elements"));
    const std::int64_t count = source.checked_count(
        source.int64("number of elements"), 8 + 8 * sink.elements->nodes_per_element,
        1 + sink.elements->nodes_per_element, "number of elements in a block");
    if (dimension(sink.type->cell) != dim)
      source.fail("An element block has elements of another dimension.", to_string(sink.type->cell),
                  "elements of dimension " + std::to_string(dim));
    const auto known = entities.find({dim, entity});
    const int label = known != entities.end() ? known->second : builder.label(dim, entity, {});
    sink.elements->reserve_more(count);
    if (builder.add_elements(sink, count, label))
      continue;
    for (std::int64_t i = 0; i < count; ++i)
      builder.add_element<true>(sink, source.int64("element number"), label);
  }
}

void read_periodic_msh4(GmshSource &source, GmshBuilder &builder) {
  const std::int64_t num_links = source.checked_count(source.int64("number of periodic links"), 28,
                                                      5, "number of periodic links");
  for (std::int64_t link = 0; link < num_links; ++link) {
    builder.begin_periodic_link();
    for (int k = 0; k < 3; ++k)
      source.int32("entity of a periodic link");
    const std::int64_t num_affine = source.checked_count(
        source.int64("number of affine coefficients"), 8, 1, "number of affine coefficients");
    for (std::int64_t k = 0; k < num_affine; ++k)
      source.real("affine coefficient");
    const std::int64_t count = source.checked_count(source.int64("number of periodic nodes"), 16, 2,
                                                    "number of periodic nodes");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t node = source.int64("periodic node");
      builder.add_periodic(node, source.int64("master of a periodic node"));
    }
    builder.end_periodic_link();
  }
}

} // namespace weft
