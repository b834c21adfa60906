#include "run/block_settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/names.h"
#include "op/set_up/field_blocks.h"
#include "op/set_up/make_near_null_space.h"
#include "op/set_up/mass_diagonal.h"
#include "op/weak_form/form_operator.h"
#include "run/input/user_case.h"
#include "solve/precondition/leading_block.h"

namespace weft {

namespace {

const std::map<std::string, BlockSolver> solvers = {
    {"multigrid", BlockSolver::multigrid},   {"mass", BlockSolver::chebyshev},
    {"commutator", BlockSolver::commutator}, {"chebyshev", BlockSolver::chebyshev},
    {"jacobi", BlockSolver::jacobi},         {"direct", BlockSolver::direct}};

std::string solver_name(const FieldBlocks &blocks, int field) {
  switch (blocks.kinds[field]) {
  case FieldKind::elliptic:
  case FieldKind::transported:
    return "multigrid";
  case FieldKind::mass:
    return "chebyshev";
  case FieldKind::constraint:
    return blocks.commutes[field] ? "commutator" : "mass";
  case FieldKind::border:
  case FieldKind::other:
    break;
  }
  return "jacobi";
}

void check_names(const Simulation &s) {
  std::vector<std::string> names; // the border has no solver of its own
  for (const FieldSpec &field : s.discretisation.form.fields)
    if (!field.whole_domain)
      names.push_back(field.name);
  for (const auto &[name, solver] : s.c.solver.blocks)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ErrorKind::input,
                  {.what = "a block of a field that is not there, or is of the whole domain",
                   .where = place_in(s.c, "[solver] blocks." + name),
                   .found = name,
                   .allowed = join_names(names)});
}

DofRange dofs_of_field(const Discretisation &d, int field) {
  return {d.field_offset[field],
          d.map_of_field(field).num_owned * d.form.fields[field].components()};
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
    if (field.whole_domain)
      continue;
    const auto said = s.c.solver.blocks.find(field.name);
    const std::string solver =
        said != s.c.solver.blocks.end() ? said->second : solver_name(blocks, f);
    BlockSettings block{.name = field.name,
                        .dofs = dofs_of_field(d, f),
                        .solver = solvers.at(solver),
                        .multigrid = multigrid,
                        .near_null_space =
                            near_null_space_of_field(d, f, blocks.ignores_rotations[f]),
                        .symmetric = blocks.kinds[f] != FieldKind::other &&
                                     blocks.kinds[f] != FieldKind::transported};
    const int constrained = blocks.constrained[f];
    if ((solver == "mass" || solver == "commutator") && constrained < 0)
      throw Error(ErrorKind::input,
                  {.what = fmt::format("`{}` stands for the block of a field that constrains the "
                                       "gradient of another one, such as a pressure",
                                       solver),
                   .where = place_in(s.c, "[solver] blocks." + field.name),
                   .found = field.name,
                   .allowed = "multigrid, chebyshev, jacobi, direct"});
    if (solver == "commutator") {
      block.constrained = dofs_of_field(d, constrained);
      block.inverse_mass = mass_diagonal(d, constrained);
      for (double &mass : block.inverse_mass)
        mass = mass > 0 ? 1 / mass : 0;
    }
    if (solver == "mass") {
      block.sign = -1;
      block.replacement = [&d, f, constrained](LinearOperator &op, const HostMatrix &own) {
        const auto *inside = dynamic_cast<LeadingBlock *>(&op); // of a border
        const auto &form = dynamic_cast<FormOperator &>(inside ? inside->whole() : op);
        const Vector &state = form.state();
        return constraint_mass(d, get_vector(op.device(), state), f, constrained, own);
      };
    }
    settings.push_back(std::move(block));
  }
  return settings;
}

} // namespace weft
