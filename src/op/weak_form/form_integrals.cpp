#include "op/weak_form/form_integrals.h"

#include "base/error.h"
#include "form/weak_form/rates.h"
#include "op/problem/named_parts.h"
#include "op/weak_form/operator_settings.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

bool same_numbering(const NodeMap &a, const NodeMap &b) {
  if (a.order != b.order || a.num_local != b.num_local)
    return false;
  for (std::size_t s = 0; s < a.sets.size(); ++s)
    if (a.sets[s].nodes != b.sets[s].nodes)
      return false;
  return true;
}

// Entries that are the same in all classes become numbers in the kernel's text.
std::vector<std::optional<double>> uniform_entries(const ClassTable &table) {
  std::vector<std::optional<double>> uniform(table.num_entries);
  for (int entry = 0; entry < table.num_entries; ++entry) {
    bool same = true;
    for (std::size_t i = entry; i < table.values.size(); i += table.num_entries)
      same = same && table.values[i] == table.values[entry];
    if (same && !table.values.empty() && !table.settable[entry])
      uniform[entry] = table.values[entry];
  }
  return uniform;
}

} // namespace

FormIntegrals::FormIntegrals(const Discretisation &d) : d_(d) {
  families_.push_back(&d_.geometry);
  for (const NodeMap &map : d_.maps) {
    if (map.order == 0) {
      family_of_map_.push_back(-1);
    } else if (same_numbering(map, d_.geometry)) {
      family_of_map_.push_back(0);
    } else {
      family_of_map_.push_back(static_cast<int>(families_.size()));
      families_.push_back(&map);
    }
  }
}

const FormIntegral *FormIntegrals::integral(Domain domain) const {
  for (const FormIntegral &integral : d_.form.integrals)
    if (integral.domain == domain)
      return &integral;
  return nullptr;
}

std::vector<IntegralDomain> FormIntegrals::facet_domains(int set) const {
  const CellType cell = d_.mesh->sets[set].type;
  std::map<CellType, IntegralDomain> domains;
  for (int facet = 0; facet < num_facets(cell); ++facet) {
    IntegralDomain &domain = domains[facet_type(cell, facet)];
    domain.set = set;
    domain.on_facets = true;
    domain.domain = Domain::facets;
    domain.local_facets.push_back(facet);
    domain.facet_quadrature.push_back(
        make_facet_quadrature(cell, facet, d_.facet_degree, d_.line_points));
  }
  std::vector<IntegralDomain> result;
  for (auto &[type, domain] : domains)
    result.push_back(std::move(domain));
  return result;
}

IntegralDomain FormIntegrals::part_domain(int set, Domain domain) const {
  const CellType cell = d_.mesh->sets[set].type;
  IntegralDomain result{.set = set, .on_facets = true, .domain = domain};
  for (int i = 0; i < (domain == Domain::edges ? num_edges(cell) : num_vertices(cell)); ++i) {
    result.local_facets.push_back(i);
    result.facet_quadrature.push_back(
        make_part_quadrature(cell, domain, i, d_.facet_degree, d_.line_points));
  }
  return result;
}

PointwiseFunction FormIntegrals::function_of(IntegralKind kind,
                                             const FormIntegral &integral) const {
  const PointwiseFunction linearised = with_shift(integral.linearised);
  switch (kind) {
  case IntegralKind::residual:
    return with_shift(integral.residual);
  case IntegralKind::linearised:
    return linearised;
  case IntegralKind::diagonal:
  case IntegralKind::matrix:
    break;
  }
  std::vector<int> components;
  for (const FieldSpec &field : d_.form.fields)
    components.push_back(field.components());
  return kind == IntegralKind::matrix ? matrix_blocks(linearised, d_.mesh->dim, components)
                                      : diagonal_blocks(linearised, d_.mesh->dim, components);
}

CellIntegral FormIntegrals::describe(IntegralKind kind, const IntegralDomain &domain,
                                     const OperatorSettings &settings) const {
  CellIntegral in;
  in.form_name = settings.form_name;
  in.kind = kind;
  in.symmetric = kind == IntegralKind::matrix && d_.form.symmetric;
  in.dim = d_.mesh->dim;
  in.cell = d_.mesh->sets[domain.set].type;
  in.on_facets = domain.on_facets;
  if (domain.on_facets)
    in.part_dim = static_cast<int>(domain.facet_quadrature.front().tangents.size()) / in.dim;
  in.precision = settings.precision;
  in.lanes = *settings.lanes;
  in.geometry = domain.on_facets ? GeometrySource::on_the_fly : settings.geometry;
  if (has_lines(in.cell) && kind != IntegralKind::matrix &&
      settings.strategy != Strategy::transposed)
    in.sums = settings.sums.value_or(Summation::points);
  if (in.on_facets && (in.by_planes() || !in.has_normals()))
    in.sums = Summation::points;
  for (const NodeMap *map : families_)
    in.families.push_back({map->sets[domain.set].element});
  std::vector<int> components;
  for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
    components.push_back(d_.form.fields[f].components());
    in.tests.push_back({components.back(), family_of_map_[d_.field_map[f]]});
  }
  if (domain.on_facets || d_.form.c_text.empty()) {
    in.function = function_of(kind, *integral(domain.domain));
  } else {
    require(kind == IntegralKind::residual, "C text is differentiated by differences");
    in.c_text = d_.form.c_text;
    in.function = d_.form.c_text.values;
  }
  if (domain.on_facets)
    in.facet_quadrature = domain.facet_quadrature;
  else
    in.quadrature = make_quadrature(in.cell, d_.cell_degree, d_.line_points);
  in.local_facets = domain.local_facets;
  in.cell_table = uniform_entries(d_.cell_table);
  in.facet_table = uniform_entries(d_.facet_table);

  in.inputs.push_back({Kind::coordinates, 0, in.dim, 0});
  const auto uses = [&](SymbolKind value, SymbolKind gradient, int index) {
    return in.function.uses(value, index) || in.function.uses(gradient, index);
  };
  for (int f = 0; f < static_cast<int>(components.size()); ++f) {
    const int family = in.tests[f].family;
    if (uses(SymbolKind::field, SymbolKind::field_gradient, f))
      in.inputs.push_back({Kind::field, f, components[f], family});
    if (in.function.uses(SymbolKind::rate_offset, f))
      in.inputs.push_back({Kind::rate_offset, f, components[f], family});
    if (uses(SymbolKind::direction, SymbolKind::direction_gradient, f))
      in.inputs.push_back({Kind::direction, f, components[f], family});
  }
  for (int a = 0; a < static_cast<int>(d_.auxiliary.size()); ++a)
    if (uses(SymbolKind::auxiliary, SymbolKind::auxiliary_gradient, a))
      in.inputs.push_back(
          {Kind::auxiliary, a, d_.auxiliary[a].components, family_of_map_[d_.auxiliary[a].map]});
  if (in.function.uses(SymbolKind::cell_size))
    in.inputs.push_back({Kind::cell_size, -1, 1, -1});
  return in;
}

} // namespace weft
