// What a solve is asked to do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "linalg/near_null_space.h"
#include "solve/block_settings.h"
#include "solve/multigrid_settings.h"
#include "solve/tensor_grid.h"

namespace weft {

class LinearOperator;
class MultigridCycles;

enum class KrylovKind { cg, bicgstab, gmres, defect_correction };
enum class PrecondKind {
  none,
  jacobi,
  chebyshev,
  hypre,
  multigrid,
  low_precision,
  direct,
  blocks,
  ilu,
  spai,
  adi
};

// Dofs of one field, up to the next field's first: first_dof + node*components + k.
struct FieldDofs {
  std::int64_t first_dof = 0;
  int components = 1;
  std::string name = {}; // for messages
};

// Incomplete factors.
struct IluSettings {
  int level = 0;     // of fill
  bool reuse = true; // they serve later operators too, as long as they do
};

// Alternating directions.
struct AdiSettings {
  TensorGrid grid;   // of the unknowns; without unknowns: there is none
  bool reuse = true; // their factors serve later operators too, as long as they do
};

// hypre's BoomerAMG; the numbers of kinds are those of its manual.
struct HypreSettings {
  double strong_threshold = 0.25;
  int coarsening = 10;   // HMIS
  int interpolation = 6; // extended+i
  // None: 1 for a single scalar field (on a cube of 1.5 M tetrahedra set-up and solve take a third
  // less time with it), else 0 (elasticity takes twice the iterations with it).
  std::optional<int> aggressive_levels;
  bool reuse = false; // the set-up serves later operators too, as long as it does
};

// What solves in low precision.
enum class InnerKind { jacobi, chebyshev, cg };

struct InnerSettings {
  InnerKind method = InnerKind::chebyshev;
  Precision precision = Precision::f32; // of the matrix's entries; vectors have at least f32
  int iterations = 0;                   // 0: by the contraction measured
};

struct NewtonSettings {
  double tolerance = 1e-10; // of |F(u)| relative to its first value
  double absolute = 0;      // of |F(u)|: small enough, whatever it was at first
  int max_iterations = 50;
  bool check_jacobian = false; // compare F' with differences of F before every step
  // Whether F may be asked for at a state; null: always. Steps are cut until it may.
  std::function<bool(const std::vector<double> &state)> valid = {};
};

struct SolverSettings {
  std::optional<KrylovKind> method; // none: cg for a symmetric operator, else gmres
  bool may_change_method = false;   // cg gives way to gmres where the operator is not definite
  // Asked where what iterates does not converge, or takes long: whether a direct solver may take
  // its place, which needs the operator's matrix. Null: no.
  std::function<bool()> may_eliminate;
  std::vector<FieldDofs> fields; // what the unknowns are; empty: one scalar field
  // The last unknowns, of which so many border the matrix of the others: the preconditioner is of
  // these others, see PrecondBordered.
  std::int64_t num_border = 0;
  PrecondKind preconditioner = PrecondKind::jacobi;
  double tolerance = 1e-10; // of the residual's 2-norm relative to its first value
  int max_iterations = 10000;
  int restart = 50;                 // gmres: vectors kept; memory grows with those in use
  bool may_enlarge_restart = false; // where it converges slowly
  int chebyshev_degree = 4;         // polynomial of that many terms, degree - 1 applications of A
  double damping = 1;               // defect_correction: factor of a correction
  HypreSettings hypre;
  IluSettings ilu;
  AdiSettings adi;
  bool reuse_sparse_inverse = true; // of the preconditioner spai: it serves later operators too
  MultigridSettings multigrid;
  MultigridMaker make_multigrid;     // of its levels; null: by aggregation of the matrix
  bool reuse_multigrid = true;       // its set-up serves later operators too, as long as it does
  NearNullSpace near_null_space;     // for multigrid; no vectors: constants of each component
  std::vector<BlockSettings> blocks; // of the preconditioner blocks, in the order of solving
  InnerSettings inner;               // of the preconditioner low_precision
  bool reuse_factors = true;         // of the preconditioner direct: they serve later operators too
  NewtonSettings newton;
  bool final_residual_in_f64 = true; // of an operator in f32
};

} // namespace weft
