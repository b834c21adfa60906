#include "op/weak_form/form_prediction.h"

#include <algorithm>
#include <bit>

#include "op/layout/block_plan.h"
#include "op/layout/number_marks.h"

namespace weft {

namespace {

int level_of(int leaves) {
  return std::countr_zero(static_cast<unsigned>(leaves));
}

} // namespace

FormPrediction::FormPrediction(const FormIntegrals &integrals, const DeviceInfo &device,
                               IntegralKind kind)
    : integrals_(integrals), d_(integrals.discretisation()), device_(device), kind_(kind) {
  for (const CellSet &set : d_.mesh->sets) {
    std::vector<bool> seen(d_.mesh->region_classes.size(), false);
    for (const std::int32_t region : set.region)
      seen[region] = true;
    cell_classes_.push_back(std::count(seen.begin(), seen.end(), true));
  }
  if (integrals_.has_facets())
    count_facets();
}

const std::vector<NodeCounts> &FormPrediction::nodes() const {
  if (nodes_.empty())
    for (const NodeMap *map : integrals_.families())
      nodes_.push_back(count_nodes(*d_.mesh, *map));
  return nodes_;
}

void FormPrediction::count_facets() {
  const Mesh &mesh = *d_.mesh;
  std::vector<NumberMarks> nodes_of_field;
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field)
    nodes_of_field.emplace_back(d_.map_of_field(static_cast<int>(field)).num_local);
  facet_gathers_.resize(d_.form.fields.size());
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    for (IntegralDomain &domain : integrals_.facet_domains(static_cast<int>(s))) {
      FacetCounts found{.domain = std::move(domain)};
      const std::vector<int> &local_facets = found.domain.local_facets;
      found.facets.assign(local_facets.size(), 0);
      NumberMarks regions(static_cast<std::int64_t>(mesh.region_classes.size()));
      NumberMarks classes(static_cast<std::int64_t>(mesh.facet_classes.size()));
      std::vector<NumberMarks> nodes;
      for (const NodeMap *map : integrals_.families())
        nodes.emplace_back(map->num_local);
      for (const std::int32_t index : d_.integrated_facets) {
        const Facet &facet = mesh.facets[index];
        const auto local = std::find(local_facets.begin(), local_facets.end(), facet.minus.facet);
        if (facet.minus.set != static_cast<int>(s) || local == local_facets.end())
          continue;
        ++found.facets[local - local_facets.begin()];
        ++found.counts.cells;
        regions.add(mesh.sets[s].region[facet.minus.cell]);
        classes.add(facet.facet_class);
        for (std::size_t f = 0; f < nodes.size(); ++f)
          nodes[f].add_nodes(integrals_.families()[f]->sets[s], facet.minus.cell);
        for (std::size_t field = 0; field < nodes_of_field.size(); ++field)
          nodes_of_field[field].add_nodes(d_.map_of_field(static_cast<int>(field)).sets[s],
                                          facet.minus.cell);
      }
      if (found.counts.cells == 0)
        continue;
      found.counts.cell_classes = regions.count();
      found.counts.facet_classes = classes.count();
      for (const NumberMarks &family : nodes)
        found.counts.nodes.push_back(family.count());
      for (std::size_t field = 0; field < nodes_of_field.size(); ++field)
        facet_gathers_[field].entries +=
            found.counts.cells *
            d_.map_of_field(static_cast<int>(field)).sets[s].element.num_nodes();
      facets_.push_back(std::move(found));
    }
  for (std::size_t field = 0; field < nodes_of_field.size(); ++field) {
    facet_gathers_[field].nodes = nodes_of_field[field].count();
    facet_gathers_[field].components = d_.form.fields[field].components();
    facet_gathers_[field].add = integrals_.has_cells();
  }
}

