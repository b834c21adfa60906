#include "op/set_up/null_space.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include <Eigen/Dense>

#include "base/error.h"
#include "linalg/start_vector.h"
#include "op/evaluate/point_values.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"
#include "op/set_up/dense_of_ranks.h"
#include "op/set_up/rigid_body_values.h"
#include "ranks/norm_of_ranks.h"

namespace weft {

namespace {

// Of the sum of absolute values: what quadrature and rounding leave of a sum that should be zero.
constexpr double balance_tolerance = 1e-6;

constexpr double rounding_of_sums = 1e-12;

std::int64_t first_dof(const Discretisation &d, int field) {
  return d.own_offset[field];
}

std::int64_t num_dofs(const Discretisation &d, int field) {
  return d.map_of_field(field).num_owned * d.form.fields[field].components();
}

std::vector<const OpenMotion *> motions_of(const NullSpace &space, int field) {
  std::vector<const OpenMotion *> motions;
  for (const OpenMotion &motion : space.motions)
    if (motion.field == field)
      motions.push_back(&motion);
  return motions;
}

std::vector<bool> marked(const Discretisation &d, const std::vector<std::int32_t> &dofs) {
  std::vector<bool> marks(d.num_owned, false);
  for (const std::int32_t dof : dofs)
    marks[dof] = true;
  return marks;
}

// Dofs that follow others are none of the operator's unknowns.
void zero_where_tied(const Discretisation &d, OpenMotion &motion) {
  const std::int64_t first = first_dof(d, motion.field);
  for (const std::int32_t dof : d.ties.dofs)
    if (dof >= first && dof < first + static_cast<std::int64_t>(motion.values.size()))
      motion.values[dof - first] = 0;
}

// Dofs that no motion moves: those that conditions prescribe, which a motion has to leave alone,
// and those of nodes where the field is not.
struct HeldDofs {
  explicit HeldDofs(const Discretisation &d)
      : prescribed(marked(d, d.constraints.dofs)), absent(marked(d, absent_dofs(d))) {
    for (std::size_t dof = 0; dof < absent.size(); ++dof)
      prescribed[dof] = prescribed[dof] && !absent[dof];
  }
  std::vector<bool> prescribed, absent; // [own dof]
};

// The combinations of a field's rigid motions that are zero where dofs are prescribed.
std::vector<OpenMotion> rigid_candidates(const Discretisation &d, int field, const HeldDofs &held) {
  const int dim = d.mesh->dim, num_vectors = dim * (dim + 1) / 2;
  const NodeMap &map = d.map_of_field(field);
  const std::vector<double> values =
      rigid_body_values(std::span(map.coordinates).first(map.num_owned * dim), dim, d.ranks);
  const auto rows = static_cast<Eigen::Index>(num_dofs(d, field));
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      motions(values.data(), rows, num_vectors);
  const Eigen::VectorXd sizes = largest_of_columns(d.ranks, motions);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(num_vectors, num_vectors);
  for (Eigen::Index i = 0; i < rows; ++i)
    if (held.prescribed[first_dof(d, field) + i]) {
      const Eigen::RowVectorXd row = motions.row(i).cwiseQuotient(sizes.transpose());
      gram += row.transpose() * row;
    }
  gram = sum_over(d.ranks, gram);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const double largest = std::max(eigen.eigenvalues().maxCoeff(), 1.0);
  std::vector<OpenMotion> candidates;
  for (int v = 0; v < num_vectors; ++v) {
    if (eigen.eigenvalues()[v] > 1e-12 * largest)
      continue;
    const Eigen::VectorXd vector = motions * eigen.eigenvectors().col(v).cwiseQuotient(sizes);
    OpenMotion motion{.field = field};
    motion.values.resize(rows);
    const double scale = 1 / largest_of(d.ranks, vector);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const std::int64_t dof = first_dof(d, field) + i;
      motion.values[i] = held.prescribed[dof] || held.absent[dof] ? 0 : scale * vector[i];
    }
    zero_where_tied(d, motion);
    candidates.push_back(std::move(motion));
  }
  return candidates;
}

// What rigid motions have beside the constants that are open: they turn the body.
std::vector<OpenMotion> turns_beside(const std::vector<OpenMotion> &constants,
                                     std::vector<OpenMotion> rigid, Communicator *ranks) {
  std::vector<OpenMotion> turns;
  const auto as_vector = [](OpenMotion &motion) {
    return Eigen::Map<Eigen::VectorXd>(motion.values.data(),
                                       static_cast<Eigen::Index>(motion.values.size()));
  };
  for (OpenMotion &motion : rigid) {
    Eigen::Map<Eigen::VectorXd> vector = as_vector(motion);
    const double size = norm_of_ranks(ranks, vector.norm());
    const auto take_out_part = [&](const std::vector<OpenMotion> &others) {
      for (const OpenMotion &other : others) {
        const Eigen::Map<const Eigen::VectorXd> direction(other.values.data(), vector.size());
        vector -=
            sum(ranks, vector.dot(direction)) / sum(ranks, direction.squaredNorm()) * direction;
      }
    };
    take_out_part(constants);
    take_out_part(turns);
    if (norm_of_ranks(ranks, vector.norm()) <= 1e-6 * size)
      continue;
    vector /= largest_of(ranks, vector);
    turns.push_back(std::move(motion));
  }
  return turns;
}

std::vector<OpenMotion> constant_candidates(const Discretisation &d, int field,
                                            const HeldDofs &held) {
  const int components = d.form.fields[field].components();
  std::vector<OpenMotion> candidates;
  for (int k = 0; k < components; ++k) {
    OpenMotion motion{.field = field, .component = k};
    motion.values.assign(num_dofs(d, field), 0.);
    bool is_open = true;
    for (std::int64_t i = k; is_open && i < num_dofs(d, field); i += components) {
      is_open = !held.prescribed[first_dof(d, field) + i];
      motion.values[i] = held.absent[first_dof(d, field) + i] ? 0 : 1;
    }
    zero_where_tied(d, motion);
    if (!any(d.ranks, !is_open))
      candidates.push_back(std::move(motion));
  }
  return candidates;
}

// How far rounding may take a row of A times a motion from 0, relative to its diagonal. Robin and
// mass terms are far larger on any mesh on which they can be told from rounding at all.
double largest_row_fraction(Precision precision) {
  return precision == Precision::f64 ? 256 * std::numeric_limits<double>::epsilon()
                                     : 16 * double(std::numeric_limits<float>::epsilon());
}

// A at one state, applied to motions.
class Images {
public:
  Images(NonlinearOperator &op, const Discretisation &d, const Vector &u) : op_(op), d_(d) {
    op.linearise(u);
    x_ = make_vector(op.device(), op.layout(), op.precision(), "open motion");
    y_ = make_vector(op.device(), op.layout(), op.precision(), "operator times a motion");
    op.diagonal(y_);
    scale_ = get_vector(op.device(), y_);
    double largest = 0;
    for (const double entry : scale_)
      largest = std::max(largest, std::abs(entry));
    largest = weft::largest(d.ranks, largest);
    is_zero_ = !(largest > 0);
    for (double &entry : scale_)
      entry = entry != 0 ? std::abs(entry) : largest;
    scale_border();
  }
  // [dof]: A times the motion, row by row relative to the diagonal.
  Eigen::VectorXd of(const OpenMotion &motion) {
    std::vector<double> values(op_.size(), 0.0);
    std::copy(motion.values.begin(), motion.values.end(),
              values.begin() + first_dof(d_, motion.field));
    set_vector(op_.device(), x_, values);
    op_.apply(x_, y_);
    values = get_vector(op_.device(), y_);
    Eigen::VectorXd image(op_.size());
    for (std::int64_t i = 0; i < op_.size(); ++i)
      image[i] = values[i] / scale_[i];
    return image;
  }
  bool is_zero() const { return is_zero_; }

private:
  // Rows of the whole domain have sums over all cells and may have no diagonal: they are measured
  // by their products with what looks random, from which the sums of their absolute values follow.
  void scale_border() {
    const std::int64_t border = num_border_dofs(d_.form.fields), n = op_.size();
    if (border == 0)
      return;
    set_vector(op_.device(), x_, start_vector(n, 1));
    op_.apply(x_, y_);
    const std::vector<double> values = get_vector(op_.device(), y_);
    for (std::int64_t row = n - border; row < n; ++row)
      if (const double size = std::abs(values[row]) * std::sqrt(static_cast<double>(n)); size > 0)
        scale_[row] = size;
  }

