#include "op/weak_form/form_plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/cell/basis_tables.h"
#include "kernel/text/block_layout.h"
#include "op/layout/number_marks.h"
#include "op/layout/stored_geometry.h"
#include "space/cell_symmetry.h"

namespace weft {

void FormPlan::count_cells(Part &part) const {
  PartCounts &counts = part.counts;
  counts.groups = part.groups.num_groups();
  counts.cells = std::count_if(part.groups.cells.begin(), part.groups.cells.end(),
                               [](std::int32_t cell) { return cell >= 0; });
  NumberMarks classes(static_cast<std::int64_t>(d_.mesh->region_classes.size()));
  const std::vector<int> sets = part.sets();
  const std::vector<const LaneGroups *> groups = part.groups_of_sides();
  std::vector<NumberMarks> all; // [family]: of all sides so far
  for (const NodeMap *map : families_)
    all.emplace_back(map->num_local);
  for (std::size_t side = 0; side < sets.size(); ++side) {
    std::vector<NumberMarks> nodes; // [family]
    std::vector<std::int64_t> before;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      nodes.emplace_back(families_[f]->num_local);
      before.push_back(all[f].count());
    }
    for (const std::int32_t cell : groups[side]->cells) {
      if (cell < 0)
        continue;
      classes.add(d_.mesh->sets[sets[side]].region[cell]);
      for (std::size_t f = 0; f < families_.size(); ++f)
        for (NumberMarks *marks : {&nodes[f], &all[f]})
          marks->add_nodes(families_[f]->sets[sets[side]], cell);
    }
    for (std::size_t f = 0; f < families_.size(); ++f) {
      counts.nodes.push_back(nodes[f].count());
      if (side > 0)
        counts.plus_alone.push_back(all[f].count() - before[f]);
    }
  }
  counts.cell_classes = classes.count();
}

FormPlan::FormPlan(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings,
                   WithoutParts)
    : device_(device), integrals_(integrals), d_(integrals.discretisation()), settings_(settings),
      strategy_(*settings.strategy), lanes_(*settings.lanes), families_(integrals.families()) {
  coordinates_ = upload_reals(device_, d_.geometry.coordinates, settings_.precision, "coordinates");
  cell_table_ = upload_reals(device_, d_.cell_table.values, settings_.precision, "cell parameters");
  facet_table_ =
      upload_reals(device_, d_.facet_table.values, settings_.precision, "facet parameters");
  for (const AuxiliaryField &auxiliary : d_.auxiliary)
    auxiliary_.push_back(
        integrals.family_of_map(auxiliary.map) < 0
            ? Buffer{}
            : upload_reals(device_, auxiliary.values, settings_.precision, "auxiliary field"));
}

FormPlan::FormPlan(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings)
    : FormPlan(device, integrals, settings, WithoutParts{}) {
  if (integrals_.has_cells()) {
    if (strategy_ == Strategy::block)
      make_block_parts();
    else
      make_cell_parts();
  }
  const std::size_t first_facets = parts_.size();
  if (integrals_.has_facets())
    make_facet_parts();
  if (integrals_.has_interior())
    make_interior_parts();
  std::vector<Part *> facets;
  for (std::size_t p = first_facets; p < parts_.size(); ++p)
    facets.push_back(&parts_[p]);
  if (!facets.empty())
    add_element_vector_gathers(facets, integrals_.has_cells());
}

FormPlan::GatherTarget FormPlan::target_of_field(int field) const {
  return {d_.form.fields[field].components(), d_.own_offset[field]};
}

void FormPlan::add_gather(GatherLists lists, const GatherTarget &target, int stride,
                          Buffer contributions, bool add) {
  if (lists.nodes.empty())
    return;
  gathers_.push_back(make_node_sums(device_, std::move(lists),
                                    {.components = target.components,
                                     .stride = stride,
                                     .add = add,
                                     .output_offset = target.offset,
                                     .precision = settings_.precision,
                                     .contributions = std::move(contributions)}));
}

