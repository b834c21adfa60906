#include "mesh/mesh.h"

#include <set>

namespace weft {

namespace {

std::vector<std::string> names_in(const std::vector<GroupClass> &classes) {
  std::set<std::string> names;
  for (const auto &group_class : classes)
    names.insert(group_class.groups.begin(), group_class.groups.end());
  return {names.begin(), names.end()};
}

} // namespace

std::int64_t Mesh::num_cells() const {
  std::int64_t count = 0;
  for (const auto &set : sets)
    count += set.num_cells();
  return count;
}

std::vector<std::string> Mesh::region_names() const {
  return names_in(region_classes);
}

std::vector<std::string> Mesh::facet_group_names() const {
  return names_in(facet_classes);
}

} // namespace weft