  NonlinearOperator &op_;
  const Discretisation &d_;
  Vector x_, y_;
  std::vector<double> scale_;
  bool is_zero_ = false;
};

// The candidates of one field, or combinations of them, that A maps to zero.
std::vector<OpenMotion> open_among(Images &images, const std::vector<OpenMotion> &candidates,
                                   double allowed, Communicator *ranks) {
  std::vector<Eigen::VectorXd> of;
  std::vector<OpenMotion> open, others;
  for (const OpenMotion &candidate : candidates) {
    Eigen::VectorXd image = images.of(candidate);
    if (any(ranks, !image.allFinite()))
      return {}; // something else is wrong
    if (largest_of(ranks, image) <= allowed) {
      open.push_back(candidate);
    } else {
      of.push_back(std::move(image));
      others.push_back(candidate);
    }
  }
  if (others.size() < 2)
    return open;
  Eigen::MatrixXd matrix(of.front().size(), static_cast<Eigen::Index>(of.size()));
  for (std::size_t v = 0; v < of.size(); ++v)
    matrix.col(static_cast<Eigen::Index>(v)) = of[v];
  const Eigen::Index size = matrix.cols();
  const Eigen::MatrixXd triangle = triangle_over(ranks, matrix);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(triangle, Eigen::ComputeFullV);
  for (Eigen::Index v = 0; v < size; ++v) {
    const Eigen::VectorXd factors = svd.matrixV().col(v);
    if (largest_of(ranks, matrix * factors) > allowed)
      continue;
    OpenMotion motion{.field = others.front().field};
    motion.values.assign(others.front().values.size(), 0.);
    for (std::size_t c = 0; c < others.size(); ++c)
      for (std::size_t i = 0; i < motion.values.size(); ++i)
        motion.values[i] += factors[static_cast<Eigen::Index>(c)] * others[c].values[i];
    open.push_back(std::move(motion));
  }
  return open;
}

// Another state, of the same size, with gradients.
Vector other_state(NonlinearOperator &op, const Vector &u) {
  std::vector<double> values = get_vector(op.device(), u);
  double largest = 0;
  for (const double value : values)
    largest = std::max(largest, std::abs(value));
  largest = weft::largest(op.layout().among, largest);
  const double scale = largest > 0 ? 0.1 * largest : 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += scale * (1.5 + std::sin(static_cast<double>(i)));
  Vector other = make_vector(op.device(), op.layout(), op.precision(), "another state");
  set_vector(op.device(), other, values);
  op.set_constrained(other);
  return other;
}

// [node of the field's map]: integrals of the basis functions over the cells where it is.
std::vector<double> integrals_of_nodes(const Discretisation &d, int field) {
  const int map = d.field_map[field];
  const std::vector<bool> classes = classes_of_field(*d.mesh, d.form.fields[field]);
  std::vector<double> integrals(d.maps[map].num_local, 0.);
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const NodeMapSet &nodes = d.maps[map].sets[s];
    const int num_nodes = nodes.element.num_nodes();
    const PointTable table =
        make_cell_table(d, static_cast<int>(s), std::max(1, d.maps[map].order + 1));
    std::vector<std::int32_t> of_field;
    for (std::int32_t c = 0; c < d.mesh->sets[s].num_cells(); ++c)
      if (classes[d.mesh->sets[s].region[c]])
        of_field.push_back(c);
    for (std::size_t first = 0; first < of_field.size(); first += 256) {
      const std::span<const std::int32_t> cells =
          std::span(of_field).subspan(first, std::min<std::size_t>(256, of_field.size() - first));
      PointBatch batch(d, table, cells);
      const std::vector<double> &measure = batch.measure();
      for (std::size_t c = 0; c < cells.size(); ++c)
        for (int q = 0; q < table.num_points; ++q)
          for (int i = 0; i < num_nodes; ++i)
            integrals[nodes.nodes[std::int64_t{cells[c]} * num_nodes + i]] +=
                measure[c * table.num_points + q] * table.maps[map].phi[q * num_nodes + i];
    }
  }
  return integrals;
}

} // namespace

