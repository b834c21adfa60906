#include "kernel/law/dg_generator.h"

#include "base/embedded.h"
#include "base/hash.h"
#include "kernel/law/dg_symmetry.h"

namespace weft {

namespace {

// dt(u) + div([u^2, x u] - exp(u) grad(u)) = u, with the state outside given.
ConservationLaw fixed_law() {
  const auto text = [](const std::string &value) {
    return SourceText{.text = value, .file = "generator", .line = 0, .key = value};
  };
  FormSpec spec;
  spec.dim = 2;
  spec.fields = {{.name = "u", .order = 2, .discontinuous = true}};
  spec.law.emplace();
  spec.law->flux = {{"u", text("[u^2, x*u] - exp(u)*grad(u)")}};
  spec.law->source = {{"u", text("u")}};
  spec.law->wave_speed = text("2*abs(u) + 1");
  BoundarySpec boundary;
  boundary.group = "all";
  boundary.where = text("boundary.all");
  boundary.outer = {{"u", text("t")}};
  spec.boundaries = {boundary};
  return make_conservation_law(spec);
}

std::string make_dg_generator() {
  std::string text;
  for (const char *prefix : {"kernels/dialect/", "kernels/dg/", "kernels/fv/"})
    for (const std::string &name : embedded_names(prefix))
      text += name + "\n" + embedded_text(name);
  const ConservationLaw law = fixed_law();
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral}) {
    const NodalOperators operators = make_nodal_operators(make_nodal_element(cell, 2));
    DgKernelSpec spec;
    spec.law = &law;
    spec.operators = &operators;
    spec.lanes = 4;
    spec.affine = cell == CellType::triangle;
    spec.plus_entries = operators.entries();
    for (const DgStage stage : {DgStage::fused, DgStage::differentiate, DgStage::flux,
                                DgStage::lift, DgStage::update, DgStage::gradient})
      text += make_dg_kernel(stage, spec, "opencl").text;
    spec.by_symmetry = dg_knows_symmetry(spec);
    text += make_dg_kernel(DgStage::fused, spec, "opencl").text;
  }
  return hash_hex(text);
}

} // namespace

std::string dg_generator() {
  static const std::string generator = make_dg_generator();
  return generator;
}

} // namespace weft
