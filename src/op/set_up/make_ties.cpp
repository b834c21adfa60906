#include "op/set_up/make_ties.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>

#include <Eigen/Dense>

#include "base/error.h"
#include "base/names.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/boundary_conditions.h"
#include "op/problem/dof_layout.h"
#include "op/problem/facet_groups.h"
#include "op/problem/field_regions.h"
#include "op/set_up/tied_nodes.h"

namespace weft {

namespace {

// What one dof follows.
struct Following {
  std::map<std::int32_t, double> weights; // by dof
  double jump = 0;
  std::string where;
};
using FollowingDofs = std::map<std::int32_t, Following>;

// Where a group is when another is moved: x_second = turn (x_first - origin) + origin + shift.
struct Motion {
  Eigen::MatrixXd turn;
  Eigen::VectorXd origin, shift;
  bool is_turn = false;

  ToOther forward() const {
    return [this](const double *x, double *y) {
      const auto dim = turn.rows();
      Eigen::Map<Eigen::VectorXd>(y, dim) =
          turn * (Eigen::Map<const Eigen::VectorXd>(x, dim) - origin) + origin + shift;
    };
  }
  ToOther backward() const {
    return [this](const double *y, double *x) {
      const auto dim = turn.rows();
      Eigen::Map<Eigen::VectorXd>(x, dim) =
          turn.transpose() * (Eigen::Map<const Eigen::VectorXd>(y, dim) - shift - origin) + origin;
    };
  }
};

std::vector<FacetGroup> facets_of(const Discretisation &d, const std::string &group,
                                  const TiedSpec &spec) {
  const Mesh &mesh = *d.mesh;
  if (means_all_facets(group))
    throw Error(ErrorKind::input, {.what = "all of the boundary tied to a part of it",
                                   .where = spec.place,
                                   .found = group,
                                   .allowed = join_names(mesh.facet_group_names())});
  const auto facets =
      select_facets(mesh, select_classes(mesh, Domain::facets, {group}, spec.place), false);
  if (facets.empty())
    throw Error(ErrorKind::input,
                {.what = "a tied group of facets that lie inside of the mesh",
                 .where = spec.place,
                 .found = group,
                 .allowed = "groups of facets on the boundary: cells on both sides of a facet "
                            "have their nodes in common as they are"});
  return group_facets(mesh, facets);
}

Eigen::VectorXd centre_of(const Discretisation &d, const std::vector<FacetGroup> &groups) {
  const int dim = d.mesh->dim;
  Eigen::VectorXd centre = Eigen::VectorXd::Zero(dim);
  double area = 0;
  for (const FacetGroup &group : groups) {
    const PointTable table = make_facet_table(d, group.set, group.facet, 2 * d.geometry.order);
    const PointBatch batch(d, table, group.cells);
    for (int p = 0; p < batch.num_points(); ++p) {
      area += batch.measure()[p];
      for (int k = 0; k < dim; ++k)
        centre[k] += batch.measure()[p] * batch.coordinate(k)[p];
    }
  }
  return centre / area;
}

Eigen::VectorXd vector_of(const std::vector<double> &values, const char *key, int dim,
                          const TiedSpec &spec) {
  if (static_cast<int>(values.size()) != dim)
    throw Error(ErrorKind::input,
                {.what = fmt::format("rotation.{} with the wrong number of entries", key),
                 .where = spec.place,
                 .found = std::to_string(values.size()),
                 .allowed = fmt::format("{}, one a direction", dim)});
  return Eigen::Map<const Eigen::VectorXd>(values.data(), dim);
}

Eigen::MatrixXd turn_of(const TiedSpec &spec, int dim) {
  const double angle = spec.rotation->angle * std::numbers::pi / 180;
  if (dim == 2) {
    if (!spec.rotation->axis.empty())
      throw Error(ErrorKind::input, {.what = "the axis of a rotation in the plane",
                                     .where = spec.place,
                                     .remedy = "leave rotation.axis out"});
    return Eigen::Rotation2Dd(angle).toRotationMatrix();
  }
  const std::vector<double> &axis = spec.rotation->axis;
  const Eigen::Vector3d along =
      axis.empty() ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(vector_of(axis, "axis", 3, spec));
  if (!(along.norm() > 0))
    throw Error(ErrorKind::input, {.what = "a rotation about an axis without direction",
                                   .where = spec.place,
                                   .found = "an axis of length 0"});
  return Eigen::AngleAxisd(angle, along.normalized()).toRotationMatrix();
}

Motion motion_of(const Discretisation &d, const TiedSpec &spec,
                 const std::vector<FacetGroup> &first, const std::vector<FacetGroup> &second) {
  const int dim = d.mesh->dim;
  Motion motion{.turn = Eigen::MatrixXd::Identity(dim, dim),
                .origin = Eigen::VectorXd::Zero(dim),
                .shift = Eigen::VectorXd::Zero(dim)};
  if (!spec.rotation) {
    motion.shift = centre_of(d, second) - centre_of(d, first);
    return motion;
  }
  motion.is_turn = true;
  motion.turn = turn_of(spec, dim);
  if (!spec.rotation->origin.empty())
    motion.origin = vector_of(spec.rotation->origin, "origin", dim, spec);
  return motion;
}

// What turns with a rotation: vectors of the space.
Eigen::MatrixXd turn_of_values(const Motion &motion, const FieldSpec &field, const TiedSpec &spec) {
  const int components = field.components();
  if (!motion.is_turn || components == 1)
    return Eigen::MatrixXd::Identity(components, components);
  if (components != motion.turn.rows())
    throw Error(ErrorKind::unsupported,
                {.what = "a rotation of a field that is no vector of the space",
                 .where = spec.place,
                 .found = fmt::format("{} of {} components", field.name, components),
                 .allowed = "scalars, and vectors of the mesh's dimension"});
  return motion.turn;
}

// One pair of groups while it is tied.
class Pair {
public:
  Pair(const Case &c, const Discretisation &d, const TiedSpec &spec, Ties &ties,
       FollowingDofs &following)
      : c_(c), d_(d), spec_(spec), ties_(ties), following_(following),
        first_(facets_of(d, spec.first, spec)), second_(facets_of(d, spec.second, spec)),
        motion_(motion_of(d, spec, first_, second_)) {}