CellIntegral &FormPrediction::described(int set, int facets, const OperatorSettings &settings) {
  const GeometrySource geometry = facets < 0 ? settings.geometry : GeometrySource::on_the_fly;
  const Summation sums = settings.strategy == Strategy::transposed
                             ? Summation::points
                             : settings.sums.value_or(Summation::points);
  auto found = described_.find({set, facets, geometry, sums});
  if (found == described_.end())
    found =
        described_
            .emplace(std::tuple{set, facets, geometry, sums},
                     integrals_.describe(
                         kind_, facets < 0 ? IntegralDomain{.set = set} : facets_[facets].domain,
                         settings))
            .first;
  found->second.lanes = *settings.lanes;
  return found->second;
}

const CellIntegral &FormPrediction::cells(int set, const OperatorSettings &settings) {
  return described(set, -1, settings);
}

const CellCost &FormPrediction::cell_cost_of(int set, int facets, Strategy strategy,
                                             const OperatorSettings &settings) {
  const CellIntegral &in = described(set, facets, settings);
  const std::tuple key{set, facets, in.geometry, in.sums, strategy == Strategy::transposed};
  auto found = cell_costs_.find(key);
  if (found == cell_costs_.end())
    found = cell_costs_.emplace(key, cell_cost(in, strategy)).first;
  return found->second;
}

PartCounts FormPrediction::cell_counts(int set, const OperatorSettings &settings) const {
  PartCounts counts;
  counts.cells = d_.mesh->sets[set].num_cells();
  counts.groups = (counts.cells + *settings.lanes - 1) / *settings.lanes;
  counts.cell_classes = cell_classes_[set];
  for (const NodeCounts &family : nodes())
    counts.nodes.push_back(family.nodes[set]);
  if (*settings.strategy == Strategy::block)
    count_blocks(counts, set, settings);
  return counts;
}

void FormPrediction::count_blocks(PartCounts &counts, int set,
                                  const OperatorSettings &settings) const {
  const int leaves = *settings.leaves_per_block;
  const BlockGroupCounts groups = count_block_groups(d_.mesh->sets[set], leaves, *settings.lanes);
  counts.groups = groups.groups;
  counts.blocks = groups.blocks;
  counts.padded_blocks = groups.padded_blocks;
  for (std::size_t f = 0; f < nodes().size(); ++f) {
    const BlockNodeCounts &blocks = nodes()[f].blocks[set][level_of(leaves)];
    counts.inner_nodes.push_back(blocks.inner);
    counts.shared_nodes.push_back(blocks.shared);
    counts.stage_nodes.push_back(
        block_room(blocks.largest + integrals_.families()[f]->sets[set].element.num_nodes()));
  }
}

BlockGroupSizes FormPrediction::add_block_group(PartCounts &counts, int set,
                                                const OperatorSettings &settings) {
  const CellSet &cells = d_.mesh->sets[set];
  const int leaves = *settings.leaves_per_block, lanes = *settings.lanes;
  auto need = block_group_needs_.find({set, settings.geometry});
  if (need == block_group_needs_.end())
    need = block_group_needs_
               .emplace(std::pair{set, settings.geometry},
                        block_group_need(integrals_, {.set = set}, settings))
               .first;
  const auto most_groups = static_cast<int>(count_block_groups(cells, leaves, lanes).most_groups);
  const BlockGroupSizes sizes =
      block_group_sizes(need->second, counts.stage_nodes, most_groups, settings, device_);
  std::vector<bool> wanted(nodes().size(), false);
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field)
    wanted[integrals_.family_of_field(static_cast<int>(field))] = true;
  for (std::size_t f = 0; f < nodes().size(); ++f) {
    const std::tuple key{set, static_cast<int>(f), leaves, lanes, sizes.pass_groups};
    auto lists = block_lists_.find(key);
    if (lists == block_lists_.end()) {
      const NodeMap &map = *integrals_.families()[f];
      lists = block_lists_
                  .emplace(key, wanted[f] ? count_block_lists(cells, map.sets[set], map.num_local,
                                                              leaves, lanes, sizes)
                                          : BlockListCounts{})
                  .first;
    }
    counts.list_nodes.push_back(lists->second.nodes);
    counts.list_bytes.push_back(lists->second.bytes);
  }
  return sizes;
}

