// Hierarchies of matrices whose rows ranks share: what all ranks have, put together, against the
// product that defines it.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <mutex>

#include <Eigen/SparseCore>

#include "op/reference/matrix.h"
#include "op/set_up/make_near_null_space.h"
#include "ranks/thread_ranks.h"
#include "solve/aggregation/smoothed_aggregation.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

using Whole = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Entries = std::vector<Eigen::Triplet<double>>;

// The rows of one rank of a matrix of all.
struct Part {
  HostMatrix matrix;
  std::int64_t first = 0;
  std::vector<std::int64_t> ghosts;
};

// Rows [first, end), columns in the order of own rows, then of the numbers of others; whole nodes.
Part part_of(const HostMatrix &m, std::int64_t first, std::int64_t end, int components) {
  Part part = {.matrix = {.row_start = {0}}, .first = first};
  const auto is_own = [&](std::int64_t column) { return column >= first && column < end; };
  for (std::int64_t e = m.row_start[first]; e < m.row_start[end]; ++e)
    if (!is_own(m.columns[e]))
      for (int k = 0; k < components; ++k)
        part.ghosts.push_back(m.columns[e] / components * components + k);
  std::sort(part.ghosts.begin(), part.ghosts.end());
  part.ghosts.erase(std::unique(part.ghosts.begin(), part.ghosts.end()), part.ghosts.end());
  const auto place = [&](std::int64_t column) {
    const auto found = std::lower_bound(part.ghosts.begin(), part.ghosts.end(), column);
    return is_own(column) ? column - first : end - first + (found - part.ghosts.begin());
  };
  for (std::int64_t row = first; row < end; ++row) {
    std::vector<std::pair<std::int64_t, double>> entries;
    for (std::int32_t e = m.row_start[row]; e < m.row_start[row + 1]; ++e)
      entries.emplace_back(place(m.columns[e]), m.values[e]);
    std::sort(entries.begin(), entries.end());
    for (const auto &[column, value] : entries) {
      part.matrix.columns.push_back(static_cast<std::int32_t>(column));
      part.matrix.values.push_back(value);
    }
    part.matrix.row_start.push_back(static_cast<std::int32_t>(part.matrix.columns.size()));
  }
  return part;
}

CsrPattern pattern_of_part(const HostMatrix &m) {
  return {.num_rows = m.num_rows(),
          .row_start = {m.row_start.begin(), m.row_start.end()},
          .columns = std::vector<std::int32_t>(m.columns)};
}

struct WholeLevel {
  std::int64_t size = 0;
  bool is_shared = false;
  Entries matrix, prolongation, restriction;
};

// What all ranks have of a hierarchy.
std::vector<WholeLevel> make_whole(const HostMatrix &m, const NearNullSpace &space, int size,
                                   const AggregationSettings &settings) {
  std::vector<WholeLevel> whole;
  std::mutex mutex;
  run_thread_ranks(size, [&](Communicator &ranks) {
    const int components = space.components;
    const std::int64_t nodes = m.num_rows() / components;
    // Unequal shares, the last one small.
    const auto first_of = [&](int rank) {
      return rank == size ? nodes * components : nodes * rank * 4 / (4 * size - 1) * components;
    };
    const std::int64_t first = first_of(ranks.rank()), end = first_of(ranks.rank() + 1);
    const Part part = part_of(m, first, end, components);
    NearNullSpace own = space;
    if (space.num_vectors > 0)
      own.values.assign(space.values.begin() + first * space.num_vectors,
                        space.values.begin() + end * space.num_vectors);
    if (!space.functions.empty())
      own.functions.assign(space.functions.begin() + first, space.functions.begin() + end);
    Hierarchy h;
    make_aggregation_hierarchy(
        pattern_of_part(part.matrix), part.matrix.values, own, settings, h, {},
        std::make_shared<SharedRows>(share_rows(ranks, end - first, part.ghosts)));
    // Of a level that every rank has, each restricts to a part.
    std::int64_t first_gathered = 0;
    for (std::size_t l = 0; l + 1 < h.levels.size(); ++l)
      if (h.levels[l].rows && !h.levels[l + 1].rows)
        first_gathered = share_rows(ranks, h.levels[l].prolongation.transposed.num_rows(), {})
                             .first[ranks.rank()];
    const std::lock_guard lock(mutex);
    whole.resize(h.levels.size());
    for (std::size_t l = 0; l < h.levels.size(); ++l) {
      const HierarchyLevel &level = h.levels[l];
      const auto number = [&](std::size_t of, std::int64_t place) {
        return h.levels[of].rows ? h.levels[of].rows->number(place) : place;
      };
      const bool counts = level.rows || ranks.rank() == 0; // others repeat it
      const HostMatrix &a = l == 0 ? part.matrix : level.matrix;
      whole[l].size = level.rows ? level.rows->num_all() : a.num_rows();
      whole[l].is_shared = level.rows != nullptr;
      const auto add = [&](const HostMatrix &rows, Entries &to, const auto &row_number,
                           const auto &column_number) {
        for (std::int32_t row = 0; counts && row < rows.num_rows(); ++row)
          for (std::int32_t e = rows.row_start[row]; e < rows.row_start[row + 1]; ++e)
            to.emplace_back(row_number(row), column_number(rows.columns[e]), rows.values[e]);
      };
      const auto here = [&](std::int64_t place) { return number(l, place); };
      add(a, whole[l].matrix, here, here);
      if (l + 1 == h.levels.size())
        continue;
      const auto below = [&](std::int64_t place) { return number(l + 1, place); };
      add(level.prolongation.entries, whole[l].prolongation, here, below);
      add(
          level.prolongation.transposed, whole[l].restriction,
          [&](std::int64_t row) {
            return level.rows && !h.levels[l + 1].rows ? first_gathered + row : below(row);
          },
          here);
    }
  });
  return whole;
}

