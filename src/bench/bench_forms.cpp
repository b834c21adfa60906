#include "bench/bench_forms.h"

#include "base/error.h"
#include "base/names.h"

namespace weft {

std::vector<std::string> bench_form_names() {
  return {"poisson", "elasticity", "mass", "reaction_diffusion", "convection"};
}

BenchForm bench_form(const std::string &name, int dim) {
  if (name == "poisson")
    return {.name = name,
            .parameters = {{"k", dim == 3 ? "1 + x*y + z^2" : "1 + x*y"}},
            .integrand = "k*inner(grad(u), grad(test(u)))"};
  if (name == "elasticity")
    return {.name = name,
            .vector = true,
            .parameters = {{"mu", "0.8"}, {"lam", "1.2"}},
            .integrand = "2*mu*inner(sym(grad(u)), sym(grad(test(u)))) + lam*div(u)*div(test(u))"};
  if (name == "mass")
    return {.name = name, .integrand = "u*test(u)"};
  if (name == "reaction_diffusion")
    return {.name = name, .integrand = "(1 + u^2)*inner(grad(u), grad(test(u))) + u^3*test(u)"};
  if (name == "convection")
    return {.name = name,
            .parameters = {{"b", dim == 3 ? "[y, -x, 1]" : "[y, -x]"}, {"c", "0.5"}},
            .integrand = "inner(grad(u), grad(test(u))) + dot(b, grad(u))*test(u) + c*u*test(u)"};
  throw Error(ErrorKind::input, {.what = "unknown form of benchmarks",
                                 .found = name,
                                 .allowed = join_names(bench_form_names()),
                                 .remedy = "choose one of these"});
}

Case bench_case(const BenchForm &form, int order, int dim) {
  const auto text = [](const std::string &value, const std::string &key) {
    return SourceText{.text = value, .file = "weft bench", .line = 0, .key = key};
  };
  Case c;
  c.file = form.name;
  c.form.dim = dim;
  c.form.fields = {{.name = "u", .shape = form.vector ? Shape{dim} : Shape{}, .order = order}};
  for (const auto &[name, value] : form.parameters)
    c.form.parameters.push_back({.name = name, .value = text(value, name)});
  c.form.integrals = {{.domain = Domain::cells, .integrand = text(form.integrand, "cells.all")}};
  c.dirichlet = {
      {.group = "boundary",
       .field = "u",
       .value = text(form.vector ? (dim == 3 ? "[0, 0, 0]" : "[0, 0]") : "0", "boundary")}};
  return c;
}

} // namespace weft
