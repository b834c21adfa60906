#include "form/law/law_builder.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "form/graph/rewrite.h"
#include "form/law/numerical_flux.h"

namespace weft {

namespace {

bool is_gradient(const Symbol &symbol) {
  return symbol.kind == SymbolKind::field_gradient;
}

Scope scope_on(Side side) {
  return {.place = {side == Side::none ? Domain::cells : Domain::interior, {}},
          .fields = true,
          .side = side};
}

} // namespace

LawBuilder::LawBuilder(const FormSpec &spec, bool two_point)
    : spec_(spec), law_(*spec.law), elaborator_(spec), graph_(elaborator_.graph()),
      finite_volume_(spec.fields.front().finite_volume), two_point_(two_point) {
  for (const FieldSpec &field : spec.fields) {
    first_.push_back(num_components_);
    num_components_ += field.components();
    field_of_.insert(field_of_.end(), field.components(), static_cast<int>(first_.size()) - 1);
  }
}

NodeId LawBuilder::symbol(SymbolKind kind, int component, int direction, Side side) {
  const int field = field_of_[component];
  return graph_.symbol({kind, field, component - first_[field], direction, side});
}

// The part of a field, of nodes [component] or [component, direction].
Tensor LawBuilder::tensor_of(const Nodes &nodes, int field, bool gradient) const {
  const int width = gradient ? spec_.dim : 1;
  const auto begin = nodes.begin() + first_[field] * width;
  Tensor result{.shape = spec_.fields[field].shape,
                .components = Nodes(begin, begin + spec_.fields[field].components() * width)};
  if (gradient)
    result.shape.push_back(spec_.dim);
  return result;
}

LawBuilder::Nodes LawBuilder::flux_on(Side side) {
  Nodes flux(num_components_ * spec_.dim, graph_.constant(0));
  for (std::size_t f = 0; f < spec_.fields.size(); ++f) {
    const auto text = law_.flux.find(spec_.fields[f].name);
    if (text == law_.flux.end())
      continue;
    Shape shape = spec_.fields[f].shape;
    shape.push_back(spec_.dim);
    const Tensor value = elaborator_.evaluate(text->second, scope_on(side), shape);
    std::copy(value.components.begin(), value.components.end(),
              flux.begin() + first_[f] * spec_.dim);
  }
  return flux;
}

LawBuilder::Nodes LawBuilder::capacity_on(Side side) {
  Nodes capacity(num_components_, graph_.constant(1));
  for (std::size_t f = 0; f < spec_.fields.size(); ++f)
    if (const auto text = law_.capacity.find(spec_.fields[f].name); text != law_.capacity.end()) {
      const NodeId value = scalar(text->second, side);
      for (const SymbolKind kind : {SymbolKind::field, SymbolKind::time})
        if (depends_on(graph_, std::span(&value, 1), kind))
          throw Error(ErrorKind::input,
                      {.what = "a capacity that changes with time",
                       .where = text->second.where(),
                       .allowed = "parameters, auxiliary fields and place",
                       .remedy = "write the law for the quantity that is conserved"});
      std::fill_n(capacity.begin() + first_[f], spec_.fields[f].components(), value);
    }
  return capacity;
}

NodeId LawBuilder::scalar(const SourceText &text, Side side) {
  const NodeId value = elaborator_.evaluate(text, scope_on(side), Shape{})(0);
  if (depends_on(graph_, std::span(&value, 1), SymbolKind::field_gradient))
    throw Error(ErrorKind::input, {.what = "gradients outside of a flux or a source",
                                   .where = text.where(),
                                   .allowed = "fields, parameters, place and time"});
  return value;
}

LawBuilder::Nodes LawBuilder::flux_derivative(Side side, const Values &values) {
  const int field = only_scalar_with_flux(spec_);
  const auto begin = values.inviscid.begin() + first_[field] * spec_.dim;
  return derivative(graph_, Nodes(begin, begin + spec_.dim),
                    {.kind = SymbolKind::field, .index = field, .side = side});
}

NodeId LawBuilder::wave_speed_on(Side side, const Values &values) {
  if (law_.wave_speed)
    return scalar(*law_.wave_speed, side);
  const bool no_waves = std::all_of(values.inviscid.begin(), values.inviscid.end(),
                                    [&](NodeId id) { return graph_.is_constant(id, 0); });
  if (no_waves)
    return graph_.constant(0);
  const int field = only_scalar_with_flux(spec_);
  if (field < 0)
    throw Error(ErrorKind::input,
                {.what = "a system of conservation laws without a wave speed",
                 .where = law_.place.empty() ? "[conservation_law]" : law_.place,
                 .allowed = "it is derived for a single scalar field with a flux",
                 .remedy = "add wave_speed, the largest speed at a place: \"norm(m)/rho + c\""});
  const Tensor slope{.shape = {spec_.dim}, .components = flux_derivative(side, values)};
  return graph_.div(tensor::norm(graph_, slope)(0), values.capacity[first_[field]]);
}

LawBuilder::Values LawBuilder::values_on(Side side) {
  Values values{.flux = flux_on(side)};
  values.inviscid = substitute(graph_, values.flux, [](Graph &g, const Symbol &s) {
    return is_gradient(s) ? g.constant(0) : g.symbol(s);
  });
  values.viscous = part_with(graph_, values.flux, is_gradient);
  values.capacity = capacity_on(side);
  values.wave_speed = wave_speed_on(side, values);
  return values;
}

LawValues LawBuilder::named_for(int field, Side side, const Values &values) {
  LawValues named;
  Tensor state{.shape = spec_.fields[field].shape};
  for (int k = 0; k < spec_.fields[field].components(); ++k)
    state.components.push_back(symbol(SymbolKind::field, first_[field] + k, 0, side));
  named[{"state", side}] = state;
  named[{"flux", side}] = tensor_of(values.inviscid, field, true);
  named[{"capacity", side}] = make_scalar(values.capacity[first_[field]]);
  named[{"wave_speed", side}] = make_scalar(values.wave_speed);
  if (only_scalar_with_flux(spec_) == field) {
    Tensor normal{.shape = {spec_.dim}};
    for (int d = 0; d < spec_.dim; ++d)
      normal.components.push_back(graph_.symbol({.kind = SymbolKind::normal, .component = d}));
    const Tensor slope{.shape = {spec_.dim}, .components = flux_derivative(side, values)};
    named[{"normal_speed", side}] = tensor::dot(graph_, slope, normal);
  }
  return named;
}

LawBuilder::Nodes LawBuilder::source() {
  return texts_at(law_.source, scope_on(Side::none), Nodes(num_components_, graph_.constant(0)));
}

LawBuilder::Nodes LawBuilder::texts_at(const TextByField &texts, const Scope &scope,
                                       Nodes otherwise) {
  for (std::size_t f = 0; f < spec_.fields.size(); ++f)
    if (const auto text = texts.find(spec_.fields[f].name); text != texts.end()) {
      const Tensor value = elaborator_.evaluate(text->second, scope, spec_.fields[f].shape);
      std::copy(value.components.begin(), value.components.end(), otherwise.begin() + first_[f]);
    }
  return otherwise;
}

LawBuilder::Nodes LawBuilder::numerical_flux(const Values &minus, const Values &plus) {
  Nodes flux(num_components_, graph_.constant(0));
  for (std::size_t f = 0; f < spec_.fields.size(); ++f) {
    const auto text = law_.numerical_flux_of.find(spec_.fields[f].name);
    if (text == law_.numerical_flux_of.end())
      continue; // without a flux
    LawValues named = named_for(static_cast<int>(f), Side::minus, minus);
    named.merge(named_for(static_cast<int>(f), Side::plus, plus));
    const Scope scope{.place = {Domain::interior, {}}, .fields = true, .law = &named};
    const Tensor value = elaborator_.evaluate(text->second, scope, spec_.fields[f].shape);
    if (depends_on(graph_, value.components, SymbolKind::field_gradient))
      throw Error(ErrorKind::input, {.what = "a numerical flux with gradients",
                                     .where = text->second.where(),
                                     .allowed = "values of both sides, and the normal",
                                     .remedy = "leave them out: the part of the flux with "
                                               "gradients is treated on its own"});
    std::copy(value.components.begin(), value.components.end(), flux.begin() + first_[f]);
  }
  return flux;
}

// (F_v(q-, G-) + F_v(q+, G+)).n / 2 with G = grad(q) - penalty (q- - q+) n on each side.
LawBuilder::Nodes LawBuilder::viscous_flux(const Values &minus, const Values &plus) {
  const auto penalised = [&](Graph &g, const Symbol &s) {
    if (!is_gradient(s))
      return g.symbol(s);
    const auto value = [&](Side side) {
      return g.symbol({SymbolKind::field, s.index, s.component, 0, side});
    };
    const NodeId jump = g.sub(value(Side::minus), value(Side::plus));
    const NodeId normal = g.symbol({.kind = SymbolKind::normal, .component = s.direction});
    const NodeId penalty = g.symbol({.kind = SymbolKind::penalty});
    return g.sub(g.symbol(s), g.mul(g.mul(penalty, jump), normal));
  };
  const Nodes on_minus = substitute(graph_, minus.viscous, penalised);
  const Nodes on_plus = substitute(graph_, plus.viscous, penalised);
  Nodes flux;
  for (int k = 0; k < num_components_; ++k) {
    NodeId sum = graph_.constant(0);
    for (int d = 0; d < spec_.dim; ++d) {
      const int i = k * spec_.dim + d;
      const NodeId normal = graph_.symbol({.kind = SymbolKind::normal, .component = d});
      sum = graph_.add(sum, graph_.mul(graph_.add(on_minus[i], on_plus[i]), normal));
    }
    flux.push_back(graph_.mul(graph_.constant(0.5), sum));
  }
  return flux;
}

NodeId LawBuilder::diffusivity(const Values &cell) {
  NodeId largest = graph_.constant(0);
  for (int k = 0; k < num_components_; ++k)
    for (int d = 0; d < spec_.dim; ++d) {
      const NodeId flux = cell.viscous[k * spec_.dim + d];
      const Symbol gradient{SymbolKind::field_gradient, field_of_[k], k - first_[field_of_[k]], d};
      const NodeId slope = derivative(graph_, std::span(&flux, 1), gradient)[0];
      const NodeId here = graph_.div(graph_.make(Op::abs, slope), cell.capacity[k]);
      largest = graph_.is_constant(largest, 0) ? here : graph_.make(Op::max, largest, here);
    }
  if (depends_on(graph_, std::span(&largest, 1), SymbolKind::field_gradient))
    throw Error(ErrorKind::unsupported,
                {.what = "conservation laws with a flux that is not linear in the gradients",
                 .where = law_.place.empty() ? "[conservation_law]" : law_.place,
                 .allowed = "such as -mu*grad(q), with mu of fields, place and time"});
  return largest;
}

bool LawBuilder::is_linear(const Values &cell, const Nodes &source) {
  Nodes all = cell.flux;
  all.insert(all.end(), source.begin(), source.end());
  const Nodes slopes = directional_derivative(graph_, all);
  return !depends_on(graph_, slopes, SymbolKind::field) &&
         !depends_on(graph_, slopes, SymbolKind::field_gradient);
}

void LawBuilder::check_gradients(const Values &cell, const Nodes &source) {
  viscous_ = depends_on(graph_, cell.flux, SymbolKind::field_gradient) ||
             depends_on(graph_, source, SymbolKind::field_gradient);
  if (viscous_ && spec_.fields.front().order == 0 && !finite_volume_)
    throw Error(ErrorKind::input, {.what = "gradients in a conservation law of order 0",
                                   .where = spec_.fields.front().place,
                                   .allowed = "DG1 to DG9, FV"});
}

void LawBuilder::add(Nodes &values, const Nodes &more) {
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = graph_.add(values[k], more[k]);
}

ConservationLaw LawBuilder::build() {
  ConservationLaw law{.dim = spec_.dim,
                      .num_components = num_components_,
                      .fields = spec_.fields,
                      .auxiliary = spec_.auxiliary};
  const Values cell = values_on(Side::none);
  const Nodes source = this->source();
  check_gradients(cell, source);
  const NodeId largest = diffusivity(cell);
  Nodes positive;
  for (const SourceText &text : law_.positive)
    positive.push_back(scalar(text, Side::none));

  const Values minus = values_on(Side::minus), plus = values_on(Side::plus);
  Nodes flux = numerical_flux(minus, plus);
  if (finite_volume_)
    choose_finite_volume(minus);
  else
    add(flux, viscous_flux(minus, plus));
  for (const BoundarySpec &spec : spec_.boundaries)
    law.boundaries.push_back(boundary(spec, minus, flux));
  if (finite_volume_)
    flux = finite_volume_flux(flux, plus);

  law.viscous = viscous_;
  law.linear = is_linear(cell, source);
  law.flux = extract(graph_, cell.flux);
  law.source = extract(graph_, source);
  law.capacity = extract(graph_, cell.capacity);
  law.numerical_flux = extract(graph_, flux);
  law.wave_speed = extract(graph_, std::span(&cell.wave_speed, 1));
  law.diffusivity = extract(graph_, std::span(&largest, 1));
  law.positive = extract(graph_, positive);
  if (!finite_volume_ && !law_.limiter.empty())
    law.limiter = law_.limiter;
  law.cell_table = elaborator_.tables().cell_table();
  law.facet_table = elaborator_.tables().facet_table();
  if (finite_volume_)
    describe_finite_volume(law);
  return law;
}

} // namespace weft