void FormPlan::make_block_parts() {
  const int merge = *settings_.leaves_per_block;
  std::vector<NodeOwners> owners;
  std::vector<const NodeOwners *> owner_pointers;
  for (const NodeMap *map : families_)
    owners.push_back(node_owners(*d_.mesh, *map, merge));
  for (const NodeOwners &o : owners)
    owner_pointers.push_back(&o);
  std::vector<std::vector<std::int32_t>> shared(families_.size());
  for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s) {
    BlockPlan plan =
        make_block_plan(*d_.mesh, static_cast<int>(s), families_, owner_pointers, merge, lanes_);
    Part part;
    part.set = static_cast<int>(s);
    part.counts.blocks = plan.num_blocks;
    part.counts.stage_nodes = plan.stage_nodes;
    count_block_nodes(part, plan);
    if (*settings_.block_groups)
      make_block_group(part, plan);
    else
      make_block_image(part, plan);
    const int row_entries = block_row_entries(static_cast<int>(families_.size()));
    for (std::size_t f = 0; f < families_.size(); ++f) {
      part.nodes.push_back(upload(device_, std::move(plan.nodes[f]), "node numbers in blocks"));
      // The lists of shared nodes of all sets follow one another.
      for (int b = 0; b < plan.num_blocks; ++b)
        plan.blocks[static_cast<std::size_t>(b) * row_entries + block_head_entries +
                    block_family_entries * f + 2] += static_cast<std::int32_t>(shared[f].size());
      shared[f].insert(shared[f].end(), plan.shared[f].begin(), plan.shared[f].end());
    }
    part.blocks = upload(device_, plan.blocks, "blocks");
    part.groups = std::move(plan.groups);
    count_cells(part);
    parts_.push_back(std::move(part));
  }
  for (std::size_t f = 0; f < families_.size(); ++f) {
    shared_.push_back(upload(device_, shared[f], "shared nodes of blocks"));
  }
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
    const int components = d_.form.fields[field].components();
    const int family = integrals_.family_of_field(static_cast<int>(field));
    const std::vector<std::int32_t> &list = shared[family];
    const std::int64_t num_owned = families_[family]->num_owned; // others are summed by their ranks
    interface_.push_back(
        device_.allocate(list.size() * components * real_bytes(), "borders of blocks"));
    const auto each = [&](const auto &visit) {
      for (std::size_t e = 0; e < list.size(); ++e)
        if (list[e] < num_owned)
          visit(list[e], static_cast<std::uint32_t>(e * components));
    };
    add_gather(make_gather_lists(num_owned, each), target_of_field(static_cast<int>(field)), 1,
               interface_.back(), false);
  }
}

void FormPlan::add_consecutive_parts() {
  for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s) {
    Part part;
    part.set = static_cast<int>(s);
    part.groups = consecutive_groups(d_.mesh->sets[s].num_cells(), lanes_);
    for (const NodeMap *map : families_)
      part.nodes.push_back(
          upload(device_, group_nodes(part.groups, map->sets[s]), "node numbers of cells"));
    count_cells(part);
    parts_.push_back(std::move(part));
  }
}

void FormPlan::make_cell_parts() {
  add_consecutive_parts();
  std::vector<Part *> parts;
  for (Part &part : parts_)
    parts.push_back(&part);
  add_element_vector_gathers(parts, false);
}

namespace {

// Cells of a part whose local facet (edge, vertex) is the slot's, and their classes, until the last
// lane group is full.
struct SlotCells {
  LaneGroups &groups;
  std::vector<std::int32_t> slots, classes;

  void add(std::int32_t cell, std::int32_t facet_class) {
    groups.cells.push_back(cell);
    classes.push_back(facet_class);
  }
  void finish(std::size_t slot) {
    while (groups.cells.size() % groups.lanes != 0) {
      groups.cells.push_back(-1);
      classes.push_back(classes.back());
    }
    slots.resize(groups.num_groups(), static_cast<std::int32_t>(slot));
  }
};

} // namespace

