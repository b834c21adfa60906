#include "mesh/mesh.h"

#include <numeric>
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

std::vector<std::int32_t> canonical_numbers(const Mesh &mesh, int set) {
  if (mesh.share) {
    const MeshShare::Cells &cells = mesh.share->sets[set];
    return {cells.whole.begin(), cells.whole.begin() + cells.num_owned};
  }
  std::int64_t first = 0;
  for (int s = 0; s < set; ++s)
    first += mesh.sets[s].num_cells();
  std::vector<std::int32_t> numbers = mesh.sets[set].canonical;
  if (numbers.empty()) {
    numbers.resize(mesh.sets[set].num_cells());
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  for (std::int32_t &number : numbers)
    number += static_cast<std::int32_t>(first);
  return numbers;
}

} // namespace weft