std::string name_of(const Discretisation &d, const OpenMotion &motion) {
  const FieldSpec &field = d.form.fields[motion.field];
  if (motion.component < 0)
    return "turns of " + field.name;
  return field.components() == 1 ? field.name : fmt::format("{}[{}]", field.name, motion.component);
}

NullSpace find_null_space(NonlinearOperator &op, const Discretisation &d, const Vector &u) {
  const HeldDofs held(d);
  std::vector<std::vector<OpenMotion>> candidates;
  bool is_any = false;
  // A constant of the whole domain is what its equation is solved for.
  for (int f = 0; f < static_cast<int>(num_varying_fields(d.form.fields)); ++f) {
    std::vector<OpenMotion> of_field = constant_candidates(d, f, held);
    const FieldSpec &field = d.form.fields[f];
    if (field.components() == d.mesh->dim && d.mesh->dim > 1 && !field.discontinuous &&
        field.order > 0) {
      std::vector<OpenMotion> turns = turns_beside(of_field, rigid_candidates(d, f, held), d.ranks);
      std::move(turns.begin(), turns.end(), std::back_inserter(of_field));
    }
    is_any = is_any || !of_field.empty();
    candidates.push_back(std::move(of_field));
  }
  NullSpace space;
  if (!is_any)
    return space;
  const double allowed = largest_row_fraction(op.precision());
  const auto keep_open = [&](const Vector &state) {
    Images images(op, d, state);
    for (std::vector<OpenMotion> &of_field : candidates)
      of_field = images.is_zero() ? std::vector<OpenMotion>{}
                                  : open_among(images, of_field, allowed, d.ranks);
  };
  keep_open(u);
  if (!op.linear() && std::any_of(candidates.begin(), candidates.end(),
                                  [](const auto &of_field) { return !of_field.empty(); }))
    keep_open(other_state(op, u));
  for (std::vector<OpenMotion> &of_field : candidates)
    std::move(of_field.begin(), of_field.end(), std::back_inserter(space.motions));
  return space;
}

