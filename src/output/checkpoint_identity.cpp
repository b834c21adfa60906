#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "output/checkpoint.h"

namespace weft {

namespace {

// One hash of many pieces, each with its length: pieces can't run into one another.
class Digest {
public:
  void add(std::string_view text) {
    pieces_ += fmt::format("{}:", text.size());
    pieces_ += text.size() < 64 ? std::string(text) : hash_hex(text);
  }
  void add(const SourceText &source) { add(source.text); }
  void add(std::int64_t number) { add(fmt::to_string(number)); }
  template <typename Number> void add_all(const std::vector<Number> &numbers) {
    add(std::string_view(reinterpret_cast<const char *>(numbers.data()),
                         numbers.size() * sizeof(Number)));
  }
  std::string hash() const { return hash_hex(pieces_); }

private:
  std::string pieces_;
};

void add_classes(Digest &digest, const std::vector<GroupClass> &classes) {
  for (const GroupClass &one : classes) {
    digest.add(static_cast<std::int64_t>(one.groups.size()));
    for (const std::string &group : one.groups)
      digest.add(group);
  }
}

std::string mesh_hash(const Discretisation &d) {
  Digest digest;
  digest.add(d.mesh->dim);
  digest.add(d.num_dofs);
  digest.add_all(d.mesh->coordinates);
  for (const CellSet &set : d.mesh->sets) {
    digest.add(static_cast<int>(set.type));
    digest.add_all(set.nodes);
    digest.add_all(set.region);
  }
  add_classes(digest, d.mesh->region_classes);
  add_classes(digest, d.mesh->facet_classes);
  std::vector<std::int32_t> facets;
  facets.reserve(4 * d.mesh->facets.size());
  for (const Facet &facet : d.mesh->facets)
    facets.insert(facets.end(),
                  {facet.minus.set, facet.minus.cell, facet.minus.facet, facet.facet_class});
  digest.add_all(facets);
  for (std::size_t field = 0; field < d.field_map.size(); ++field) {
    digest.add(d.field_offset[field]);
    for (const NodeMapSet &set : d.map_of_field(static_cast<int>(field)).sets)
      digest.add_all(set.nodes);
  }
  return digest.hash();
}

void add_texts(Digest &digest, const std::map<std::string, SourceText> &texts) {
  digest.add(static_cast<std::int64_t>(texts.size()));
  for (const auto &[name, text] : texts) {
    digest.add(name);
    digest.add(text);
  }
}

void add_law(Digest &digest, const ConservationLawSpec &law) {
  for (const auto *texts : {&law.flux, &law.capacity, &law.source, &law.numerical_flux_of})
    add_texts(digest, *texts);
  digest.add(law.numerical_flux.value_or(SourceText{}));
  digest.add(law.wave_speed.value_or(SourceText{}));
  for (const auto *setting : {&law.limiter, &law.reconstruction, &law.diffusion})
    digest.add(*setting);
  for (const SourceText &text : law.positive)
    digest.add(text);
}

std::string form_hash(const FormSpec &form) {
  Digest digest;
  for (const FieldSpec &field : form.fields) {
    digest.add(field.name);
    digest.add(field.components());
    digest.add(field.order);
    digest.add(static_cast<int>(field.discontinuous));
    digest.add(static_cast<int>(field.finite_volume));
  }
  if (form.law)
    add_law(digest, *form.law);
  for (const IntegralSpec &integral : form.integrals) {
    digest.add(static_cast<int>(integral.domain));
    digest.add(static_cast<std::int64_t>(integral.groups.size()));
    for (const std::string &group : integral.groups)
      digest.add(group);
    digest.add(integral.integrand);
  }
  for (const PointwiseSpec &pointwise : form.pointwise) {
    digest.add(pointwise.field);
    digest.add(pointwise.f0.value_or(SourceText{}));
    digest.add(pointwise.f1.value_or(SourceText{}));
  }
  for (const DefinitionSpec &definition : form.definitions) {
    digest.add(definition.name);
    digest.add(definition.value);
  }
  return digest.hash();
}

std::string values_hash(const Case &c) {
  Digest digest;
  for (const ParameterSpec &parameter : c.form.parameters) {
    digest.add(parameter.name);
    digest.add(parameter.value.value_or(SourceText{}));
    for (const auto &[group, value] : parameter.by_group) {
      digest.add(group);
      digest.add(value);
    }
  }
  for (const ValueSpec &value : c.auxiliary_values) {
    digest.add(value.name);
    digest.add(value.value);
  }
  for (const DirichletSpec &value : c.dirichlet) {
    digest.add(value.group);
    digest.add(value.field);
    digest.add(value.component);
    digest.add(value.value);
  }
  for (const BoundarySpec &boundary : c.form.boundaries) {
    digest.add(boundary.group);
    for (const auto *texts : {&boundary.outer, &boundary.outer_gradient, &boundary.flux})
      add_texts(digest, *texts);
  }
  return digest.hash();
}

[[noreturn]] void refuse(const std::string &path, const std::string &what, const std::string &found,
                         const std::string &allowed, const std::string &remedy) {
  throw Error(ErrorKind::input,
              {.what = what, .where = path, .found = found, .allowed = allowed, .remedy = remedy});
}

} // namespace

CheckpointIdentity checkpoint_identity(const Case &c, const Discretisation &d,
                                       const std::string &scheme) {
  return {
      .mesh = mesh_hash(d), .form = form_hash(c.form), .values = values_hash(c), .scheme = scheme};
}

void check_belongs(const std::string &path, const Checkpoint &checkpoint,
                   const CheckpointIdentity &run) {
  const CheckpointIdentity &found = checkpoint.identity;
  if (found.mesh != run.mesh)
    refuse(path, "the checkpoint belongs to another mesh or other elements", "",
           "the mesh that it was written with, cell for cell",
           "use the case's mesh of that time, or start without --restart");
  if (found.form != run.form)
    refuse(path, "the checkpoint belongs to other equations", "",
           "the case's [fields], [definitions] and equations of that time",
           "undo what was changed there, or start without --restart");
  if (found.scheme != run.scheme)
    refuse(path, "the checkpoint belongs to another scheme", found.scheme, run.scheme,
           fmt::format("set [time] scheme = \"{}\"", found.scheme));
  if (found.values != run.values)
    log::notice("{}: parameters or prescribed values differ from those it was written with", path);
}

} // namespace weft
