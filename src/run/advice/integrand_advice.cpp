#include "run/advice/integrand_advice.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include <Eigen/Eigenvalues>

#include "mesh/position.h"
#include "op/set_up/sampled_integrand.h"

namespace weft {

namespace {

// A component of a field in the matrices of samples.
struct Component {
  const FieldSpec *field = nullptr;
  Eigen::Index value = 0, gradient = 0; // its value, and the first of its derivatives
};

std::vector<Component> components_of(const Form &form) {
  std::vector<Component> components;
  const std::vector<IntegrandBlock> blocks = integrand_blocks(form);
  for (std::size_t f = 0; f < blocks.size(); ++f)
    for (int k = 0; k < form.fields[f].components(); ++k)
      components.push_back(
          {&form.fields[f], blocks[f].value + k, blocks[f].gradient + k * form.dim});
  return components;
}

bool is_continuous(const FieldSpec &field) {
  return !field.discontinuous && field.order > 0;
}

// How far a cell reaches along a unit vector.
double extent_along(const Discretisation &d, const SampledCell &at,
                    const Eigen::VectorXd &direction) {
  const CellSet &set = d.mesh->sets[at.set];
  double least = INFINITY, most = -INFINITY;
  for (int v = 0; v < num_vertices(set.type); ++v) {
    const Position x =
        position_of(*d.mesh, set.nodes[std::int64_t(at.cell) * set.nodes_per_cell + v]);
    double along = 0;
    for (int i = 0; i < d.mesh->dim; ++i)
      along += x[i] * direction[i];
    least = std::min(least, along);
    most = std::max(most, along);
  }
  return most - least;
}

// Lame's lambda over mu, by what the gradients' block answers to a change of volume and to shear; 0
// where it has no shear.
double volume_over_shear(const Eigen::MatrixXd &c, int dim) {
  double volume = 0;
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      volume += c(i * dim + i, j * dim + j) / (dim * dim);
  const Eigen::Index a = 1, b = dim; // du_0/dx_1 and du_1/dx_0
  const double mu = (c(a, a) + c(a, b) + c(b, a) + c(b, b)) / 4;
  return mu > 0 ? (volume - 2 * mu / dim) / mu : 0;
}

// |convection| times the cell over twice the diffusion along it; 0 where that is as small as it
// should be or a term has made it stable: diffusion along streamlines that there is not across.
// See Brooks and Hughes, doi 10.1016/0045-7825(82)90071-8.
double cell_peclet(const Discretisation &d, const SampledCell &at, const Eigen::MatrixXd &matrix,
                   const Component &component) {
  constexpr double of_streamlines = 1.25; // from that share on the diffusion is one along them
  const int dim = d.form.dim;
  const Eigen::VectorXd convection =
      matrix.row(component.value).segment(component.gradient, dim).transpose() -
      matrix.col(component.value).segment(component.gradient, dim);
  const double speed = convection.norm();
  if (!(speed > 0) || !std::isfinite(speed))
    return 0;
  const Eigen::VectorXd direction = convection / speed;
  const Eigen::MatrixXd block = matrix.block(component.gradient, component.gradient, dim, dim);
  const double along = direction.dot(block * direction);
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                           0.5 * (block + block.transpose()), Eigen::EigenvaluesOnly)
                           .eigenvalues()
                           .minCoeff();
  if (!(along > 0))
    return along == 0 ? INFINITY : 0;
  const double peclet =
      speed * extent_along(d, at, direction) / (2 * along * component.field->order);
  const bool stable = along > of_streamlines * least;
  return peclet > (stable ? 2 : 1) ? peclet : 0;
}

// The length over which solutions of -div(g grad u) + v u = 0 decay; 0 where they do not.
double layer_length(const Eigen::MatrixXd &matrix, const Component &row, const Component &column,
                    int dim) {
  const double diffusion = matrix.block(row.gradient, column.gradient, dim, dim).trace() / dim;
  const double reaction = matrix(row.value, column.value);
  const double square = diffusion / reaction;
  return square > 0 && std::isfinite(square) ? std::sqrt(square) : 0;
}

// Terms between two cells may make convection stable.
bool has_interior(const Form &form) {
  return std::any_of(
      form.integrals.begin(), form.integrals.end(),
      [](const FormIntegral &integral) { return integral.domain == Domain::interior; });
}

struct Samples {
  const Discretisation &d;
  std::vector<SampledCell> cells;
  std::vector<Eigen::MatrixXd> matrices; // parallel
  // All: the largest of what `measure` gives.
  double largest_of(
      const std::function<double(const SampledCell &, const Eigen::MatrixXd &)> &measure) const {
    double most = 0;
    for (std::size_t i = 0; i < matrices.size(); ++i)
      if (matrices[i].allFinite())
        most = std::max(most, measure(cells[i], matrices[i]));
    return largest(d.ranks, most);
  }
};

std::string place_of(const Case &c, const FieldSpec &field) {
  return field.place.empty() ? place_in(c, "[fields] " + field.name) : field.place;
}

void remark_on_locking(const Case &c, const Samples &samples, std::vector<std::string> &remarks) {
  constexpr double stiff = 49; // a Poisson ratio of 0.49
  const Form &form = samples.d.form;
  const std::vector<IntegrandBlock> blocks = integrand_blocks(form);
  for (std::size_t f = 0; f < form.fields.size(); ++f) {
    const FieldSpec &field = form.fields[f];
    if (field.components() != form.dim || field.order != 1 || !is_continuous(field))
      continue;
    const double ratio =
        samples.largest_of([&](const SampledCell &, const Eigen::MatrixXd &matrix) {
          const int size = form.dim * form.dim;
          return volume_over_shear(matrix.block(blocks[f].gradient, blocks[f].gradient, size, size),
                                   form.dim);
        });
    if (ratio >= stiff * (1 - 1e-9))
      remarks.push_back(fmt::format(
          "{}: the material hardly changes its volume (lambda is {:.3g} times mu, as with a "
          "Poisson "
          "ratio of {:.4g}): elements of order 1 lock, and move too little; element = \"P2\" does "
          "far better, as does a pressure that is a field of its own",
          place_of(c, field), ratio, ratio / (2 * (ratio + 1))));
  }
}

void remark_on_convection(const Case &c, const Samples &samples,
                          std::vector<std::string> &remarks) {
  const Form &form = samples.d.form;
  if (has_interior(form))
    return;
  const std::vector<Component> components = components_of(form);
  for (const FieldSpec &field : form.fields) {
    if (!is_continuous(field))
      continue;
    const double peclet =
        samples.largest_of([&](const SampledCell &at, const Eigen::MatrixXd &matrix) {
          double most = 0;
          for (const Component &component : components)
            if (component.field == &field)
              most = std::max(most, cell_peclet(samples.d, at, matrix, component));
          return most;
        });
    if (peclet > 0)
      remarks.push_back(fmt::format(
          "{}: convection outweighs diffusion in cells ({}): where the solution is steep it will "
          "oscillate from node to node; make the mesh finer there, or add a term along the "
          "streamlines such as tau*inner(b, grad(u))*inner(b, grad(test(u))), with tau about "
          "h/(2*|b|)",
          place_of(c, field),
          std::isinf(peclet) ? "there is no diffusion"
                             : fmt::format("cell Peclet number up to {:.3g}", peclet)));
  }
}

void remark_on_layers(const Case &c, const Samples &samples, std::vector<std::string> &remarks) {
  constexpr double cells_a_length = 0.5; // fewer show nothing of a layer
  const Form &form = samples.d.form;
  const std::vector<Component> components = components_of(form);
  for (const FieldSpec &field : form.fields) {
    if (!is_continuous(field) || !field.shape.empty())
      continue;
    const Component &column =
        *std::find_if(components.begin(), components.end(),
                      [&](const Component &component) { return component.field == &field; });
    // The cell over the length, and the length where that is largest.
    double length = INFINITY;
    const double ratio =
        samples.largest_of([&](const SampledCell &at, const Eigen::MatrixXd &matrix) {
          double most = 0;
          for (const Component &row : components)
            if (const double found = layer_length(matrix, row, column, form.dim); found > 0) {
              most = std::max(most, cell_size(samples.d, at.set, at.cell) / (found * field.order));
              length = std::min(length, found);
            }
          return most;
        });
    length = smallest(samples.d.ranks, length);
    if (ratio > 1 / cells_a_length)
      remarks.push_back(fmt::format(
          "{}: the equations make layers in which it changes over a length of {:.3g}, where cells "
          "are up to {:.3g} times as large (by their order): such layers and interfaces are not "
          "resolved; make the mesh finer where they are",
          place_of(c, field), length, ratio));
  }
}

} // namespace

std::vector<std::string> integrand_advice(const Case &c, const Discretisation &d,
                                          const std::vector<double> &state) {
  const Samples samples{d, sampled_cells(d), sampled_integrand(d, state, 0)};
  std::vector<std::string> remarks;
  if (!cell_integrand(d.form)) // on all ranks
    return remarks;
  remark_on_locking(c, samples, remarks);
  remark_on_convection(c, samples, remarks);
  remark_on_layers(c, samples, remarks);
  return remarks;
}

} // namespace weft