namespace {

std::vector<double> residual_at(NonlinearOperator &op, const Vector &u) {
  Vector r = make_vector(op.device(), op.layout(), op.precision(), "residual");
  op.residual(u, r);
  return get_vector(op.device(), r);
}

// All: sums of absolute values; 0 of what is not finite.
double absolute_sum(const Discretisation &d, const std::vector<double> &terms) {
  double absolute = 0;
  for (const double term : terms)
    absolute += std::abs(term);
  absolute = sum(d.ranks, absolute);
  return std::isfinite(absolute) ? absolute : 0;
}

} // namespace

void check_balance(NonlinearOperator &op, const Discretisation &d, const NullSpace &space,
                   const Vector &u) {
  const std::vector<double> residual = residual_at(op, u);
  // Where `u` is a solution, nothing but rounding is left of what sums are compared with.
  Vector zero = make_vector(op.device(), op.layout(), op.precision(), "state zero");
  op.device().fill_zero(zero.buffer, zero.size * size_bytes(zero.precision));
  op.set_constrained(zero);
  const std::vector<double> of_zero = residual_at(op, zero);
  // Against which a sum of nothing but rounding is seen.
  const double all = std::max(absolute_sum(d, residual), absolute_sum(d, of_zero));
  for (const OpenMotion &motion : space.motions) {
    const auto along = [&](const std::vector<double> &values) {
      std::vector<double> terms(motion.values.size());
      for (std::size_t i = 0; i < terms.size(); ++i)
        terms[i] = motion.values[i] * values[first_dof(d, motion.field) + i];
      return terms;
    };
    const std::vector<double> terms = along(residual);
    const double sum = weft::sum(d.ranks, std::accumulate(terms.begin(), terms.end(), 0.0));
    const double absolute = std::max(absolute_sum(d, terms), absolute_sum(d, along(of_zero)));
    if (!(std::abs(sum) > std::max(balance_tolerance * absolute, rounding_of_sums * all)))
      continue;
    const std::string name = name_of(d, motion);
    const bool turns = motion.component < 0;
    throw Error(
        ErrorKind::input,
        {.what = turns ? fmt::format("no solution: the body is free to turn, and the moments on {} "
                                     "do not balance",
                                     d.form.fields[motion.field].name)
                       : fmt::format("no solution: a constant added to {0} changes nothing, and "
                                     "the sources and fluxes of {0} do not balance",
                                     name),
         .where = "[weak_form], [dirichlet]",
         .found =
             fmt::format("they sum up to {:.6g}, their absolute values to {:.6g}", sum, absolute),
         .allowed = "a sum of zero, but for rounding",
         .remedy = fmt::format(
             "prescribe {0} on a group in [dirichlet]; or add a term in {0} itself, such as an "
             "exchange h*({0} - value) with the surroundings on a facet group; or mend the "
             "sources, fluxes and prescribed values so that they sum up to zero",
             d.form.fields[motion.field].name)});
  }
}

namespace {

// All: of candidates that are all as good, the one at the lowest x, then y and z: the same on any
// number of ranks, since how Newton's method walks depends on it. None on ranks that don't have it.
std::vector<Eigen::Index> at_lowest_place(const Discretisation &d, int field,
                                          const std::vector<std::int32_t> &candidates) {
  const NodeMap &map = d.map_of_field(field);
  const int dim = d.mesh->dim, components = d.form.fields[field].components();
  std::vector<double> best(dim, std::numeric_limits<double>::infinity());
  Eigen::Index which = -1;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const auto *place = &map.coordinates[std::int64_t{candidates[c] / components} * dim];
    if (which < 0 || std::lexicographical_compare(place, place + dim, best.begin(), best.end())) {
      best.assign(place, place + dim);
      which = static_cast<Eigen::Index>(c);
    }
  }
  const std::vector<std::vector<double>> all = gathered(d.ranks, best);
  const auto lowest = std::min_element(all.begin(), all.end()) - all.begin();
  if (which < 0 || (d.ranks && lowest != d.ranks->rank()))
    return {};
  return {which};
}

