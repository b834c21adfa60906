#include "op/weak_form/form_integrals.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/error.h"
#include "form/weak_form/rates.h"
#include "form/weak_form/reference_hessians.h"
#include "op/problem/named_parts.h"
#include "op/weak_form/operator_settings.h"
#include "space/cell_symmetry.h"
#include "space/line_basis.h"

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
  for (std::size_t m = 0; m < d_.maps.size(); ++m) {
    const NodeMap &map = d_.maps[m];
    const bool of_field = std::find(d_.field_map.begin(), d_.field_map.end(),
                                    static_cast<int>(m)) != d_.field_map.end();
    if (map.order == 0 && !of_field) {
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

namespace {

// The index of a value in a list, to which it is added if it is new.
template <typename T> int index_in(std::vector<T> &list, const T &value) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto index = static_cast<int>(found - list.begin());
  if (found == list.end())
    list.push_back(value);
  return index;
}

// A symmetry of the cell that takes the vertices `from` to `to`, by index; -1: none.
int symmetry_between(CellType cell, std::span<const int> from, std::span<const int> to) {
  const std::vector<CellSymmetry> &all = cell_symmetries(cell);
  for (std::size_t s = 0; s < all.size(); ++s)
    if (std::equal(from.begin(), from.end(), to.begin(), to.end(),
                   [&](int a, int b) { return all[s].vertices[a] == b; }))
      return static_cast<int>(s);
  return -1;
}

// Turns the cells of a group: its facet and position become the first ones that they can be laid
// on.
void turn(const Mesh &mesh, InteriorGroup &group, int *symmetry) {
  const CellType minus = mesh.sets[group.minus_set].type, plus = mesh.sets[group.plus_set].type;
  const CellType facet = facet_type(minus, group.minus_facet);
  const auto from = facet_vertices(minus, group.minus_facet);
  for (int f = 0; f < num_facets(minus); ++f)
    if (const int s = facet_type(minus, f) == facet
                          ? symmetry_between(minus, from, facet_vertices(minus, f))
                          : -1;
        s >= 0) {
      group.minus_facet = f;
      symmetry[0] = s;
      break;
    }
  for (int f = 0; f < num_facets(plus); ++f) {
    const auto to = facet_vertices(plus, f);
    if (const int s =
            facet_type(plus, f) == facet ? symmetry_between(plus, group.plus_vertices, to) : -1;
        s >= 0) {
      group.plus_vertices.assign(to.begin(), to.end());
      symmetry[1] = s;
      break;
    }
  }
}

} // namespace

std::vector<InteriorDomain> FormIntegrals::interior_domains() const {
  std::map<std::tuple<int, int, CellType>, InteriorDomain> domains;
  for (std::size_t g = 0; g < d_.interior.size(); ++g) {
    InteriorGroup group = d_.interior[g];
    InteriorDomain::Group turned{.group = static_cast<int>(g)};
    turn(*d_.mesh, group, turned.symmetry);
    const CellType cell = d_.mesh->sets[group.minus_set].type;
    InteriorDomain &domain =
        domains[{group.minus_set, group.plus_set, facet_type(cell, group.minus_facet)}];
    domain.set = group.minus_set;
    domain.plus_set = group.plus_set;
    domain.on_facets = true;
    domain.domain = Domain::interior;
    turned.slot = index_in(domain.local_facets, group.minus_facet);
    if (turned.slot == static_cast<int>(domain.facet_quadrature.size()))
      domain.facet_quadrature.push_back(
          make_facet_quadrature(cell, group.minus_facet, d_.facet_degree, d_.line_points));
    turned.position =
        index_in(domain.plus_points, plus_points(*d_.mesh, group, d_.facet_degree, d_.line_points));
    domain.groups.push_back(turned);
  }
  std::vector<InteriorDomain> result;
  for (auto &[key, domain] : domains)
    result.push_back(std::move(domain));
  return result;
}

bool FormIntegrals::has_second_derivatives(Domain domain) const {
  const FormIntegral *of_domain = integral(domain);
  return of_domain && of_domain->second;
}

bool FormIntegrals::is_straight(CellType cell) const {
  return d_.geometry.order == 1 && (cell == CellType::triangle || cell == CellType::tetrahedron);
}

PointwiseFunction FormIntegrals::for_kernels(const PointwiseFunction &function,
                                             const FormIntegral &integral,
                                             const IntegralDomain &domain) const {
  const PointwiseFunction shifted = with_shift(function, time_orders(d_.form));
  if (!integral.second)
    return shifted;
  return with_reference_hessians(shifted, d_.form, integral.domain, [&](Side side) {
    return is_straight(d_.mesh->sets[side == Side::plus ? domain.plus_set : domain.set].type);
  });
}

PointwiseFunction FormIntegrals::function_of(IntegralKind kind, const FormIntegral &integral,
                                             const IntegralDomain &domain) const {
  const PointwiseFunction linearised = for_kernels(integral.linearised, integral, domain);
  switch (kind) {
  case IntegralKind::residual:
    return for_kernels(integral.residual, integral, domain);
  case IntegralKind::linearised:
    return linearised;
  case IntegralKind::diagonal:
  case IntegralKind::matrix:
    break;
  }
  std::vector<int> components;
  for (const FieldSpec &field : d_.form.fields)
    components.push_back(field.components());
  const bool two_sided = integral.domain == Domain::interior;
  if (kind == IntegralKind::matrix)
    return matrix_blocks(linearised, d_.mesh->dim, components, two_sided);
  require(!two_sided, "diagonals of facets between two cells are parts of matrices");
  return diagonal_blocks(linearised, d_.mesh->dim, components);
}

// What the function reads of a side's cell beside coordinates.
void FormIntegrals::add_inputs(CellIntegral &in, Side side) const {
  const int first = side == Side::plus ? static_cast<int>(families_.size()) : 0;
  const auto add = [&](const std::vector<SymbolKind> &kinds, NodalInput input) {
    input.side = side;
    if (input.family >= 0)
      input.family += first;
    for (const Symbol &symbol : in.function.symbols)
      for (const SymbolKind kind : kinds)
        if (symbol.kind == kind && symbol.side == side && symbol.order == input.order &&
            (input.index < 0 || symbol.index == input.index)) {
          in.inputs.push_back(input);
          return;
        }
  };
  for (int f = 0; f < static_cast<int>(d_.form.fields.size()); ++f) {
    const int components = d_.form.fields[f].components(), family = family_of_field(f);
    add({SymbolKind::field, SymbolKind::field_gradient, SymbolKind::field_hessian},
        {Kind::field, f, components, family});
    for (int order = 1; order <= highest_rate_order; ++order)
      add({SymbolKind::rate_offset, SymbolKind::rate_offset_gradient,
           SymbolKind::rate_offset_hessian},
          {Kind::rate_offset, f, components, family, Side::none, order});
    add({SymbolKind::direction, SymbolKind::direction_gradient, SymbolKind::direction_hessian},
        {Kind::direction, f, components, family});
  }
  for (int a = 0; a < static_cast<int>(d_.auxiliary.size()); ++a)
    add({SymbolKind::auxiliary, SymbolKind::auxiliary_gradient, SymbolKind::auxiliary_hessian},
        {Kind::auxiliary, a, d_.auxiliary[a].components, family_of_map_[d_.auxiliary[a].map]});
  add({SymbolKind::cell_size}, {Kind::cell_size, -1, 1, -1});
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
  if (domain.is_two_sided())
    in.plus = PlusSide{d_.mesh->sets[domain.plus_set].type, domain.plus_points};
  in.precision = settings.precision;
  in.lanes = *settings.lanes;
  in.geometry = domain.on_facets ? GeometrySource::on_the_fly : settings.geometry;
  if (has_lines(in.cell) && !domain.is_two_sided() && kind != IntegralKind::matrix &&
      settings.strategy != Strategy::transposed)
    in.sums = settings.sums.value_or(Summation::points);
  // Facets by lines take the first node of a line for the one on the facet.
  const bool nodes_on_facets = std::none_of(d_.maps.begin(), d_.maps.end(),
                                            [](const NodeMap &map) { return map.discontinuous; });
  const bool products = std::all_of(families_.begin(), families_.end(), [&](const NodeMap *map) {
    return has_line_basis(map->sets[domain.set].element);
  });
  in.second = has_second_derivatives(domain.domain) && (domain.on_facets || d_.form.c_text.empty());
  if (!products || in.second ||
      (in.on_facets && (in.by_planes() || !nodes_on_facets || !in.has_normals())))
    in.sums = Summation::points;
  const std::vector<Side> sides =
      domain.is_two_sided() ? std::vector{Side::minus, Side::plus} : std::vector{Side::none};
  for (const Side side : sides) {
    const int set = side == Side::plus ? domain.plus_set : domain.set;
    const int first = static_cast<int>(in.families.size());
    for (const NodeMap *map : families_)
      in.families.push_back({map->sets[set].element, side});
    for (std::size_t f = 0; f < d_.form.fields.size(); ++f)
      in.tests.push_back(
          {d_.form.fields[f].components(), first + family_of_field(static_cast<int>(f))});
  }
  if (domain.on_facets || d_.form.c_text.empty()) {
    in.function = function_of(kind, *integral(domain.domain), domain);
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

  for (const Side side : sides)
    in.inputs.push_back({Kind::coordinates, 0, in.dim,
                         side == Side::plus ? static_cast<int>(families_.size()) : 0, side});
  for (const Side side : sides)
    add_inputs(in, side);
  return in;
}

} // namespace weft