std::vector<NamedCost> FormPrediction::costs(const OperatorSettings &settings) {
  std::vector<NamedCost> costs;
  for (int set = 0; integrals_.has_cells() && set < static_cast<int>(d_.mesh->sets.size()); ++set) {
    PartCounts counts = cell_counts(set, settings);
    const CellIntegral &in = described(set, -1, settings);
    KernelVariant variant = kernel_variant(in, *settings.strategy, settings, device_);
    if (*settings.strategy == Strategy::block && *settings.block_groups)
      variant.block_group = add_block_group(counts, set, settings);
    costs.push_back({"cells", integral_cost(in, variant, counts,
                                            cell_cost_of(set, -1, *settings.strategy, settings))});
  }
  for (int f = 0; f < static_cast<int>(facets_.size()); ++f) {
    PartCounts counts = facets_[f].counts;
    for (const std::int64_t facets : facets_[f].facets)
      counts.groups += (facets + *settings.lanes - 1) / *settings.lanes;
    const int set = facets_[f].domain.set;
    const CellIntegral &in = described(set, f, settings);
    costs.push_back(
        {"facets", integral_cost(in, kernel_variant(in, Strategy::cell, settings, device_), counts,
                                 cell_cost_of(set, f, Strategy::cell, settings))});
  }
  add_gathers(costs, settings);
  const auto dofs = static_cast<std::int64_t>(d_.constraints.dofs.size());
  for (const NamedCost &constrain : constrain_costs(kind_, dofs, settings.precision, device_))
    costs.push_back(constrain);
  return costs;
}

void FormPrediction::add_gathers(std::vector<NamedCost> &costs,
                                 const OperatorSettings &settings) const {
  const auto add = [&](const GatherCounts &counts) {
    if (counts.nodes > 0)
      costs.push_back(
          {"sums", gather_cost(counts, settings.precision, list_launch(counts.nodes, device_))});
  };
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
    const int family = integrals_.family_of_field(static_cast<int>(field));
    const NodeMap &map = *integrals_.families()[family];
    const NodeCounts &numbers = nodes()[family];
    GatherCounts counts{.components = d_.form.fields[field].components()};
    if (*settings.strategy == Strategy::block) {
      const int level = level_of(*settings.leaves_per_block);
      counts.nodes = numbers.shared_nodes[level];
      for (const auto &blocks : numbers.blocks)
        counts.entries += blocks[level].shared;
    } else {
      counts.nodes = numbers.all_nodes;
      for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s)
        counts.entries += d_.mesh->sets[s].num_cells() * map.sets[s].element.num_nodes();
    }
    if (integrals_.has_cells())
      add(counts);
  }
  for (const GatherCounts &counts : facet_gathers_)
    add(counts);
}

std::int64_t FormPrediction::most_block_nodes(int leaves) const {
  std::int64_t most = 0;
  for (std::size_t f = 0; f < nodes().size(); ++f)
    for (std::size_t s = 0; s < nodes()[f].blocks.size(); ++s)
      most = std::max(most, nodes()[f].blocks[s][level_of(leaves)].largest +
                                integrals_.families()[f]->sets[s].element.num_nodes());
  return most;
}

std::int64_t FormPrediction::num_blocks(int leaves) const {
  std::int64_t blocks = 0;
  for (const CellSet &set : d_.mesh->sets)
    blocks += count_block_groups(set, leaves, 1).blocks;
  return blocks;
}

double FormPrediction::stored_geometry_bytes(const OperatorSettings &settings) {
  double bytes = 0;
  for (int set = 0; set < static_cast<int>(d_.mesh->sets.size()); ++set)
    bytes += static_cast<double>(d_.mesh->sets[set].num_cells()) *
             cells(set, settings).stored_geometry_entries() *
             static_cast<double>(size_bytes(settings.precision));
  return bytes;
}

std::int64_t FormPrediction::num_element_vector_entries() const {
  std::int64_t entries = 0;
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
    const NodeMap &map = d_.map_of_field(static_cast<int>(field));
    for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s)
      entries += d_.mesh->sets[s].num_cells() * map.sets[s].element.num_nodes() *
                 d_.form.fields[field].components();
  }
  return entries;
}

} // namespace weft