// All: one row, of the same numbers.
bool is_one_constant(Communicator *ranks, const Eigen::MatrixXd &motions) {
  constexpr double rounding = 1e-8;
  const double size = largest(ranks, motions.size() > 0 ? motions.cwiseAbs().maxCoeff() : 0);
  const double least = smallest(ranks, motions.size() > 0 ? motions.cwiseAbs().minCoeff() : size);
  return motions.rows() == 1 && least > (1 - rounding) * size;
}

} // namespace

std::vector<std::int32_t> dofs_to_fix(const Discretisation &d, const NullSpace &space) {
  const HeldDofs held(d);
  std::vector<std::int32_t> dofs;
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const std::vector<const OpenMotion *> of_field = motions_of(space, f);
    if (of_field.empty())
      continue;
    // Dofs at vertices of cells, which coarser levels have too.
    std::vector<bool> at_vertex(d.map_of_field(f).num_local, false);
    for (const NodeMapSet &set : d.map_of_field(f).sets) {
      const int num_nodes = set.element.num_nodes();
      const int vertices = std::min(num_nodes, num_vertices(set.element.cell));
      for (std::size_t i = 0; i < set.nodes.size(); i += num_nodes)
        for (int v = 0; v < vertices; ++v)
          at_vertex[set.nodes[i + v]] = true;
    }
    const int components = d.form.fields[f].components();
    std::vector<std::int32_t> candidates;
    for (std::int64_t i = 0; i < num_dofs(d, f); ++i)
      if (at_vertex[i / components] && !held.absent[first_dof(d, f) + i])
        candidates.push_back(static_cast<std::int32_t>(i));
    Eigen::MatrixXd motions(static_cast<Eigen::Index>(of_field.size()),
                            static_cast<Eigen::Index>(candidates.size()));
    for (std::size_t m = 0; m < of_field.size(); ++m)
      for (std::size_t c = 0; c < candidates.size(); ++c)
        motions(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(c)) =
            of_field[m]->values[candidates[c]];
    for (const Eigen::Index c : is_one_constant(d.ranks, motions)
                                    ? at_lowest_place(d, f, candidates)
                                    : independent_columns(d.ranks, motions))
      dofs.push_back(static_cast<std::int32_t>(first_dof(d, f) + candidates[c]));
  }
  std::sort(dofs.begin(), dofs.end());
  return dofs;
}

void take_out(const Discretisation &d, const NullSpace &space,
              const std::vector<std::vector<double>> &means, std::vector<double> &state) {
  std::vector<double> entries = own_entries(d, state);
  const HeldDofs held(d);
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const std::vector<const OpenMotion *> of_field = motions_of(space, f);
    if (of_field.empty())
      continue;
    const auto rows = static_cast<Eigen::Index>(num_dofs(d, f));
    Eigen::Map<Eigen::VectorXd> values(entries.data() + first_dof(d, f), rows);
    Eigen::MatrixXd motions(rows, static_cast<Eigen::Index>(of_field.size()));
    for (std::size_t m = 0; m < of_field.size(); ++m)
      motions.col(static_cast<Eigen::Index>(m)) =
          Eigen::Map<const Eigen::VectorXd>(of_field[m]->values.data(), rows);
    if (std::any_of(of_field.begin(), of_field.end(),
                    [](const OpenMotion *motion) { return motion->component < 0; }))
      values -= motions * least_squares(d.ranks, motions, values);
    const std::vector<double> weights = integrals_of_nodes(d, f);
    const int components = d.form.fields[f].components();
    for (const OpenMotion *motion : of_field) {
      if (motion->component < 0)
        continue;
      double sum = 0, volume = 0;
      for (std::int64_t node = 0; node < d.map_of_field(f).num_owned; ++node) {
        sum += weights[node] * values[node * components + motion->component];
        volume += weights[node];
      }
      sum = weft::sum(d.ranks, sum);
      volume = weft::sum(d.ranks, volume);
      const double shift = means[f][motion->component] - sum / volume;
      for (std::int64_t node = 0; node < d.map_of_field(f).num_owned; ++node) {
        const std::int64_t at = node * components + motion->component;
        if (!held.absent[first_dof(d, f) + at]) // dofs that follow others are shifted with them
          values[at] += shift;
      }
    }
  }
  state = state_of_entries(d, std::move(entries));
}

} // namespace weft