  void tie() {
    std::map<int, TiedNodes> of_maps;
    const bool second_follows = has_as_many_nodes();
    const ToOther to_first = second_follows ? motion_.backward() : motion_.forward();
    for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
      const int map = d_.field_map[f];
      if (!of_maps.contains(map))
        of_maps[map] = tie_nodes(d_, map, second_follows ? first_ : second_,
                                 second_follows ? second_ : first_, to_first, spec_.place);
      tie_field(static_cast<int>(f), of_maps.at(map), second_follows);
    }
  }

private:
  bool has_as_many_nodes() const {
    const auto count = [&](const std::vector<FacetGroup> &groups) {
      std::int64_t facets = 0;
      for (const FacetGroup &group : groups)
        facets += static_cast<std::int64_t>(group.cells.size());
      return facets;
    };
    return count(second_) >= count(first_);
  }

  // [node that follows, component]: by how much more it is than what it follows.
  std::vector<double> jumps_of(int field, const TiedNodes &nodes, const Eigen::MatrixXd &turn,
                               bool second_follows) {
    const FieldSpec &spec = d_.form.fields[field];
    const int components = spec.components();
    std::vector<double> jumps(nodes.nodes.size() * components, 0.0);
    const auto found = spec_.jump.find(spec.name);
    if (found == spec_.jump.end())
      return jumps;
    const ResolvedExpression expression = resolve_on_cells(
        make_expression(c_.form, found->second, spec.shape, false, false), *d_.mesh);
    ties_.depend_on_time |= expression.expression.function.uses(SymbolKind::time);
    ties_.depend_on_parameters |= has_settable_entries(expression.expression);
    const std::vector<double> values =
        values_at_nodes(d_, expression, d_.map_of_field(field), nullptr);
    for (std::size_t i = 0; i < nodes.nodes.size(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> more(
          &values[std::int64_t{nodes.nodes[i]} * components], components);
      Eigen::Map<Eigen::VectorXd> jump(&jumps[i * components], components);
      if (second_follows)
        jump = more;
      else
        jump = -turn * more;
    }
    return jumps;
  }

  void tie_field(int field, const TiedNodes &nodes, bool second_follows) {
    const FieldSpec &spec = d_.form.fields[field];
    const int components = spec.components();
    const Eigen::MatrixXd to_second = turn_of_values(motion_, spec, spec_);
    const Eigen::MatrixXd turn = second_follows ? to_second : to_second.transpose();
    const std::vector<double> jumps = jumps_of(field, nodes, turn, second_follows);
    for (std::size_t i = 0; i < nodes.nodes.size(); ++i)
      for (int k = 0; k < components; ++k) {
        const auto dof = static_cast<std::int32_t>(vector_dof(d_, field, nodes.nodes[i], k));
        Following following{.weights = {}, .jump = jumps[i * components + k], .where = spec_.place};
        for (const auto &[node, weight] : nodes.of_nodes[i])
          for (int j = 0; j < components; ++j)
            if (std::abs(turn(k, j)) > 1e-14)
              following.weights[static_cast<std::int32_t>(vector_dof(d_, field, node, j))] +=
                  weight * turn(k, j);
        if (!is_absent(following)) // on the side of a region without the field nothing is to follow
          following_.try_emplace(dof, std::move(following)); // an earlier pair's stays
      }
  }

  bool is_absent(const Following &following) const {
    return std::any_of(following.weights.begin(), following.weights.end(), [&](const auto &other) {
      return std::binary_search(absent_.begin(), absent_.end(), other.first);
    });
  }

  const Case &c_;
  const Discretisation &d_;
  const TiedSpec &spec_;
  Ties &ties_;
  FollowingDofs &following_;
  const std::vector<std::int32_t> absent_ = absent_dofs(d_);
  std::vector<FacetGroup> first_, second_;
  Motion motion_;
};

[[noreturn]] void fail_self(const std::string &where) {
  throw Error(ErrorKind::input,
              {.what = "a value that follows itself",
               .where = where,
               .found = "a node that is in both groups, or groups that are tied in a ring",
               .allowed = "groups without nodes in common; on the axis of a rotation, scalars "
                          "without a jump",
               .remedy = "prescribe the vector's components across the axis there, in "
                         "[dirichlet]"});
}

// Puts what followed dofs follow in their place, until none of them follows any.
void resolve_chains(FollowingDofs &following) {
  // Dofs on the axis of a rotation are what they are.
  for (auto it = following.begin(); it != following.end();) {
    const auto own = it->second.weights.find(it->first);
    const bool is_itself = own != it->second.weights.end() && it->second.weights.size() == 1 &&
                           std::abs(own->second - 1) < 1e-9 && it->second.jump == 0;
    it = is_itself ? following.erase(it) : std::next(it);
  }
  for (auto &[dof, of_dof] : following)
    for (int pass = 0;; ++pass) {
      const auto chained =
          std::find_if(of_dof.weights.begin(), of_dof.weights.end(),
                       [&](const auto &other) { return following.contains(other.first); });
      if (chained == of_dof.weights.end())
        break;
      if (chained->first == dof || pass > 10000)
        fail_self(of_dof.where);
      const double weight = chained->second;
      const Following &next = following.at(chained->first);
      of_dof.weights.erase(chained);
      of_dof.jump += weight * next.jump;
      for (const auto &[other, factor] : next.weights)
        of_dof.weights[other] += weight * factor;
    }
}

void check_supported(const Case &c, const Discretisation &d) {
  const std::string where = c.tied.front().place;
  const auto unsupported = [&](const char *what, const std::string &found, const char *allowed,
                               const char *remedy) {
    return Error(
        ErrorKind::unsupported,
        {.what = what, .where = where, .found = found, .allowed = allowed, .remedy = remedy});
  };
  if (d.ranks)
    throw unsupported("tied groups shared by several processes",
                      fmt::format("{} processes of a launcher (mpirun, srun)", d.ranks->size()),
                      "one process",
                      "start weft without the launcher: one process uses all "
                      "cores of a machine");
  if (d.law)
    throw unsupported("tied groups of a conservation law", "", "weak forms",
                      "write [mesh] periodic = [[\"left\", \"right\"]], whose facets match");
  for (const FunctionalSpec &functional : c.functionals)
    if (functional.error || !functional.gradient.empty())
      throw unsupported("the error or the gradient of a functional where groups are tied",
                        "[functionals] " + functional.name, "functionals themselves",
                        "leave `error` and `gradient` out");
  for (const FieldSpec &field : d.form.fields)
    if (field.discontinuous || field.order == 0)
      throw unsupported("tied groups beside a discontinuous field",
                        fmt::format("{} with element = \"{}\"", field.name, field.element()),
                        "fields of elements P1 to P8",
                        "write [mesh] periodic = [[\"left\", \"right\"]], whose facets match");
}

// Tied facets are no boundary, and no condition or integral over all of it holds there.
void check_boundary(const Case &c) {
  const auto refuse = [&](const std::string &where) {
    throw Error(ErrorKind::input,
                {.what = "a condition or an integral on all of a boundary of which parts are tied",
                 .where = where,
                 .allowed = "groups by name, without those of [[tied]]"});
  };
  for (const DirichletSpec &spec : c.dirichlet)
    if (means_all_facets(spec.group))
      refuse(spec.value.where());
  for (const IntegralSpec &integral : c.form.integrals)
    if (integral.domain == Domain::facets && integral.groups.empty())
      refuse(integral.integrand.where());
}

} // namespace

Ties make_ties(const Case &c, const Discretisation &d) {
  Ties ties;
  if (c.tied.empty())
    return ties;
  check_supported(c, d);
  check_boundary(c);
  FollowingDofs following;
  for (const TiedSpec &spec : c.tied)
    Pair(c, d, spec, ties, following).tie();
  for (const std::int32_t dof : d.constraints.dofs)
    following.erase(dof);
  resolve_chains(following);
  ties.first.push_back(0);
  for (const auto &[dof, of_dof] : following) {
    ties.dofs.push_back(dof);
    ties.jumps.push_back(of_dof.jump);
    for (const auto &[other, weight] : of_dof.weights) {
      ties.others.push_back(other);
      ties.weights.push_back(weight);
    }
    ties.first.push_back(static_cast<std::int32_t>(ties.others.size()));
  }
  return ties;
}

} // namespace weft
