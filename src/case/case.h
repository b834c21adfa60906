// A case file, read: plain values with their places, nothing understood yet but the TOML.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/form_spec.h"
#include "case/mesh_spec.h"

namespace weft {

// [dirichlet] group = { u = [...], "u[0]" = 0 }, in the file's order (later lines win).
struct DirichletSpec {
  std::string group;
  std::string field;
  int component = -1; // of "u[0]"; -1: all
  SourceText value;
};

class FieldSource; // op/evaluate/field_source.h

// [initial], [exact]; [auxiliary]: the values of a field, by an expression, or from a file or an
// earlier stage.
struct ValueSpec {
  std::string name; // of the field
  SourceText value; // of values that no expression gives, where they are named
  // Instead of an expression: a file of fields, and the name that the field has in it.
  std::string file, name_in_file;
  std::string stage; // or the earlier stage that solves for the field
  // What has these values, once it is known; see run/input/user_case.h.
  std::shared_ptr<const FieldSource> source;
  bool of_rate = false; // [initial] "dt(u)"
  bool is_expression() const { return file.empty() && stage.empty(); }
};

// [fields] bounds. Each side is one expression for all components, or one a component; open where
// there is none.
struct BoundsSpec {
  std::string field;
  std::vector<std::optional<SourceText>> lower, upper;
  std::string place;
};

// [[tied]]: fields on the second group of facets follow those on the first, which the second is
// when it is moved, or turned.
struct TiedSpec {
  struct Turn {
    double angle = 0;                 // degrees
    std::vector<double> axis, origin; // empty: along z; 0
  };
  std::string first, second; // groups
  std::optional<Turn> rotation;
  TextByField jump; // second minus first
  std::string place;
};

enum class OverTimeKind { mean, maximum, minimum };

// [over_time] NAME = { mean = "T" }: at each node of the first field.
struct OverTimeSpec {
  std::string name;
  OverTimeKind kind = OverTimeKind::mean;
  SourceText value; // a scalar
};

// [mean]: of a field whose constant the equations leave open.
struct MeanSpec {
  std::string field;
  std::vector<double> values; // [component]
  std::string place;
};

enum class FunctionalKind { integral, average, maximum, minimum, point, reaction };

// The points over which the largest and the smallest value is looked for.
enum class ExtremePoints { nodes_and_quadrature, nodes, quadrature };

// [functionals] NAME = { integral = "...", facets = "fins" }
struct FunctionalSpec {
  std::string name;
  FunctionalKind kind = FunctionalKind::integral;
  Domain domain = Domain::cells;
  std::vector<std::string> groups;                          // empty = all
  SourceText expression;                                    // kind reaction: the field's name
  std::vector<double> point;                                // kind point: its coordinates, or
  std::string point_group;                                  // the name of a point
  ExtremePoints over = ExtremePoints::nodes_and_quadrature; // kinds maximum and minimum
  bool error = false;                                       // its error is estimated
  std::vector<SourceText> gradient; // parameters by which it is differentiated: "k", "k.fins"
};

struct NewtonSpec {
  double tolerance = 1e-10; // relative to the first residual
  double absolute = 0;      // of the residual's 2-norm
  int max_iterations = 50;
  bool check_jacobian = false;
  std::optional<SourceText> valid; // a condition on the fields
};

// preconditioner = { kind = "hypre", ... }
struct HypreSpec {
  double strong_threshold = 0.25;
  std::string interpolation = "extended_i";
  std::optional<int> aggressive_levels; // none: by the unknowns
};

// preconditioner = { kind = "multigrid", ... }
struct MultigridSpec {
  std::vector<std::string> precision; // of levels; empty: f16. Of kind low_precision too
  std::string cycle = "V";            // V W K
  std::string smoother = "chebyshev"; // chebyshev jacobi ilu spai
  std::optional<int> sweeps;          // of smoothers but chebyshev; none: by the smoother
  std::optional<double> strength;     // none: by the unknowns
  int max_levels = 20;
  int coarsest_size = 400;
  std::optional<int> gathered_size; // several ranks; none: by their number
};

// A solver in low precision: `inner` of defect correction, and kind low_precision of
// preconditioner.
struct InnerSpec {
  std::string method;    // jacobi chebyshev cg multigrid; empty: Weft's choice
  std::string precision; // f64 f32 f16 bf16; empty: Weft's choice
  int iterations = 0;    // 0: by the contraction measured
  double damping = 1;
};

// Texts that are empty are Weft's choice.
struct SolverSpec {
  std::string op;             // matrix_free assembled
  std::string method;         // cg bicgstab gmres defect_correction direct
  std::string preconditioner; // jacobi chebyshev ilu spai adi multigrid low_precision hypre direct
                              // blocks none
  double tolerance = 1e-10;
  int max_iterations = 10000;
  std::optional<int> restart; // gmres; none: what is needed
  // Settings of several kinds of preconditioners, whose defaults differ.
  std::optional<int> degree;
  std::optional<bool> reuse; // the set-up over Newton and time steps
  std::string coarsening;
  int level = 0; // of fill of ilu
  HypreSpec hypre;
  MultigridSpec multigrid;
  InnerSpec low_precision;
  InnerSpec inner;
  bool has_inner = false;                    // [solver] inner is there
  std::map<std::string, std::string> blocks; // [solver.blocks]: multigrid mass chebyshev jacobi
                                             // direct, by field
  NewtonSpec newton;
};

struct DeviceSpec {
  std::string name; // as --device; empty = default
  std::string precision = "f64";
  int threads = 0; // 0 = all
  bool deterministic = true;
  // Kernel choices that a user may fix; empty or 0 = Weft's choice.
  std::string strategy; // transposed cell block
  std::string geometry; // on_the_fly stored
  std::string matrix;   // of an assembled operator: csr sell
};

// [time]
struct TimeSpec {
  // Of both: theta bdf2 dirk2 dirk3 dirk4; weak forms: generalised_alpha; conservation laws: lsrk4
  // rk4 ssprk3 euler. read_case() puts lsrk4 for laws where none is named; what it is for weak
  // forms choose_time_scheme() says.
  std::string scheme = "bdf2";
  std::string place;              // of the table, for messages; may be empty
  double theta = 0.5;             // of scheme theta
  double spectral_radius = 0.8;   // of scheme generalised_alpha
  std::optional<SourceText> stop; // a condition on functionals and t
  double start = 0, end = 0;
  double step = 0;         // at most; adaptive: about that of the first steps; 0: by `cfl`
  double cfl = 0;          // conservation laws: 0 = by `step`, or as stability allows
  double stable_share = 1; // of steps that follow stability
  // Adaptive steps: the local error of a step, relative to the largest value of the field.
  std::optional<double> tolerance;
  double max_step = 0; // adaptive: 0 = no limit
  // Conservation laws: sources are split from the rest of the law and integrated node by node, by
  // the method of Rush and Larsen or in explicit steps, so many each time.
  bool rush_larsen = false;
  std::optional<int> substeps;
  // Scheme load: what [load] says; the name of the parameter.
  std::string parameter;
  bool arc_length = false;
  bool is_load() const { return scheme == "load"; }
  bool splits_reactions() const { return rush_larsen || substeps; }
};

// The schemes of weak forms without dt(), which no case names, and of those with dt(dt()).
inline constexpr const char *quasi_static_scheme = "quasi_static";
inline constexpr const char *second_order_scheme = "generalised_alpha";

// [load]
struct LoadSpec {
  std::string parameter;
  std::string place;
  double from = 0, to = 1, step = 0.1;
  bool arc_length = false;
};

// [output] lines: points at equal distances from one end to the other.
struct LineSpec {
  std::string name;
  std::vector<double> from, to;
  int points = 101;
  std::vector<std::string> cells; // regions whose values they are; empty: all
  std::string place;              // for messages
};

struct OutputSpec {
  std::string directory = "out";   // made absolute relative to the case file
  std::string directory_place;     // where it is named; empty: nowhere
  bool directory_is_users = false; // named on the command line
  std::vector<SourceText> fields;  // empty = all fields
  // Times at which fields are written beside the start and the end: multiples of `every` after the
  // start, or a list.
  std::optional<double> every;
  std::vector<double> times;
  std::optional<double> rows_every;       // time between rows of probes and functionals
  std::optional<double> checkpoint_every; // time between checkpoints
  std::vector<std::vector<double>> probes;
  std::string probes_place; // of the key, for messages; may be empty
  std::vector<LineSpec> lines;
};

// A box in place of the case's mesh, and an element in place of that of every field: of [verify]
// boxes.
struct VerifyCombination {
  BoxSpec box;
  std::string element;                                          // "P2"
  std::string where;                                            // of the element, for messages
  std::string name() const { return box.cell + " " + element; } // "triangle P2"
};

struct VerifySpec {
  int refine = 3;
  std::vector<VerifyCombination> combinations;        // empty: the case as it is written
  std::vector<std::pair<std::string, double>> expect; // field, order of L2
  std::vector<std::string> expect_optimal; // fields in `expect` whose order read_case() puts in
  std::vector<std::pair<std::string, double>> expect_time; // the same as steps are halved
};

struct Case {
  std::string file; // path of the case file
  // The user lets the case and its files run code of their own; never said by the case itself. Form
  // and mesh carry it too.
  bool trust = false;
  // Where its tables and keys stand, by "[solver] newton.tolerance"; not those of physics files.
  std::map<std::string, SourceText> places;
  std::string text;                   // of the case file, as it was read
  std::vector<std::string> overrides; // --set
  std::vector<std::string> stages;    // of a case in stages, one after another: their names
  std::string stage;                  // the one that this is
  std::string title;
  MeshSpec mesh;
  FormSpec form; // form.dim is set once the mesh is known
  std::vector<ValueSpec> auxiliary_values;
  std::vector<DirichletSpec> dirichlet;
  std::vector<ValueSpec> initial;
  std::vector<MeanSpec> means;
  std::vector<BoundsSpec> bounds;
  std::vector<TiedSpec> tied;
  std::vector<FunctionalSpec> functionals;
  std::vector<ValueSpec> exact;
  std::vector<ValueSpec> first_times; // expressions whose first rise above zero is looked for
  std::vector<OverTimeSpec> over_time;
  std::vector<ValueSpec> recovered; // expressions made continuous in each region, for results
  SolverSpec solver;
  DeviceSpec device;
  std::optional<LoadSpec> load; // then `time` stands for it
  std::optional<TimeSpec> time; // transient problems
  OutputSpec output;
  VerifySpec verify;
};

// Reads a case file and the physics files it names. `overrides`: "--set" arguments
// "table.key=value" applied to the TOML before it is understood (value in TOML syntax, or a bare
// string). Vector fields get components = 0 here ("of the mesh's dimension") and are resolved by
// resolve_dimension(). Errors (input): syntax, unknown table or key (with the nearest known key),
// wrong type, missing file; all with file and line. What the contract has but this version does not
// do yet is `unsupported` and says so.
// `trust`: see Case::trust; ask trusts_foreign_code().
// `combination`: the name of one of [verify] boxes, on whose mesh and with whose element the case
// is read; empty: as it is written. In two dimensions, of a case on a box of three, it is the case
// on the side z = 0, without what is said of z0 and z1, functionals and probes.
// `stage`: of a case in stages the name of one of them; empty: the last. Fields that earlier stages
// solve for are known fields of it, or where it solves for them, too, initial values.
Case read_case(const std::string &path, const std::vector<std::string> &overrides = {},
               bool trust = false, const std::string &combination = {},
               const std::string &stage = {});
// The same of the text of a case; `path` is where it is said to lie. `mesh`: in place of file and
// box of [mesh], which need not be there.
Case read_case_text(const std::string &text, const std::string &path,
                    const std::vector<std::string> &overrides = {}, bool trust = false,
                    const std::string &combination = {},
                    const std::shared_ptr<const RawMesh> &mesh = nullptr,
                    const std::string &stage = {});

// "case.toml:12: [solver] tolerance" for "[solver] tolerance": the line of the key, or of the table
// it would stand in; the file alone where there is neither.
std::string place_in(const Case &c, const std::string &key);

// Fills in what depends on the dimension of the mesh: form.dim, components of vector fields.
void resolve_dimension(Case &c, int dim);

// docs/reference/case.md, generated from the declarations the reader uses.
std::string case_reference_markdown();

// expect.toml beside a case file; empty when there is none.
struct Expectation {
  std::string name;   // "functionals.T_E", "errors.T.L2"
  int component = -1; // of a list value
  std::optional<double> value, relative, absolute, below, above;
};
struct Expectations {
  std::string source; // who published the values
  std::vector<Expectation> entries;
  std::map<std::string, std::vector<Expectation>> stages; // of stages before the last, by name
  // By the name of a combination of [verify] boxes: errors on its first mesh.
  std::map<std::string, std::vector<Expectation>> combinations;
};
Expectations read_expectations(const std::string &path);

} // namespace weft
