// Coarser spaces: interpolation of polynomials, prescribed dofs, and the identity of Galerkin.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Sparse>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "op/levels/nested_space.h"
#include "op/reference/matrix.h"
#include "support/eigen_matrix.h"
#include "support/levelled_problem.h"
#include "support/mixed_mesh_3d.h"

namespace weft {
namespace {

std::string mesh_text(const std::string &cell, const std::string &more, double distort = 0) {
  return fmt::format("[mesh]\nbox = {{ cells = {}, cell = \"{}\", distort = {} }}\n{}\n",
                     is_flat(cell) ? "[4, 2]" : "[4, 2, 2]", cell, distort, more);
}

std::string scalar_text(int order, const std::string &more = "") {
  return fmt::format("[fields]\nu = {{ element = \"P{}\" }}\n[weak_form]\ncells.all = "
                     "\"(1 + x)*dot(grad(u), grad(test(u))) + u*test(u)\"\n{}\n",
                     order, more);
}

// [dof]: a function of position, component and field.
template <typename Function>
std::vector<double> nodal_values(const Discretisation &d, const Function &f) {
  std::vector<double> values(d.num_owned);
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const NodeMap &map = d.map_of_field(int(field));
    const int n = d.form.fields[field].components();
    for (std::int64_t node = 0; node < map.num_local; ++node)
      for (int k = 0; k < n; ++k)
        values[d.field_offset[field] + node * n + k] =
            f(&map.coordinates[node * d.mesh->dim], k, int(field));
  }
  return values;
}

std::vector<double> prolonged(const HostMatrix &p, const std::vector<double> &coarse) {
  std::vector<double> fine(p.num_rows(), 0.0);
  for (std::int32_t row = 0; row < p.num_rows(); ++row)
    for (auto e = p.row_start[row]; e < p.row_start[row + 1]; ++e)
      fine[row] += p.values[e] * coarse[p.columns[e]];
  return fine;
}

void expect_close(const std::vector<double> &a, const std::vector<double> &b, double tolerance,
                  const std::string &what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  EXPECT_LT(largest, tolerance) << what;
}

// `f` is in both spaces: interpolated exactly, and injection gives it back.
template <typename Function>
void expect_reproduced(const NestedSpace &space, const Discretisation &fine, const Function &f,
                       const std::string &what) {
  const auto coarse_values = nodal_values(space.d, f), fine_values = nodal_values(fine, f);
  expect_close(prolonged(make_prolongation(space, fine), coarse_values), fine_values, 1e-13, what);
  expect_close(inject(space, fine, fine_values), coarse_values, 1e-14, what);
}

double affine(const double *x, int component, int field, int dim) {
  double value = 1 + component - 0.5 * field;
  for (int d = 0; d < dim; ++d)
    value += (d - 1.5 + 0.25 * component) * x[d];
  return value;
}

double multilinear(const double *x, int dim) {
  return (1 + 2 * x[0]) * (2 - x[1]) * (dim == 3 ? 1 - 3 * x[2] : 1);
}

TEST(LowerOrderSpace, ReproducesFunctionsOfOrderOne) {
  for (const std::string cell : all_cells)
    for (int order = 2; order <= highest_order(cell); ++order)
      for (const double distort : {0.0, 0.2}) {
        const DiscreteProblem problem(mesh_text(cell, "", distort) + scalar_text(order));
        const NestedSpace space = make_lower_order_space(problem.c, problem.d, 1);
        const std::string what = fmt::format("{} {} {}", cell, order, distort);
        const int dim = problem.mesh.dim;
        EXPECT_EQ(space.d.num_owned, problem.mesh.num_nodes()) << what;
        expect_reproduced(
            space, problem.d, [&](const double *x, int k, int f) { return affine(x, k, f, dim); },
            what);
        if (distort == 0 && (cell == "quadrilateral" || cell == "hexahedron"))
          expect_reproduced(
              space, problem.d, [&](const double *x, int, int) { return multilinear(x, dim); },
              what);
      }
}

TEST(LowerOrderSpace, ReproducesQuadraticsBetweenOrdersFourAndTwo) {
  for (const std::string cell : {"triangle", "quadrilateral", "tetrahedron", "hexahedron"}) {
    const DiscreteProblem problem(mesh_text(cell, "") + scalar_text(4));
    const NestedSpace space = make_lower_order_space(problem.c, problem.d, 2);
    EXPECT_EQ(space.d.form.fields[0].order, 2);
    expect_reproduced(
        space, problem.d,
        [&](const double *x, int, int) { return x[0] * x[0] - x[0] * x[1] + 3 * x[1] - 1; }, cell);
  }
}

// Gauss-Lobatto nodes are not among one another: values are evaluated, not taken.
TEST(LowerOrderSpace, ReproducesPolynomialsBetweenOrdersWhoseNodesAreNotNested) {
  const std::string conditions = "[dirichlet]\nx0 = { u = \"y^3 - y\" }\n";
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const auto &[order, lower] : {std::pair(8, 4), std::pair(7, 3), std::pair(6, 3)}) {
      const DiscreteProblem problem(mesh_text(cell, "") + scalar_text(order, conditions));
      const NestedSpace space = make_lower_order_space(problem.c, problem.d, lower);
      const auto zero_at_x0 = [](const double *x, int, int) { return x[0] * (x[0] + x[1] * x[1]); };
      const auto cubic = [&](const double *x, int, int) {
        return zero_at_x0(x, 0, 0) + x[1] * x[1] * x[1] - x[1];
      };
      const std::vector<double> values = nodal_values(space.d, cubic);
      const std::string what = fmt::format("{} {}", cell, order);
      expect_close(inject(space, problem.d, nodal_values(problem.d, cubic)), values, 1e-12, what);
      expect_close(
          prolonged(make_prolongation(space, problem.d), nodal_values(space.d, zero_at_x0)),
          nodal_values(problem.d, zero_at_x0), 1e-12, what);
      // The nodes of the side x0, and no others, are prescribed.
      const int side = 2 * lower + 1;
      const Constraints &constraints = space.d.constraints;
      EXPECT_EQ(int(constraints.dofs.size()), cell == "hexahedron" ? side * side : side) << what;
      for (std::size_t i = 0; i < constraints.dofs.size(); ++i)
        EXPECT_NEAR(constraints.values[i], values[constraints.dofs[i]], 1e-12) << what;
    }
}

