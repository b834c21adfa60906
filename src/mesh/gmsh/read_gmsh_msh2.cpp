#include <algorithm>
#include <numeric>
#include <set>

#include "mesh/gmsh/read_gmsh.h"

namespace weft {

namespace {

// The label of an element from its tags: physical group, entity, further ones of partitions.
int label_of(GmshBuilder &builder, int dim, const std::vector<std::int64_t> &tags) {
  const std::int64_t physical = tags.empty() ? 0 : tags[0];
  const std::int64_t entity = tags.size() > 1 ? tags[1] : 0;
  return builder.label(dim, entity, {physical});
}

// Remembers the label of the last element, since a file holds long runs of the same.
class LabelCache {
public:
  explicit LabelCache(GmshBuilder &builder) : builder_(builder) {}
  int operator()(int dim, const std::vector<std::int64_t> &tags) {
    if (dim != dim_ || tags != tags_) {
      dim_ = dim;
      tags_ = tags;
      label_ = label_of(builder_, dim, tags);
    }
    return label_;
  }

private:
  GmshBuilder &builder_;
  int dim_ = -1;
  std::vector<std::int64_t> tags_;
  int label_ = 0;
};

void read_tags(GmshSource &source, std::int64_t count, std::vector<std::int64_t> &tags) {
  tags.resize(source.checked_count(count, 4, 1, "number of tags"));
  for (auto &tag : tags)
    tag = source.int32("tag of an element");
}

// The number of nodes or elements, which is text in binary files too and ends its line. Each takes
// four numbers at least.
std::int64_t read_count(GmshSource &source, const char *what) {
  const bool binary = source.binary();
  source.set_binary(false);
  const std::int64_t count = source.checked_count(source.int64(what), 0, 4, what);
  source.line();
  source.set_binary(binary);
  return count;
}

} // namespace

void read_nodes_msh2(GmshSource &source, GmshBuilder &builder) {
  const std::int64_t count = read_count(source, "number of nodes");
  builder.reserve_nodes(count);
  for (std::int64_t i = 0; i < count; ++i) {
    builder.add_node_tag(source.int32("node number"));
    builder.add_node_position();
  }
  builder.finish_nodes();
}

void read_elements_msh2(GmshSource &source, GmshBuilder &builder) {
  const std::int64_t count = read_count(source, "number of elements");
  const bool binary = source.binary();
  LabelCache label(builder);
  std::vector<std::int64_t> tags;
  if (!binary) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t tag = source.int32("element number");
      const auto sink = builder.sink(source.int32("type of an element"));
      read_tags(source, source.int32("number of tags"), tags);
      builder.add_element<false>(sink, tag, label(dimension(sink.type->cell), tags));
    }
    return;
  }
  for (std::int64_t i = 0; i < count;) {
    const auto sink = builder.sink(source.int32("type of elements"));
    const std::int64_t in_block = source.int32("number of elements in a block");
    const std::int64_t num_tags = source.int32("number of tags");
    if (in_block < 1 || in_block > count - i)
      source.fail("The number of elements in a block cannot be right.", std::to_string(in_block),
                  "1 to " + std::to_string(count - i));
    for (std::int64_t k = 0; k < in_block; ++k) {
      const std::int64_t tag = source.int32("element number");
      read_tags(source, num_tags, tags);
      builder.add_element<false>(sink, tag, label(dimension(sink.type->cell), tags));
    }
    i += in_block;
  }
}

void read_periodic_msh2(GmshSource &source, GmshBuilder &builder) {
  const bool binary = source.binary();
  source.set_binary(false);
  const std::int64_t num_links = source.checked_count(source.int64("number of periodic links"), 0,
                                                      4, "number of periodic links");
  source.line();
  for (std::int64_t link = 0; link < num_links; ++link) {
    builder.begin_periodic_link();
    for (int k = 0; k < 3; ++k)
      source.int64("entity of a periodic link");
    source.line();
    source.skip_line_starting_with("Affine");
    const std::int64_t count = source.checked_count(source.int64("number of periodic nodes"), 0, 2,
                                                    "number of periodic nodes");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t node = source.int64("periodic node");
      builder.add_periodic(node, source.int64("master of a periodic node"));
    }
    builder.end_periodic_link();
    source.line();
  }
  source.set_binary(binary);
}

namespace {

// Labels of entities that occur with more than one physical group.
std::vector<bool> labels_with_siblings(const std::vector<RawLabel> &labels) {
  std::map<std::pair<int, std::int64_t>, int> uses;
  for (const auto &label : labels)
    ++uses[{label.dim, label.entity}];
  std::vector<bool> several;
  for (const auto &label : labels)
    several.push_back(uses[{label.dim, label.entity}] > 1);
  return several;
}

int joined_label(RawMesh &raw, const std::set<std::int32_t> &labels) {
  RawLabel joined = raw.labels[*labels.begin()];
  std::set<std::string> groups;
  for (auto label : labels)
    groups.insert(raw.labels[label].groups.begin(), raw.labels[label].groups.end());
  joined.groups.assign(groups.begin(), groups.end());
  raw.labels.push_back(joined);
  return static_cast<int>(raw.labels.size()) - 1;
}

void merge_repeated(RawMesh &raw, RawElements &elements, const std::vector<bool> &candidate_label) {
  std::vector<std::int64_t> candidates;
  for (std::int64_t e = 0; e < elements.size(); ++e)
    if (candidate_label[elements.labels[e]])
      candidates.push_back(e);
  const int n = elements.nodes_per_element;
  const auto nodes = [&](std::int64_t e) {
    return std::span<const std::int32_t>(&elements.nodes[e * n], n);
  };
  const auto same = [&](std::int64_t a, std::int64_t b) {
    return std::equal(nodes(a).begin(), nodes(a).end(), nodes(b).begin());
  };
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(nodes(a).begin(), nodes(a).end(), nodes(b).begin(),
                                        nodes(b).end());
  });
  std::map<std::set<std::int32_t>, int> joined;
  std::vector<bool> repeated(elements.size(), false);
  for (std::size_t first = 0, next; first < candidates.size(); first = next) {
    std::set<std::int32_t> labels;
    for (next = first; next < candidates.size() && same(candidates[first], candidates[next]);
         ++next)
      labels.insert(elements.labels[candidates[next]]);
    if (labels.size() == 1)
      continue;
    for (std::size_t other = first + 1; other < next; ++other)
      repeated[candidates[other]] = true;
    const auto known = joined.find(labels);
    elements.labels[candidates[first]] =
        known != joined.end() ? known->second : (joined[labels] = joined_label(raw, labels));
  }
  std::int64_t kept = 0;
  for (std::int64_t e = 0; e < elements.size(); ++e) {
    if (repeated[e])
      continue;
    std::copy_n(&elements.nodes[e * n], n, &elements.nodes[kept * n]);
    elements.labels[kept] = elements.labels[e];
    elements.tags[kept++] = elements.tags[e];
  }
  elements.nodes.resize(kept * n);
  elements.labels.resize(kept);
  elements.tags.resize(kept);
}

} // namespace

void merge_repeated_elements(RawMesh &raw) {
  const auto candidates = labels_with_siblings(raw.labels);
  if (std::find(candidates.begin(), candidates.end(), true) == candidates.end())
    return;
  for (auto &elements : raw.elements)
    merge_repeated(raw, elements, candidates);
}

} // namespace weft
