#include "run/block_settings.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/names.h"
#include "op/set_up/field_blocks.h"
#include "op/set_up/make_near_null_space.h"
#include "op/weak_form/form_operator.h"
#include "run/user_case.h"

namespace weft {

namespace {

const std::map<std::string, BlockSolver> solvers = {{"multigrid", BlockSolver::multigrid},
                                                    {"mass", BlockSolver::chebyshev},
                                                    {"chebyshev", BlockSolver::chebyshev},
                                                    {"jacobi", BlockSolver::jacobi},
                                                    {"direct", BlockSolver::direct}};

constexpr int cycles_beside_constraints = 2;

std::string solver_name(FieldKind kind) {
  switch (kind) {
  case FieldKind::elliptic:
    return "multigrid";
  case FieldKind::mass:
    return "chebyshev";
  case FieldKind::constraint:
    return "mass";
  case FieldKind::other:
    break;
  }
  return "jacobi";
}

void check_names(const Simulation &s) {
  std::vector<std::string> names;
  for (const FieldSpec &field : s.discretisation.form.fields)
    names.push_back(field.name);
  for (const auto &[name, solver] : s.c.solver.blocks)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorKind::input, {.what = "a block of a field that is not there",
                                     .where = place_in(s.c, "[solver] blocks." + name),
                                     .found = name,
                                     .allowed = join_names(names)});
}

} // namespace

std::vector<BlockSettings> make_block_settings(const Simulation &s,
                                               const MultigridSettings &multigrid) {
  check_names(s);
  const Discretisation &d = s.discretisation;
  const FieldBlocks blocks = find_field_blocks(d, s.state);
  std::vector<BlockSettings> settings;
  for (const int f : blocks.order) {
    const FieldSpec &field = d.form.fields[f];
    const auto said = s.c.solver.blocks.find(field.name);
    const std::string solver =
        said != s.c.solver.blocks.end() ? said->second : solver_name(blocks.kinds[f]);
    BlockSettings block{
        .name = field.name,
        .dofs = {d.field_offset[f], d.map_of_field(f).num_owned * field.components()},
        .solver = solvers.at(solver),
        .multigrid = multigrid,
        .near_null_space = near_null_space_of_field(d, f, blocks.ignores_rotations[f]),
        .symmetric = blocks.kinds[f] != FieldKind::other};
    // What stands for a Schur complement takes an inverse of the other block for granted.
    if (std::find(blocks.constrained.begin(), blocks.constrained.end(), f) !=
        blocks.constrained.end())
      block.multigrid.cycles = cycles_beside_constraints;
    if (solver == "mass") {
      const int constrained = blocks.constrained[f];
      if (constrained < 0)
        throw Error(ErrorKind::input,
                    {.what = "the mass matrix stands for the block of a field that constrains the "
                             "gradient of another one, such as a pressure",
                     .where = place_in(s.c, "[solver] blocks." + field.name),
                     .found = field.name,
                     .allowed = "multigrid, chebyshev, jacobi, direct"});
      block.sign = -1;
      block.replacement = [&d, f, constrained](LinearOperator &op, const HostMatrix &own) {
        const Vector &state = dynamic_cast<FormOperator &>(op).state();
        return constraint_mass(d, get_vector(op.device(), state), f, constrained, own);
      };
    }
    settings.push_back(std::move(block));
  }
  return settings;
}

} // namespace weft