TEST(LowerOrderSpace, KnowsSeveralFieldsComponentsAndCellTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_3d_text(2));
  const DiscreteProblem problem(
      "[mesh]\nfile = \"" + file +
      "\"\n[fields]\nv = { element = \"P2\", shape = \"vector\" }\np = { element "
      "= \"P1\" }\n[weak_form]\ncells.all = "
      "\"inner(grad(v), grad(test(v))) - p*div(test(v)) + div(v)*test(p)\"\n");
  const NestedSpace space = make_lower_order_space(problem.c, problem.d, 1);
  EXPECT_EQ(space.d.num_owned, 4 * problem.mesh.num_nodes());
  expect_reproduced(
      space, problem.d, [](const double *x, int k, int f) { return affine(x, k, f, 3); }, "mixed");
}

TEST(CoarserSpace, ReproducesFunctionsOfOrderOneOnRefinedMeshes) {
  for (const std::string cell : all_cells)
    for (const double distort : {0.0, 0.2}) {
      const LevelledProblem problem(mesh_text(cell, "refine = 1", distort) + scalar_text(1));
      const NestedSpace space = make_coarser_space(problem.c, problem.d, problem.coarser.at(0));
      const int dim = problem.mesh.dim;
      EXPECT_EQ(space.d.num_owned, problem.coarser[0].mesh.num_nodes());
      expect_reproduced(
          space, problem.d, [&](const double *x, int k, int f) { return affine(x, k, f, dim); },
          cell);
      if (distort == 0 && (cell == "quadrilateral" || cell == "hexahedron"))
        expect_reproduced(
            space, problem.d, [&](const double *x, int, int) { return multilinear(x, dim); }, cell);
    }
}

TEST(CoarserSpace, ReproducesFunctionsOfOrderOneOnCoarserBoxes) {
  for (const std::string cell : all_cells) {
    const LevelledProblem problem(mesh_text(cell, "") + scalar_text(1));
    ASSERT_EQ(problem.coarser.size(), 1u); // 4 x 2 cells, 2 x 1 cells
    const NestedSpace space = make_coarser_space(problem.c, problem.d, problem.coarser[0]);
    const int dim = problem.mesh.dim;
    expect_reproduced(
        space, problem.d, [&](const double *x, int k, int f) { return affine(x, k, f, dim); },
        cell);
    if (cell == "quadrilateral" || cell == "hexahedron")
      expect_reproduced(
          space, problem.d, [&](const double *x, int, int) { return multilinear(x, dim); }, cell);
  }
}

