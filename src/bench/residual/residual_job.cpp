#include "bench/residual/residual_job.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/precision_name.h"
#include "bench/bench_forms.h"
#include "bench/residual/paper_problem.h"
#include "case/user_settings.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "op/weak_form/form_tuning.h"

namespace weft {

ResidualProblem paper_residual(const std::string &form, int dim, int edges) {
  ResidualProblem problem;
  problem.form = form;
  problem.cell = dim == 3 ? "tetrahedron" : "triangle";
  problem.paper_edges = edges;
  return problem;
}

Variant paper_variant(int num_blocks, int num_batches) {
  return {{{"strategy", to_string(Strategy::transposed)},
           {"geometry", to_string(GeometrySource::stored)},
           {"num_blocks", std::to_string(num_blocks)},
           {"num_batches", std::to_string(num_batches)}}};
}

Mesh make_residual_mesh(const ResidualProblem &problem) {
  const int dim = is_flat(problem.cell) ? 2 : 3;
  if (problem.paper_edges)
    return paper_mesh(dim, *problem.paper_edges);
  MeshSpec spec;
  if (!problem.mesh_file.empty()) {
    spec.file = problem.mesh_file;
    spec.trust = trusts_foreign_code(problem.trust);
  } else {
    const int edges = std::max(
        1, static_cast<int>(std::lround(std::pow(problem.nodes, 1.0 / dim) / problem.order)));
    spec.box =
        BoxSpec{.dim = dim, .cells = {edges, edges, edges}, .cell = problem.cell, .distort = 0.2};
  }
  Timings timings;
  return make_mesh(spec, timings);
}

Discretisation make_residual_discretisation(const ResidualProblem &problem, const Mesh &mesh) {
  if (problem.paper_edges)
    return paper_discretisation(problem.form, mesh);
  const Case c = bench_case(bench_form(problem.form, mesh.dim), problem.order, mesh.dim);
  return make_discretisation(c, mesh, bench_quadrature_degree(problem.order));
}

std::string to_text(const ResidualJob &job) {
  const ResidualProblem &p = job.problem;
  nlohmann::ordered_json json = {{"form", p.form},   {"cell", p.cell},           {"order", p.order},
                                 {"nodes", p.nodes}, {"mesh_file", p.mesh_file}, {"trust", p.trust},
                                 {"edges", nullptr}};
  if (p.paper_edges)
    json["edges"] = *p.paper_edges;
  json["precision"] = to_string(job.precision);
  json["variant"] = to_string(job.variant);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ResidualJob residual_job_from_text(const std::string &text) {
  try {
    const auto json = nlohmann::json::parse(text);
    ResidualJob job;
    ResidualProblem &p = job.problem;
    json.at("form").get_to(p.form);
    json.at("cell").get_to(p.cell);
    json.at("order").get_to(p.order);
    json.at("nodes").get_to(p.nodes);
    json.at("mesh_file").get_to(p.mesh_file);
    json.at("trust").get_to(p.trust);
    if (!json.at("edges").is_null())
      p.paper_edges = json.at("edges").get<int>();
    job.precision = json.at("precision") == "f32" ? Precision::f32 : Precision::f64;
    job.variant = variant_from_string(json.at("variant").get<std::string>());
    return job;
  } catch (const nlohmann::json::exception &error) {
    throw Error(ErrorKind::input, {.what = std::string("no job of a worker: ") + error.what(),
                                   .found = text.substr(0, 200),
                                   .remedy = "leave weft compile-ahead to weft bench"});
  }
}

void ResidualCompiler::compile(const ResidualJob &job) {
  if (!made_ || !(made_->problem == job.problem)) {
    made_ = nullptr;
    made_ = std::make_unique<Made>();
    made_->problem = job.problem;
    made_->mesh = make_residual_mesh(job.problem);
    made_->d = make_residual_discretisation(job.problem, made_->mesh);
  }
  OperatorSettings base;
  base.precision = job.precision;
  base.form_name = job.problem.form;
  ResidualRun run(device_, made_->d, settings_of(job.variant, base));
  run.residual();
  device_.finish();
}

} // namespace weft