void FormPlan::make_facet_parts() {
  for (std::size_t s = 0; integrals_.integral(Domain::facets) && s < d_.mesh->sets.size(); ++s) {
    for (const IntegralDomain &domain : integrals_.facet_domains(static_cast<int>(s))) {
      Part part{domain};
      part.groups.lanes = lanes_;
      SlotCells cells{part.groups, {}, {}};
      for (std::size_t slot = 0; slot < part.local_facets.size(); ++slot) {
        for (const std::int32_t index : d_.integrated_facets) {
          const Facet &facet = d_.mesh->facets[index];
          if (facet.minus.set == static_cast<int>(s) &&
              facet.minus.facet == part.local_facets[slot])
            cells.add(facet.minus.cell, facet.facet_class);
        }
        cells.finish(slot);
      }
      add_facet_part(std::move(part), cells.slots, cells.classes);
    }
  }
  make_named_parts(Domain::edges, d_.integrated_edges);
  make_named_parts(Domain::points, d_.integrated_points);
}

void FormPlan::make_named_parts(Domain domain, const NamedParts &parts) {
  for (auto group = parts.groups.begin(); group != parts.groups.end();) {
    Part part{integrals_.part_domain(group->set, domain)};
    part.groups.lanes = lanes_;
    SlotCells cells{part.groups, {}, {}};
    for (; group != parts.groups.end() && group->set == part.set; ++group) {
      for (std::size_t i = 0; i < group->cells.size(); ++i)
        cells.add(group->cells[i], group->classes[i]);
      cells.finish(group->facet);
    }
    add_facet_part(std::move(part), cells.slots, cells.classes);
  }
}

void FormPlan::add_facet_part(Part part, const std::vector<std::int32_t> &slots,
                              const std::vector<std::int32_t> &classes) {
  if (part.groups.cells.empty())
    return;
  part.facet_slot[0] = upload(device_, slots, "local facets");
  number_facets(part, classes);
  parts_.push_back(std::move(part));
}

// Rows of the facet table.
std::int64_t FormPlan::num_facet_classes() const {
  return static_cast<std::int64_t>(d_.mesh->facet_classes.size() +
                                   d_.integrated_edges.classes.size() +
                                   d_.integrated_points.classes.size());
}

void FormPlan::make_interior_parts() {
  for (const InteriorDomain &domain : integrals_.interior_domains()) {
    Part part{static_cast<const IntegralDomain &>(domain)};
    part.groups.lanes = part.plus_groups.lanes = lanes_;
    std::vector<std::int32_t> slots, positions, classes;
    for (const InteriorDomain::Group &of : domain.groups) {
      const InteriorGroup &facets = d_.interior[of.group];
      const auto append = [&](std::vector<std::int32_t> &to, const std::vector<std::int32_t> &from,
                              std::int32_t filling) {
        to.insert(to.end(), from.begin(), from.end());
        to.resize((to.size() + lanes_ - 1) / lanes_ * lanes_, filling);
      };
      append(part.groups.cells, facets.minus_cells, -1);
      append(part.plus_groups.cells, facets.plus_cells, -1);
      append(classes, facets.classes, facets.classes.back());
      for (std::size_t side = 0; side < 2; ++side)
        part.symmetry[side].resize(part.groups.num_groups(), of.symmetry[side]);
      slots.resize(part.groups.num_groups(), of.slot);
      positions.resize(part.groups.num_groups(), of.position);
    }
    part.facet_slot = {upload(device_, slots, "local facets"),
                       upload(device_, positions, "positions of neighbours")};
    number_facets(part, classes);
    parts_.push_back(std::move(part));
  }
}

HostArray<std::int32_t> FormPlan::nodes_of(const Part &part, std::size_t side,
                                           const NodeMap &map) const {
  const NodeMapSet &set = map.sets[part.sets()[side]];
  const LaneGroups &groups = *part.groups_of_sides()[side];
  if (!part.is_two_sided())
    return group_nodes(groups, set);
  std::vector<std::vector<int>> orders; // [symmetry]
  for (const CellSymmetry &symmetry : cell_symmetries(set.element.cell))
    orders.push_back(nodes_taken(set.element, symmetry));
  return group_nodes(groups, set, [&](std::int64_t group) -> const std::vector<int> & {
    return orders[part.symmetry[side][group]];
  });
}

