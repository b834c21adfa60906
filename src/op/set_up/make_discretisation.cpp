#include "op/set_up/make_discretisation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "form/expression/name_table.h"
#include "form/graph/hessian_entries.h"
#include "form/weak_form/rates.h"
#include "op/evaluate/field_source.h"
#include "op/evaluate/limiter_scale.h"
#include "op/law/mesh/fv_geometry.h"
#include "op/law/mesh/k_orthogonality.h"
#include "op/problem/dof_layout.h"
#include "op/problem/facet_groups.h"
#include "op/problem/field_regions.h"
#include "op/problem/law_boundaries.h"
#include "op/problem/quadrature_degree.h"
#include "op/problem/result_form.h"
#include "op/set_up/bounds.h"
#include "op/set_up/constraints.h"
#include "op/set_up/explicit_terms.h"
#include "op/set_up/make_ties.h"
#include "space/shared_nodes.h"

namespace weft {

namespace {

int index_of_map(const Discretisation &d, const FieldSpec &field) {
  const auto found = std::find_if(d.maps.begin(), d.maps.end(), [&](const NodeMap &map) {
    return map.order == field.order && map.discontinuous == field.discontinuous &&
           map.whole_domain == field.whole_domain;
  });
  require(found != d.maps.end(), "every element in use has a node map");
  return static_cast<int>(found - d.maps.begin());
}

// Known fields that have values in a discretisation: recovered ones have them where they are used.
std::size_t num_known(const Case &c) {
  return index_of_recovered(c);
}

void number_dofs(const Case &c, Discretisation &d) {
  std::set<std::pair<bool, int>> elements;
  for (const FieldSpec &field : d.form.fields)
    if (!field.whole_domain)
      elements.emplace(field.discontinuous, field.order);
  for (std::size_t a = 0; a < num_known(c); ++a)
    elements.emplace(d.form.auxiliary[a].discontinuous, d.form.auxiliary[a].order);
  // Laws have cells of other ranks among their own, see op/problem/cell_dofs.h.
  const CellsOfOthers of_others = d.law ? CellsOfOthers::end_sets : CellsOfOthers::end_all;
  for (const auto &[discontinuous, order] : elements) {
    // The geometry's numbering is the same where no nodes are made one.
    const bool as_geometry =
        !discontinuous && order == d.geometry.order && d.mesh->periodic_master.empty();
    d.maps.push_back(discontinuous ? make_discontinuous_map(*d.mesh, order, of_others)
                     : as_geometry ? d.geometry
                                   : make_node_map(*d.mesh, order));
  }
  if (num_border_dofs(d.form.fields) > 0)
    d.maps.push_back(make_whole_domain_map(*d.mesh));
  for (NodeMap &map : d.maps) {
    map.num_global = sum(d.ranks, map.num_global);
    if (d.ranks)
      d.node_halo.push_back(d.law && map.discontinuous ? HaloPlaces{}
                                                       : shared_nodes(*d.mesh, map, *d.ranks));
  }
  for (const auto &field : d.form.fields) {
    d.field_map.push_back(index_of_map(d, field));
    const NodeMap &map = d.maps[d.field_map.back()];
    d.field_offset.push_back(d.num_local);
    d.own_offset.push_back(d.num_owned);
    d.ghost_offset.push_back(d.num_local - d.num_owned); // so many ghosts before
    d.num_owned += map.num_owned * field.components();
    d.num_local += map.num_local * field.components();
    d.num_global += map.num_global * field.components();
  }
  for (std::int64_t &offset : d.ghost_offset)
    offset += d.num_owned;
  if (d.num_local > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported,
                {.what = "more unknowns than one device's part numbers",
                 .found = fmt::format("{} unknowns", d.num_local),
                 .allowed = fmt::format("{}", std::numeric_limits<std::int32_t>::max()),
                 .remedy = "use a coarser mesh or a lower order"});
}

// Unknowns of finite volumes are means: expressions are evaluated at centroids,
// which the images of reference centres are on affine cells alone.
void place_at_centroids(Discretisation &d) {
  NodeMap &map = d.maps[d.field_map[0]];
  const int dim = d.mesh->dim;
  for (int s = 0; s < static_cast<int>(map.sets.size()); ++s) {
    const FvPositions positions = fv_positions(d, s);
    for (std::size_t c = 0; c < positions.volume.size(); ++c)
      std::copy_n(&positions.centre[c * dim], dim,
                  &map.coordinates[std::int64_t(map.sets[s].nodes[c]) * dim]);
  }
}

const ValueSpec &auxiliary_value(const Case &c, const FieldSpec &field) {
  const auto spec = std::find_if(c.auxiliary_values.begin(), c.auxiliary_values.end(),
                                 [&](const ValueSpec &v) { return v.name == field.name; });
  if (spec == c.auxiliary_values.end())
    throw Error(ErrorKind::input, {.what = "an auxiliary field without a value",
                                   .where = "[auxiliary] " + field.name,
                                   .remedy = "give it value = \"...\""});
  return *spec;
}

void set_auxiliary_values(const Case &c, Discretisation &d, std::size_t a) {
  AuxiliaryField &field = d.auxiliary[a];
  const FieldSpec &spec = d.form.auxiliary[a];
  field.values = values_of_spec(c, d, auxiliary_value(c, spec), d.maps[field.map], spec);
  fetch_ghosts(d, field.map, field.components, field.values);
}

// What is kept over time are known fields of what looks at results.
void add_kept_fields(const Case &c, Discretisation &d) {
  for (std::size_t e = c.form.auxiliary.size(); e < num_known(c); ++e) {
    AuxiliaryField result{.map = index_of_map(d, d.form.auxiliary[e])};
    result.values.assign(d.maps[result.map].num_local, std::numeric_limits<double>::quiet_NaN());
    d.auxiliary.push_back(std::move(result));
  }
}

const FormIntegral *find_integral(const Form &form, Domain domain) {
  for (const auto &integral : form.integrals)
    if (integral.domain == domain)
      return &integral;
  return nullptr;
}

// Groups that integrals name must be there, also where their integrand vanishes.
void check_integral_groups(const std::vector<IntegralSpec> &integrals, const Mesh &mesh,
                           Communicator *ranks) {
  const std::vector<bool> on_boundary = classes_of_boundary(mesh);
  const std::vector<bool> between_cells = classes_between_cells(mesh);
  for (const auto &integral : integrals) {
    if (integral.domain == Domain::edges || integral.domain == Domain::points) {
      find_named_parts(mesh, integral.domain, integral.groups, true, integral.integrand.where());
      continue;
    }
    const auto selected =
        select_classes(mesh, integral.domain, integral.groups, integral.integrand.where());
    if (integral.domain == Domain::cells || integral.groups.empty())
      continue;
    const bool inside = integral.domain == Domain::interior;
    const std::vector<bool> &there = inside ? between_cells : on_boundary;
    bool here = false;
    for (std::size_t i = 0; i < selected.size(); ++i)
      here = here || (selected[i] && there[i]);
    if (any(ranks, here))
      continue;
    const std::string groups = join_names(integral.groups);
    throw Error(
        ErrorKind::input,
        {.what = inside ? "an integral over inner facets of a group on the boundary"
                        : "an integral over facets that lie inside the mesh",
         .where = integral.integrand.where(),
         .found = groups,
         .allowed = inside ? "groups of facets between two cells" : "groups on the boundary",
         .remedy =
             fmt::format("write {}.{} for this group", inside ? "facets" : "interior", groups)});
  }
}

// The fields and tables of a law, for all that looks at a form without its integrals.
Form form_of_law(const ConservationLaw &law) {
  return {.dim = law.dim,
          .fields = law.fields,
          .auxiliary = law.auxiliary,
          .cell_table = law.cell_table,
          .facet_table = law.facet_table,
          .linear = law.linear};
}

// Where an equation is; which of them has dt() is not looked for.
std::string where_of_rates(const Case &c) {
  return place_in(c, c.form.integrals.empty() ? "[pointwise]" : "[weak_form]");
}

// The derivatives of some test functions of a continuous field have terms between two cells. Their
// rows have terms of facets off their nodes, whose cells a rank may lack.
bool has_gradients_between_cells(const Form &form, const FormIntegral &integral) {
  int output = 0;
  for (int side = 0; side < 2; ++side)
    for (const FieldSpec &field : form.fields) {
      const int values = field.components(), entries = values * (1 + form.dim);
      for (int i = values; i < entries && !field.discontinuous; ++i)
        if (!integral.residual.output_is_zero(output + i))
          return true;
      output += entries;
    }
  for (int side = 0; integral.second && side < 2; ++side)
    for (const FieldSpec &field : form.fields)
      for (int i = 0; i < field.components() * num_hessian_entries(form.dim); ++i, ++output)
        if (!field.discontinuous && !integral.residual.output_is_zero(output))
          return true;
  return false;
}

void check_interior_ranks(const Form &form, const Case &c, const Communicator *ranks) {
  if (!ranks)
    return;
  for (const FormIntegral &integral : form.integrals)
    if (integral.domain == Domain::interior && has_gradients_between_cells(form, integral))
      throw Error(
          ErrorKind::unsupported,
          {.what = "gradients of continuous test functions over facets between two cells, shared "
                   "by several processes",
           .where = place_in(c, "[weak_form] interior"),
           .found = fmt::format("{} processes of a launcher (mpirun, srun)", ranks->size()),
           .allowed = "values of test functions; of discontinuous fields gradients too",
           .remedy = "start weft without the launcher: one process uses all cores of a machine"});
}

// Time derivatives and [time] belong together.
void check_time(const Case &c, const Form &form) {
  if (c.form.law)
    return; // read_case() has looked at it
  const bool in_time = c.time && !c.time->is_load();
  if (has_rates(form) && !in_time)
    throw Error(ErrorKind::input,
                {.what = "a weak form with dt() in a stationary case",
                 .where = where_of_rates(c),
                 .remedy = "add [time] with end = ... and step = ..., or remove dt()"});
  if (!in_time)
    return;
  const std::string &scheme = c.time->scheme;
  if (!has_rates(form) && !scheme.empty() && scheme != quasi_static_scheme)
    throw Error(ErrorKind::input,
                {.what = "a scheme in time for a weak form without dt()",
                 .where = place_in(c, "[time] scheme"),
                 .found = fmt::format("scheme = \"{}\"", scheme),
                 .remedy =
                     "leave it out: each step solves the stationary problem at its end; or add "
                     "a term such as dt(u)*test(u) to the weak form"});
  if (!has_rates(form) && c.time->tolerance)
    throw Error(ErrorKind::input,
                {.what = "adaptive steps of a weak form without dt(), which makes no error in time",
                 .where = place_in(c, "[time] adaptive"),
                 .remedy = "leave `adaptive` out; steps of [load] get shorter where they fail"});
  if (has_second_rates(form) && !scheme.empty() && scheme != second_order_scheme)
    throw Error(ErrorKind::input,
                {.what = "a scheme for dt(u) in a weak form with dt(dt(u))",
                 .where = place_in(c, "[time] scheme"),
                 .found = fmt::format("scheme = \"{}\"", scheme),
                 .allowed = second_order_scheme,
                 .remedy = "leave it out, or make dt(u) a field of its own: dt(u) = v"});
}

// Velocities at the start are those of fields of second order.
void check_initial_rates(const Case &c, const Form &form) {
  const std::vector<int> orders = time_orders(form);
  for (const ValueSpec &spec : c.initial) {
    if (!spec.of_rate)
      continue;
    const auto field = std::find_if(form.fields.begin(), form.fields.end(),
                                    [&](const FieldSpec &f) { return f.name == spec.name; });
    if (c.form.law || !c.time || orders[field - form.fields.begin()] != 2)
      throw Error(ErrorKind::input,
                  {.what = fmt::format("a velocity at the start of `{0}`, whose equation has no "
                                       "dt(dt({0}))",
                                       spec.name),
                   .where = spec.value.where(),
                   .remedy = "leave it out: the equation says what it is"});
  }
}

bool splits_reactions(const Case &c) {
  return c.form.law && c.time && c.time->splits_reactions();
}

SplitReactions split_reactions(const Case &c, const Mesh &mesh) {
  SplitReactions reactions{.law = make_law_reactions(c.form)};
  reactions.cell_table =
      resolve_table(mesh, Domain::cells, reactions.law.cell_table, classes_of_cells(mesh));
  reactions.rush_larsen = c.time->rush_larsen;
  reactions.substeps = c.time->substeps.value_or(1);
  return reactions;
}

void resolve_boundaries(const Case &c, Discretisation &d) {
  const Mesh &mesh = *d.mesh;
  d.condition_of_class = conditions_of_classes(c.form.boundaries, mesh, d.ranks);
  d.facet_table = resolve_facet_table(*d.law, d.condition_of_class, mesh);
}

// Edges and points. Their classes are rows after those of facets.
void find_integrated_parts(Discretisation &d) {
  auto first_row = static_cast<std::int32_t>(d.mesh->facet_classes.size());
  const auto find = [&](Domain domain) {
    const FormIntegral *integral = find_integral(d.form, domain);
    if (integral == nullptr)
      return NamedParts{};
    NamedParts parts = find_named_parts(*d.mesh, domain, integral->groups, false, "");
    for (FacetGroup &group : parts.groups)
      for (std::int32_t &of_part : group.classes)
        of_part += first_row;
    first_row += static_cast<std::int32_t>(parts.classes.size());
    return parts;
  };
  d.integrated_edges = find(Domain::edges);
  d.integrated_points = find(Domain::points);
}

void find_integrated_facets(Discretisation &d) {
  const Mesh &mesh = *d.mesh;
  std::vector<bool> selected(mesh.facet_classes.size(), false);
  if (const FormIntegral *integral = find_integral(d.form, Domain::facets)) {
    selected = integral->all ? classes_of_boundary(mesh)
                             : select_classes(mesh, Domain::facets, integral->groups, "");
    d.integrated_facets = select_facets(mesh, selected, false);
  }
  // Selected classes may hold no facet of a kind that is integrated over.
  selected.assign(selected.size(), false);
  for (const auto f : d.integrated_facets)
    selected[mesh.facets[f].facet_class] = true;
  for (const InteriorGroup &group : d.interior)
    for (const std::int32_t facet_class : group.classes)
      selected[facet_class] = true;
  find_integrated_parts(d);
  d.facet_table = resolve_part_table(d, d.form.facet_table, selected);
}

void find_interior_facets(Discretisation &d) {
  d.interior.clear();
  if (const FormIntegral *integral = find_integral(d.form, Domain::interior))
    d.interior = interior_groups(
        *d.mesh, select_classes(*d.mesh, Domain::interior,
                                integral->all ? std::vector<std::string>{} : integral->groups, ""));
}

void resolve_tables(const Case &c, Discretisation &d) {
  d.cell_table =
      resolve_table(*d.mesh, Domain::cells, d.form.cell_table, classes_of_cells(*d.mesh));
  if (d.law)
    resolve_boundaries(c, d);
  else
    find_integrated_facets(d);
}

// As many points along a line as the highest elements have nodes, exact to 2p - 1.
void take_gauss_lobatto(const QuadratureSpec &spec, Discretisation &d) {
  for (const CellSet &set : d.mesh->sets)
    if (set.type != CellType::quadrilateral && set.type != CellType::hexahedron)
      throw Error(ErrorKind::unsupported,
                  {.what = "quadrature at Gauss-Lobatto points",
                   .where = spec.place,
                   .found = fmt::format("cells of type {}", to_string(set.type)),
                   .allowed = "quadrilaterals and hexahedra",
                   .remedy = "leave quadrature out, or say a degree"});
  d.line_points = LinePoints::gauss_lobatto;
  d.cell_degree = d.facet_degree = 2 * std::max(1, highest_field_order(d)) - 1;
}

void choose_degrees(const QuadratureSpec &spec, Discretisation &d,
                    std::optional<int> quadrature_degree) {
  if (!d.form.c_text.empty()) // nothing is known of the integrand
    d.cell_degree = 2 * highest_field_order(d) + 2 * (d.geometry.order - 1) + 1;
  d.facet_degree = 1;
  for (const auto &integral : d.form.integrals) {
    int &degree = integral.domain == Domain::cells ? d.cell_degree : d.facet_degree;
    degree = std::max(degree, degree_of_integral(d, integral).used);
  }
  if (d.law) // of functionals: the mass of a state
    d.cell_degree = d.facet_degree = 2 * highest_field_order(d) + 2 * (d.geometry.order - 1);
  if (quadrature_degree)
    d.cell_degree = d.facet_degree = *quadrature_degree;
  else if (spec.degree)
    d.cell_degree = d.facet_degree = *spec.degree;
  else if (spec.gauss_lobatto)
    take_gauss_lobatto(spec, d);
}

// Of an earlier stage: terms of laws are not switched off by region.
void check_known_fields_of_law(const Case &c) {
  for (const FieldSpec &field : c.form.auxiliary)
    if (c.form.law && !field.cells.empty())
      throw Error(ErrorKind::unsupported,
                  {.what = fmt::format("the known field \"{}\", which is in some regions only, "
                                       "beside a conservation law",
                                       field.name),
                   .where = field.place,
                   .found = "cells = " + join_names(field.cells),
                   .allowed = "known fields that are everywhere",
                   .remedy = "leave `cells` out in the earlier stage"});
}

// What is solved, as functions of points, whatever the mesh is.
void make_equations(const Case &c, Discretisation &d) {
  check_known_fields_of_law(c);
  d.reactions.reset();
  if (splits_reactions(c))
    d.reactions = split_reactions(c, *d.mesh);
  if (c.form.law)
    d.law = make_conservation_law(d.reactions ? without_sources(c.form) : c.form);
  d.form = d.law ? form_of_law(*d.law) : make_form(c.form);
  if (c.first_times.empty() && c.over_time.empty() && c.recovered.empty())
    return;
  const FormSpec of_results = result_form(c);
  const NameTable checked(of_results); // no name is taken twice
  d.form.auxiliary = of_results.auxiliary;
}

// The rest of a discretisation whose dofs are numbered.
void take_equations(const Case &c, Discretisation &d, std::optional<int> quadrature_degree,
                    bool notices) {
  find_interior_facets(d);
  resolve_tables(c, d);
  d.cell_degree = d.facet_degree = 1;
  choose_degrees(c.form.quadrature, d, quadrature_degree);
  d.auxiliary = auxiliary_fields(c, d);
  if (d.law)
    choose_diffusion(d.reactions ? without_sources(c.form) : c.form, d);
  add_kept_fields(c, d);
  d.constraints = make_constraints(c, d, notices);
  d.ties = make_ties(c, d);
  d.bounds = make_bounds(c, d);
  if (d.law && d.law->limits_gradients)
    d.limiter_scale = limiter_scales(c, d);
}

} // namespace

std::vector<AuxiliaryField> auxiliary_fields(const Case &c, const Discretisation &d) {
  std::vector<AuxiliaryField> fields;
  for (const auto &field : c.form.auxiliary) {
    AuxiliaryField result{.map = index_of_map(d, field), .components = field.components()};
    const ValueSpec &value = auxiliary_value(c, field);
    if (value.is_expression()) {
      const Expression expression = make_expression(c.form, value.value, field.shape, false, false);
      result.depends_on_time = expression.function.uses(SymbolKind::time);
      result.depends_on_parameters = has_settable_entries(expression);
    }
    result.values = values_of_spec(c, d, value, d.maps[result.map], field);
    fetch_ghosts(d, result.map, result.components, result.values);
    fields.push_back(std::move(result));
  }
  return fields;
}

Discretisation make_discretisation(const Case &c, const Mesh &mesh,
                                   std::optional<int> quadrature_degree, Communicator *ranks) {
  require(c.form.dim == mesh.dim, "a case's dimension is resolved before it is discretised");
  require((ranks != nullptr) == mesh.share.has_value(), "ranks have parts of a mesh");
  Discretisation d;
  d.mesh = &mesh;
  d.ranks = ranks;
  make_equations(c, d);
  check_time(c, d.form);
  check_initial_rates(c, d.form);
  d.time = c.time ? c.time->start : 0;
  check_interior_ranks(d.form, c, ranks);
  check_integral_groups(c.form.integrals, mesh, ranks);
  check_integral_groups(c.form.explicit_integrals, mesh, ranks);
  check_field_regions(d.form, mesh, ranks);
  d.geometry = make_geometry_map(mesh);
  number_dofs(c, d);
  if (d.law && d.law->finite_volume)
    place_at_centroids(d);
  take_equations(c, d, quadrature_degree, true);
  if (!c.form.explicit_integrals.empty()) {
    const Form terms = form_of_explicit_terms(c);
    check_interior_ranks(terms, c, ranks);
    check_explicit_terms(c, d, terms);
  }
  return d;
}

void make_equations_anew(const Case &c, Discretisation &d) {
  make_equations(c, d);
  take_equations(c, d, {}, false);
}

void take_values(const Case &c, Discretisation &d) {
  Discretisation now; // the equations with the values now
  now.mesh = d.mesh;
  make_equations(c, now);
  const auto take = [](std::vector<TableEntry> &entries, const std::vector<TableEntry> &values) {
    require(entries.size() == values.size(), "other values change no table's entries");
    entries = values;
  };
  take(d.form.cell_table, now.form.cell_table);
  take(d.form.facet_table, now.form.facet_table);
  if (d.law) {
    take(d.law->cell_table, now.law->cell_table);
    take(d.law->facet_table, now.law->facet_table);
  }
  if (d.reactions) {
    take(d.reactions->law.cell_table, now.reactions->law.cell_table);
    d.reactions->cell_table = now.reactions->cell_table;
  }
  resolve_tables(c, d);
  for (std::size_t a = 0; a < d.auxiliary.size(); ++a)
    if (d.auxiliary[a].depends_on_parameters)
      set_auxiliary_values(c, d, a);
  if (d.constraints.depend_on_parameters)
    d.constraints = make_constraints(c, d, false);
  if (d.ties.depend_on_parameters)
    d.ties = make_ties(c, d);
  if (d.bounds.depend_on_parameters)
    d.bounds = make_bounds(c, d);
  if (d.law && d.law->limits_gradients)
    d.limiter_scale = limiter_scales(c, d);
}

void set_time(const Case &c, Discretisation &d, double time) {
  d.time = time;
  for (std::size_t a = 0; a < d.auxiliary.size(); ++a)
    if (d.auxiliary[a].depends_on_time)
      set_auxiliary_values(c, d, a);
  if (d.constraints.depend_on_time)
    d.constraints = make_constraints(c, d, false);
  if (d.ties.depend_on_time)
    d.ties = make_ties(c, d);
  if (d.bounds.depend_on_time)
    d.bounds = make_bounds(c, d);
}

} // namespace weft
