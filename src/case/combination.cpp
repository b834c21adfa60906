#include "case/combination.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

bool is_side_along_z(const std::string &group) {
  return group == "z0" || group == "z1";
}

// Leaves out sides along z; returns whether others, or all facets, are left.
bool keep_sides_of_plane(std::vector<std::string> &groups) {
  return std::erase_if(groups, is_side_along_z) == 0 || !groups.empty();
}

// A case on a box of three dimensions becomes that on its side z = 0.
void put_in_plane(Case &c) {
  c.form.in_plane = true;
  std::erase_if(c.dirichlet, [](const DirichletSpec &d) { return is_side_along_z(d.group); });
  std::erase_if(c.form.boundaries, [](const BoundarySpec &b) { return is_side_along_z(b.group); });
  for (auto *integrals : {&c.form.integrals, &c.form.explicit_integrals})
    std::erase_if(*integrals, [](IntegralSpec &integral) {
      return integral.domain == Domain::facets && !keep_sides_of_plane(integral.groups);
    });
  c.functionals.clear(); // verify computes none, and their points have three coordinates
  c.output.probes.clear();
  c.output.lines.clear();
}

} // namespace

void check_combinations(const Case &c) {
  const auto &all = c.verify.combinations;
  const auto &fields = c.form.fields;
  const auto other = std::find_if(fields.begin(), fields.end(), [&](const FieldSpec &field) {
    return field.element() != fields.front().element();
  });
  if (!all.empty() && other != fields.end())
    throw Error(ErrorKind::input,
                {.what = "one element for fields of different elements",
                 .where = all.front().where,
                 .found = fmt::format("{} of {}, {} of {}", fields.front().element(),
                                      fields.front().name, other->element(), other->name),
                 .allowed = "[verify] boxes of a case whose fields all have the same element",
                 .remedy = "give the fields the same element, or leave boxes out"});
}

void take_combination(Case &c, const std::string &name) {
  const auto &all = c.verify.combinations;
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const VerifyCombination &each) { return each.name() == name; });
  if (found == all.end()) {
    std::vector<std::string> known;
    for (const VerifyCombination &each : all)
      known.push_back(each.name());
    throw Error(ErrorKind::input, {.what = "there is no such combination of cells and element",
                                   .where = c.file + ": [verify] boxes",
                                   .found = name,
                                   .allowed = known.empty() ? "none: the case has no [verify] boxes"
                                                            : join_names(known)});
  }
  if (c.mesh.box && c.mesh.box->dim == 3 && found->box.dim == 2)
    put_in_plane(c);
  c.mesh.file.reset();
  c.mesh.box = found->box;
  for (FieldSpec &field : c.form.fields)
    set_element(field, found->element);
}

void put_in_optimal_orders(Case &c) {
  for (const std::string &name : c.verify.expect_optimal)
    for (auto &[field, order] : c.verify.expect)
      for (const FieldSpec &spec : c.form.fields)
        if (field == name && spec.name == name)
          order = spec.order + 1;
}

} // namespace weft