void FormPlan::number_facets(Part &part, const std::vector<std::int32_t> &classes) {
  for (std::size_t side = 0; side < part.sets().size(); ++side)
    for (const NodeMap *map : families_)
      part.nodes.push_back(upload(device_, nodes_of(part, side, *map), "node numbers of facets"));
  part.facet_class = upload(device_, classes, "facet classes");
  count_cells(part);
  NumberMarks marks(num_facet_classes());
  for (const std::int32_t facet_class : classes)
    marks.add(facet_class);
  part.counts.facet_classes = marks.count();
}

// Where no derivative is tested, functions that vanish on the facet have nothing.
std::vector<bool> FormPlan::nodes_in_rows(const Part &part, std::size_t side,
                                          std::size_t field) const {
  const int dim = d_.mesh->dim, components = d_.form.fields[field].components();
  const std::size_t test = side * d_.form.fields.size() + field;
  std::vector<bool> used;
  for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::linearised}) {
    const CellIntegral in = describe(kind, part);
    const Element &element = in.families[in.tests[test].family].element;
    int output = components;
    for (std::size_t t = 0; t < test; ++t)
      output += in.tests[t].components * (1 + dim);
    bool gradients = in.second;
    for (int entry = 0; entry < components * dim; ++entry)
      gradients = gradients || !in.function.output_is_zero(output + entry);
    used.resize(element.num_nodes(), false);
    if (gradients)
      used.assign(used.size(), true);
    std::vector<double> points, phi, dphi;
    for (const FacetQuadrature &facet : in.facet_quadrature)
      points.insert(points.end(), facet.points.points.begin(), facet.points.points.end());
    if (side > 0)
      points.clear();
    for (const std::vector<double> &of_position : in.plus->points)
      if (side > 0)
        points.insert(points.end(), of_position.begin(), of_position.end());
    element.tabulate(points, phi, dphi);
    for (std::size_t i = 0; i < phi.size(); ++i)
      if (std::abs(phi[i]) >= smallest_in_tables)
        used[i % used.size()] = true;
  }
  return used;
}

// Slots without a facet have their group's first.
std::int64_t FormPlan::count_equal_rows(const Part &part) const {
  std::int64_t pairs = 0;
  std::vector<std::int32_t> nodes; // of both cells, of one field
  for (std::size_t slot = 0; slot < part.groups.cells.size(); ++slot) {
    const std::size_t at = part.groups.cells[slot] < 0 ? slot / lanes_ * lanes_ : slot;
    for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
      nodes.clear();
      for (std::size_t side = 0; side < 2; ++side) {
        const NodeMapSet &set = d_.map_of_field(static_cast<int>(field)).sets[part.sets()[side]];
        const int n = set.element.num_nodes();
        const auto first =
            set.nodes.begin() + std::int64_t{part.groups_of_sides()[side]->cells[at]} * n;
        nodes.insert(nodes.end(), first, first + n);
      }
      std::int64_t equal = 0;
      for (const std::int32_t node : nodes)
        equal += std::count(nodes.begin(), nodes.end(), node);
      pairs += equal * d_.form.fields[field].components();
    }
  }
  return pairs;
}