TEST(CoarserSpace, PeriodicNodesAreOne) {
  const LevelledProblem problem(
      "[mesh]\nbox = { cells = [6, 6], cell = \"triangle\", periodic = [\"x\"] }\n" +
      scalar_text(1));
  const NestedSpace space = make_coarser_space(problem.c, problem.d, problem.coarser.at(0));
  EXPECT_EQ(space.d.num_owned, 3 * 4);
  expect_reproduced(
      space, problem.d, [](const double *x, int, int) { return 2 - x[1]; }, "periodic");
  // Rows add to one, also where both parents are made one.
  const auto ones =
      prolonged(make_prolongation(space, problem.d), std::vector<double>(space.d.num_owned, 1.0));
  expect_close(ones, std::vector<double>(problem.d.num_owned, 1.0), 1e-15, "periodic");
}

// Every node of the fine space is one of the divided cells, in its place.
TEST(LowOrderSpace, HasTheNodesOfTheFineOne) {
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const int order : {2, 3, 5, 8}) {
      const DiscreteProblem problem(mesh_text(cell, "order = 2", 0.2) + scalar_text(order));
      const NestedSpace space = make_low_order_space(problem.c, problem.d);
      const std::string what = fmt::format("{} {}", cell, order);
      const int dim = problem.mesh.dim;
      EXPECT_EQ(space.d.num_owned, problem.d.num_owned) << what;
      EXPECT_EQ(space.mesh->num_cells(),
                problem.mesh.num_cells() * std::lround(std::pow(order, dim)));
      EXPECT_EQ(std::int64_t(make_prolongation(space, problem.d).values.size()),
                problem.d.num_owned)
          << what;
      expect_reproduced(
          space, problem.d,
          [&](const double *x, int, int) { return std::sin(3 * x[0]) + x[dim - 1] * x[1]; }, what);
    }
}

// The parts fill the cells, keep their orientation, and lie on their sides.
TEST(LowOrderSpace, PartsFillTheCellsAndTheirSides) {
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const std::string element : {"P2", "P5"}) {
      const DiscreteProblem problem(
          mesh_text(cell, "", 0.2) + "[fields]\nu = { element = \"" + element +
          "\" }\n[weak_form]\ncells.all = \"u*test(u)\"\nfacets.x1 = \"3*u*test(u)\"\n"
          "facets.y0 = \"x*u*test(u)\"\n");
      const NestedSpace space = make_low_order_space(problem.c, problem.d);
      // The sum of all entries: the volume, 3 times the side x1 and the integral of x over y0.
      const std::vector<double> ones(space.d.num_owned, 1.0);
      const HostMatrix matrix = reference::matrix(space.d, ones);
      const double sum = std::accumulate(matrix.values.begin(), matrix.values.end(), 0.0);
      EXPECT_NEAR(sum, 1 + 3 + 0.5, 1e-12) << cell << element;
      EXPECT_EQ(space.mesh->num_boundary_facets,
                problem.mesh.num_boundary_facets *
                    std::lround(std::pow(problem.d.form.fields[0].order, problem.mesh.dim - 1)));
    }
}

TEST(LowOrderSpace, PeriodicNodesAreOneAndConditionsAreThoseOfTheFineSpace) {
  const DiscreteProblem problem(
      "[mesh]\nbox = { cells = [4, 3], cell = \"quadrilateral\", periodic = [\"x\"] }\n" +
      scalar_text(3, "[dirichlet]\ny0 = { u = \"sin(2*pi*x)\" }\n"));
  const NestedSpace space = make_low_order_space(problem.c, problem.d);
  EXPECT_EQ(space.d.num_owned, 12 * 10);
  EXPECT_EQ(space.d.num_owned, problem.d.num_owned);
  const Constraints &constraints = space.d.constraints;
  ASSERT_EQ(constraints.dofs.size(), 12u);
  for (std::size_t i = 0; i < constraints.dofs.size(); ++i) {
    const double *x = &space.d.maps[0].coordinates[2 * std::int64_t(constraints.dofs[i])];
    EXPECT_EQ(x[1], 0);
    EXPECT_NEAR(constraints.values[i], std::sin(2 * std::acos(-1.0) * x[0]), 1e-14);
  }
}

TEST(LowOrderSpace, OtherCellsAndOrdersAreRefused) {
  const std::string two_orders =
      "[fields]\nv = { element = \"P2\", shape = \"vector\" }\np = { element = \"P1\" }\n"
      "[weak_form]\ncells.all = \"inner(grad(v), grad(test(v))) + p*test(p)\"\n";
  for (const auto &[text, found] :
       {std::pair(mesh_text("triangle", "") + scalar_text(2), "cells of type triangle"),
        std::pair(mesh_text("quadrilateral", "") + scalar_text(1), "P1"),
        std::pair(mesh_text("quadrilateral", "") + two_orders, "several orders")}) {
    const DiscreteProblem problem(text);
    try {
      make_low_order_space(problem.c, problem.d);
      FAIL() << "no error: " << found;
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_NE(std::string(error.what()).find(found), std::string::npos) << error.what();
    }
  }
}

