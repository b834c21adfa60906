// [solver]: how the equations are solved.
#include "case/bindings.h"
#include "case/case_declarations.h"

namespace weft {

namespace {

const std::vector<std::string> precisions = {"f64", "f32", "f16", "bf16"};
const std::vector<std::string> low_precision_methods = {"jacobi", "chebyshev", "cg"};
const std::vector<std::string> inner_methods = {"jacobi", "chebyshev", "cg", "multigrid"};
const Range counts{.at_least = 1};

// A value that is taken only where the key is there, since its default depends on others.
template <typename T, typename Read>
Declaration bind_optional(std::string key, unsigned types, std::optional<T> &target,
                          std::string description, Range range, const Read &read) {
  Declaration d = declare_key(std::move(key), types, std::move(description));
  d.range = range;
  d.read = [&target, read](const Entry &e) { target = read(e); };
  return d;
}

Declaration precision_key(SolverSpec &s) {
  Declaration d = declare_key(
      "precision", type_text | type_texts,
      "of `multigrid`: in which the levels' matrices are stored, from the finest; the last of a "
      "list is that of all further levels. Default: `f16`. Of `low_precision`: of its matrix; "
      "default: `f32`");
  d.allowed = precisions;
  d.read = [&s](const Entry &e) { s.multigrid.precision = texts_of(e); };
  return d;
}

// Keys of kind multigrid.
std::vector<Declaration> multigrid_keys(MultigridSpec &m) {
  return {
      bind_text("cycle", m.cycle, "of `multigrid`", {"V", "W", "K"}),
      bind_text("smoother", m.smoother,
                "of `multigrid`; `ilu` and `spai` are those of each level's matrix, for "
                "aggregation alone",
                {"chebyshev", "jacobi", "ilu", "spai"}),
      bind_optional("sweeps", type_integer, m.sweeps,
                    "of `multigrid`: steps of smoother `jacobi` (default 2), `ilu` or `spai` "
                    "(default 1) before the coarser levels, and as many after them",
                    {.at_least = 1, .at_most = 64}, integer_of),
      bind_optional("strength", type_real, m.strength,
                    "of `multigrid`: couplings weaker than that, relative to the strongest "
                    "ones of both unknowns, are left out of aggregates; default: by the "
                    "number of components",
                    {.at_least = 0, .at_most = 1}, real_of),
      bind_integer("max_levels", m.max_levels, "of `multigrid`", {.at_least = 1, .at_most = 50}),
      bind_integer("coarsest_size", m.coarsest_size,
                   "of `multigrid`: a level of at most so many unknowns is solved directly",
                   {.at_least = 1, .at_most = 5000}),
      bind_optional("gathered_size", type_integer, m.gathered_size,
                    "of `multigrid`, several processes: below the finest level, a level of at most "
                    "so many unknowns in all is kept whole by each; default: by their number and "
                    "cores",
                    {.at_least = 0, .at_most = 100'000'000}, integer_of)};
}

// Keys of kind hypre.
std::vector<Declaration> hypre_keys(HypreSpec &h) {
  return {bind_real("strong_threshold", h.strong_threshold,
                    "of `hypre`: couplings weaker than that share of a row's strongest are left "
                    "out in coarsening",
                    {.at_least = 0, .at_most = 1}),
          bind_text("interpolation", h.interpolation, "of `hypre`",
                    {"extended_i", "extended", "standard", "classical", "direct", "multipass"}),
          bind_optional("aggressive_levels", type_integer, h.aggressive_levels,
                        "of `hypre`: the finest levels that are coarsened twice as fast; default: "
                        "1 for a single scalar field, else 0",
                        {.at_least = 0, .at_most = 25}, integer_of)};
}

// Keys of kind low_precision and of `inner`.
std::vector<Declaration> inner_keys(InnerSpec &inner, const std::vector<std::string> &methods,
                                    const std::string &of) {
  return {bind_text("method", inner.method, of + "what solves", methods),
          bind_integer("iterations", inner.iterations,
                       of + "its iterations; 0: chosen by how far they are measured to reduce the "
                            "residual in their precision",
                       {.at_least = 0})};
}

Declaration preconditioner_key(SolverSpec &s) {
  const std::vector<std::string> kinds = {"jacobi", "chebyshev", "ilu",           "spai",
                                          "adi",    "multigrid", "low_precision", "hypre",
                                          "direct", "blocks",    "none"};
  const std::string standard =
      "a kind, or a table; default: `multigrid` for definite forms of one field (scalar ones from "
      "20 000 dofs on) and for scalar fields that depend on one another, `blocks` for several "
      "fields otherwise, `ilu` for a stationary field whose form is not symmetric from 20 000 dofs "
      "on, else `jacobi`";
  Declaration d = bind_text("preconditioner", s.preconditioner, standard, kinds);
  d.types |= type_table;
  d.read = [&s](const Entry &e) {
    if (e.value->is_string())
      s.preconditioner = text_of(e);
  };
  Declaration coarsening = bind_text(
      "coarsening", s.coarsening,
      "of `multigrid`: `aggregation` of the matrix's unknowns, `nested` discretisations, by "
      "default these for a definite form of one field above order 1 whose operator is "
      "not said to be assembled, or `low_order`, aggregation of the matrix of order 1 on "
      "quadrilaterals and hexahedra divided at their nodes; of `hypre`: the others, by default "
      "`hmis`",
      {"aggregation", "nested", "low_order", "hmis", "pmis", "falgout", "cljp"});
  d.children = {
      bind_text("kind", s.preconditioner, "as the text", kinds),
      bind_optional("degree", type_integer, s.degree,
                    "of the polynomials of `chebyshev` (default 4) and of `multigrid`'s "
                    "smoother `chebyshev` (default 2)",
                    {.at_least = 1, .at_most = 64}, integer_of),
      bind_integer("level", s.level,
                   "of `ilu`: levels of fill; 0 keeps the entries of the matrix, each further one "
                   "brings iterations down and memory up",
                   {.at_least = 0, .at_most = 20}),
      precision_key(s),
      coarsening,
      bind_optional(
          "reuse", type_boolean, s.reuse,
          "of `multigrid`, `ilu`, `spai`, `adi` and `direct` (default true), `hypre` (default "
          "false): keep the set-up over Newton and time steps, until iterations double",
          {}, [](const Entry &e) { return e.value->as_boolean()->get(); })};
  for (const auto &keys :
       {multigrid_keys(s.multigrid), hypre_keys(s.hypre),
        inner_keys(s.low_precision, low_precision_methods, "of `low_precision`: ")})
    d.children.insert(d.children.end(), keys.begin(), keys.end());
  return d;
}

Declaration inner_key(SolverSpec &s) {
  Declaration precision =
      bind_text("precision", s.inner.precision,
                "of its matrix; default: `f16` for `multigrid`, else `f32`", precisions);
  Declaration damping = bind_real("damping", s.inner.damping,
                                  "factor of the correction that is added to the solution",
                                  {.above = 0, .at_most = 2});
  Declaration d = declare_table("inner", "of `defect_correction`: the solver in low precision",
                                inner_keys(s.inner, inner_methods, ""));
  d.children.push_back(precision);
  d.children.push_back(damping);
  d.read = [&s](const Entry &) { s.has_inner = true; };
  return d;
}

Declaration valid_key(NewtonSpec &newton) {
  Declaration d = declare_key("valid", type_text,
                              "a condition such as `det(F) > 0` that a state has to meet at every "
                              "point of integration: steps are cut until it does");
  d.read = [&newton](const Entry &e) { newton.valid = math_of(e); };
  return d;
}

Declaration blocks_table(SolverSpec &s) {
  Declaration field = declare_key(
      "<field>", type_text,
      "what solves the field's own block; of a pressure `mass`, the mass matrix that stands for "
      "its Schur complement, or `commutator`, the least-squares commutator that does so where "
      "there "
      "is convection or inertia; default: what the form says");
  field.allowed = {"multigrid", "mass", "commutator", "chebyshev", "jacobi", "direct"};
  field.read = [&s](const Entry &e) { s.blocks[e.key] = text_of(e); };
  return declare_table("blocks", "of the preconditioner `blocks`: fields by their names", {field});
}

} // namespace

Declaration solver_declaration(Case &c) {
  SolverSpec &s = c.solver;
  const Range tolerance{.above = 0, .at_most = 1};
  Declaration newton = declare_table(
      "newton", "of non-linear forms",
      {bind_real("tolerance", s.newton.tolerance,
                 "relative to the first residual; in f32 1e-4 where nothing is said", tolerance),
       bind_real("absolute", s.newton.absolute,
                 "a residual of that 2-norm is small enough, whatever the first one was",
                 {.at_least = 0}),
       bind_integer("max_iterations", s.newton.max_iterations,
                    "most steps, but for those that change which dofs are held at bounds, of which "
                    "there may be 20 times as many",
                    counts),
       bind_boolean("check_jacobian", s.newton.check_jacobian,
                    "compare the Jacobian with differences before the first step"),
       valid_key(s.newton)});
  return declare_table(
      "solver", "How the equations are solved.",
      {bind_text("operator", s.op,
                 "how the linear operator is applied: by integrals, or as a sparse matrix; "
                 "default: `assembled` where the preconditioner needs it, else `matrix_free`. "
                 "Explicit schemes: `assembled` computes the rate of a linear law by finite "
                 "volumes as a matrix, made at the start, which pays over some hundred steps",
                 {"matrix_free", "assembled"}),
       bind_text("method", s.method,
                 "default: `cg` for symmetric definite forms but those taken block by block; else "
                 "`direct` as long as that is cheap, else `gmres`; what was chosen and does not "
                 "converge in 500 iterations gives way to `direct`, as long as that is affordable",
                 {"cg", "bicgstab", "gmres", "defect_correction", "direct"}),
       preconditioner_key(s), inner_key(s),
       bind_real(
           "tolerance", s.tolerance,
           "relative residual, recomputed at the end in f64; in f32 1e-4 where nothing is said",
           tolerance),
       bind_integer("max_iterations", s.max_iterations, "most iterations of a linear solve",
                    counts),
       bind_optional("restart", type_integer, s.restart,
                     "of `gmres`: vectors kept; default: 50, and more, up to 400 and a quarter of "
                     "the memory, where it converges slowly",
                     counts, integer_of),
       newton, blocks_table(s)});
}

} // namespace weft