void FormPlan::add_element_vector_gathers(std::vector<Part *> parts, bool add) {
  const std::size_t num_fields = d_.form.fields.size();
  // Rows of the element vector of a part, [side][field][node][component], before those of a field
  // on a side.
  const auto rows_before = [&](const Part &part, std::size_t side, std::size_t field) {
    const std::vector<int> sets = part.sets();
    int rows = 0;
    for (std::size_t s = 0; s <= side && s < sets.size(); ++s)
      for (std::size_t f = 0; f < (s == side ? field : num_fields); ++f)
        rows += d_.map_of_field(static_cast<int>(f)).sets[sets[s]].element.num_nodes() *
                d_.form.fields[f].components();
    return rows;
  };
  const auto num_rows = [&](const Part &part) { return rows_before(part, part.sets().size(), 0); };
  std::int64_t entries = 0;
  for (Part *part : parts) {
    part->first_entry = entries;
    entries += part->groups.num_groups() * lanes_ * num_rows(*part);
  }
  if (entries >= std::int64_t{1} << 32)
    throw Error(ErrorKind::unsupported,
                {.what = "element vectors of more than 2^32 entries on one device",
                 .found = std::to_string(entries) + " entries",
                 .remedy = "use device.strategy = \"block\", which stores none"});
  const Buffer vectors = device_.allocate(entries * real_bytes(), "element vectors");
  for (Part *part : parts)
    part->element_vectors = vectors;
  for (std::size_t field = 0; field < num_fields; ++field) {
    const int components = d_.form.fields[field].components();
    const NodeMap &map = d_.map_of_field(static_cast<int>(field));
    std::vector<std::vector<HostArray<std::int32_t>>> numbers(parts.size()); // [part][side]
    std::vector<std::vector<std::vector<bool>>> used(parts.size()); // nodes, where not all are
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::size_t side = 0; side < parts[p]->sets().size(); ++side) {
        numbers[p].push_back(nodes_of(*parts[p], side, map));
        used[p].push_back(parts[p]->is_two_sided() ? nodes_in_rows(*parts[p], side, field)
                                                   : std::vector<bool>{});
      }
    const auto each = [&](const auto &visit) {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const Part *part = parts[p];
        const std::vector<const LaneGroups *> groups = part->groups_of_sides();
        for (std::size_t side = 0; side < groups.size(); ++side) {
          const int nodes = map.sets[part->sets()[side]].element.num_nodes();
          const int rows = num_rows(*part);
          const int first_row = rows_before(*part, side, field);
          for (std::size_t c = 0; c < groups[side]->cells.size(); ++c) {
            if (groups[side]->cells[c] < 0)
              continue;
            const std::int64_t group = static_cast<std::int64_t>(c) / lanes_;
            const std::int32_t *of_slot =
                &numbers[p][side][group * nodes * lanes_ + static_cast<std::int64_t>(c) % lanes_];
            for (int i = 0; i < nodes; ++i)
              if (const std::int32_t node = of_slot[i * lanes_];
                  node < map.num_owned && (used[p][side].empty() || used[p][side][i]))
                visit(node,
                      static_cast<std::uint32_t>(
                          part->first_entry + (group * rows + first_row + i * components) * lanes_ +
                          static_cast<std::int64_t>(c) % lanes_));
          }
        }
      }
    };
    add_gather(make_gather_lists(map.num_owned, each), target_of_field(static_cast<int>(field)),
               lanes_, vectors, add);
  }
}

Buffer FormPlan::node_image() {
  if (!node_image_) {
    const int dim = d_.mesh->dim;
    std::vector<double> image(d_.geometry.num_local * image_reals, 0.0);
    for (std::int64_t n = 0; n < d_.geometry.num_local; ++n)
      std::copy_n(&d_.geometry.coordinates[n * dim], dim, &image[n * image_reals]);
    node_image_ = upload_reals(device_, image, settings_.precision, "coordinates by node");
  }
  return node_image_;
}

void FormPlan::gather(const Vector &y) {
  if (!integrals_.has_cells())
    device_.fill_zero(y.buffer, y.size * real_bytes());
  for (const NodeSums &sums : gathers_)
    sum_nodes(device_, sums, y.buffer);
}

std::vector<NamedCost> FormPlan::gather_costs() const {
  std::vector<NamedCost> costs;
  for (const NodeSums &sums : gathers_)
    costs.push_back({sums.name, cost_of(device_.info(), sums)});
  return costs;
}

} // namespace weft