TEST(NestedSpace, PrescribedDofsTakeNoPart) {
  const std::string conditions = "[dirichlet]\nx0 = { u = \"y + 2\" }\ny1 = { u = 3 }\n";
  const LevelledProblem high(mesh_text("triangle", "") + scalar_text(3, conditions));
  const LevelledProblem low(mesh_text("triangle", "") + scalar_text(1, conditions));
  std::vector<NestedSpace> spaces;
  spaces.push_back(make_lower_order_space(high.c, high.d, 1));
  spaces.push_back(make_coarser_space(low.c, low.d, low.coarser.at(0)));
  const Discretisation *fine[] = {&high.d, &low.d};
  for (int i = 0; i < 2; ++i) {
    const HostMatrix p = make_prolongation(spaces[i], *fine[i]);
    std::vector<bool> fine_prescribed(fine[i]->num_owned), coarse_prescribed(spaces[i].d.num_owned);
    for (const auto dof : fine[i]->constraints.dofs)
      fine_prescribed[dof] = true;
    const Constraints &constraints = spaces[i].d.constraints;
    for (std::size_t k = 0; k < constraints.dofs.size(); ++k) {
      coarse_prescribed[constraints.dofs[k]] = true;
      const double *x = &spaces[i].d.maps[0].coordinates[2 * std::int64_t(constraints.dofs[k])];
      EXPECT_EQ(constraints.values[k], x[1] == 1 ? 3 : x[1] + 2);
    }
    EXPECT_EQ(constraints.dofs.size(), i == 0 ? 7u : 4u); // on 2 + 4 and on 1 + 2 edges
    for (std::int32_t row = 0; row < p.num_rows(); ++row) {
      for (auto e = p.row_start[row]; e < p.row_start[row + 1]; ++e) {
        EXPECT_FALSE(fine_prescribed[row]);
        EXPECT_FALSE(coarse_prescribed[p.columns[e]]);
      }
    }
  }
}

TEST(NestedSpace, DiscontinuousFieldsAreRefused) {
  const std::string text = mesh_text("triangle", "") +
                           "[fields]\nu = { element = \"DG1\" }\n[conservation_law]\nflux.u = "
                           "\"[u, 0]\"\n[boundary.all]\nouter = { u = 0 }\n[time]\nend = 1\ncfl = "
                           "0.5\n";
  const DiscreteProblem problem(text);
  try {
    make_lower_order_space(problem.c, problem.d, 1);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("discontinuous"), std::string::npos) << error.what();
  }
}

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

Matrix assembled(const Discretisation &d) {
  return test::to_eigen(reference::matrix(d, std::vector<double>(d.num_owned, 0.0)), d.num_owned);
}

// The coarse operator is P^T A P, but for prescribed rows, which are those of the identity.
void expect_galerkin(const Discretisation &fine, const NestedSpace &space,
                     const std::string &what) {
  const Matrix p = test::to_eigen(make_prolongation(space, fine), space.d.num_owned);
  Matrix difference = Matrix(p.transpose() * assembled(fine) * p) - assembled(space.d);
  for (const auto dof : space.d.constraints.dofs)
    difference.coeffRef(dof, dof) += 1;
  EXPECT_LT(Eigen::MatrixXd(difference).cwiseAbs().maxCoeff(), 1e-12) << what;
}

TEST(NestedSpace, OperatorsAreThoseOfGalerkinOnAffineCells) {
  const std::string conditions = "[dirichlet]\nx0 = { u = 1 }\n";
  const int degree = 5; // exact for all orders below
  for (const std::string cell :
       {"triangle", "tetrahedron", "quadrilateral", "prism", "hexahedron"}) {
    const LevelledProblem high(mesh_text(cell, "") + scalar_text(2, conditions), degree);
    expect_galerkin(high.d, make_lower_order_space(high.c, high.d, 1, degree), cell + " orders");
    const LevelledProblem box(mesh_text(cell, "") + scalar_text(1, conditions), degree);
    expect_galerkin(box.d, make_coarser_space(box.c, box.d, box.coarser.at(0), degree),
                    cell + " box");
    const LevelledProblem refined(mesh_text(cell, "refine = 1") + scalar_text(1, conditions),
                                  degree);
    expect_galerkin(refined.d,
                    make_coarser_space(refined.c, refined.d, refined.coarser.at(0), degree),
                    cell + " refined");
  }
}

} // namespace
} // namespace weft