Whole matrix_of(const Entries &entries, std::int64_t rows, std::int64_t columns) {
  Whole m(rows, columns);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

double norm_of(const Whole &m) {
  return m.norm();
}

// Levels of all ranks together are a Galerkin hierarchy of the matrix, of about as many unknowns as
// that of one rank.
void expect_galerkin_on_ranks(const HostMatrix &m, const NearNullSpace &space, int size,
                              const AggregationSettings &settings, std::size_t shared_levels) {
  SCOPED_TRACE(size);
  const std::vector<WholeLevel> levels = make_whole(m, space, size, settings);
  ASSERT_GE(levels.size(), 2u);
  const auto num_shared = std::count_if(levels.begin(), levels.end(),
                                        [](const WholeLevel &level) { return level.is_shared; });
  EXPECT_GE(std::size_t(num_shared), shared_levels);
  EXPECT_FALSE(levels.back().is_shared);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    SCOPED_TRACE(l);
    const std::int64_t fine = levels[l].size, coarse = levels[l + 1].size;
    const Whole a = matrix_of(levels[l].matrix, fine, fine);
    const Whole p = matrix_of(levels[l].prolongation, fine, coarse);
    const Whole r = matrix_of(levels[l].restriction, coarse, fine);
    const Whole below = matrix_of(levels[l + 1].matrix, coarse, coarse);
    EXPECT_EQ(norm_of(r - Whole(p.transpose())), 0);
    Whole product = Whole(p.transpose()) * (a * p);
    // Columns of no vector have ones on the diagonal.
    for (std::int64_t k = 0; k < coarse; ++k)
      if (Eigen::SparseVector<double>(r.row(k)).norm() == 0)
        product.coeffRef(k, k) = 1;
    EXPECT_LT(norm_of(product - below), 1e-13 * norm_of(below));
  }
}

std::string skewed_box(const std::string &cells, const std::string &cell) {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"" + cell + "\", distort = 0.2 }\n";
}

HostMatrix whole_matrix(const DiscreteProblem &p) {
  return reference::matrix(p.d, std::vector<double>(p.d.num_owned, 0.));
}

TEST(HierarchyOnRanks, PoissonIsAGalerkinHierarchy) {
  const DiscreteProblem p(skewed_box("[9, 9, 9]", "tetrahedron") +
                          "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                          "cells.all = \"dot(grad(u), grad(test(u)))\"\n"
                          "[dirichlet]\nx0 = { u = 0 }\n");
  const HostMatrix m = whole_matrix(p);
  for (const int size : {2, 3, 5}) {
    expect_galerkin_on_ranks(m, {}, size, {.coarsest_size = 20, .gathered_size = 0}, 2);
    expect_galerkin_on_ranks(m, {}, size, {.coarsest_size = 20, .gathered_size = 400}, 1);
  }
}

// Rigid body modes: six vectors of nodes of three unknowns, where few nodes have linearly dependent
// ones.
TEST(HierarchyOnRanks, ElasticityIsAGalerkinHierarchy) {
  const DiscreteProblem p(skewed_box("[6, 5, 4]", "hexahedron") +
                          "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n[weak_form]\n"
                          "cells.all = \"inner(sym(grad(u)), sym(grad(test(u)))) + "
                          "tr(grad(u))*tr(grad(test(u)))\"\n[dirichlet]\nx0 = { u = [0, 0, 0] }\n");
  const HostMatrix m = whole_matrix(p);
  const NearNullSpace space = make_near_null_space(p.d, true);
  ASSERT_EQ(space.num_vectors, 6);
  for (const int size : {2, 3, 5}) {
    expect_galerkin_on_ranks(m, space, size, {.coarsest_size = 12, .gathered_size = 0}, 2);
    expect_galerkin_on_ranks(m, make_near_null_space(p.d, false), size,
                             {.coarsest_size = 12, .gathered_size = 100}, 1);
  }
}

TEST(HierarchyOnRanks, ARankWithoutRowsTakesPart) {
  const DiscreteProblem p(skewed_box("[2, 2]", "triangle") +
                          "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                          "cells.all = \"dot(grad(u), grad(test(u))) + u*test(u)\"\n");
  expect_galerkin_on_ranks(whole_matrix(p), {}, 8, {.coarsest_size = 3, .gathered_size = 0}, 1);
}

} // namespace
} // namespace weft
