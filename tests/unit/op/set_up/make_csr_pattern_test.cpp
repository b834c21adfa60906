// Patterns of assembled matrices against sets of pairs of dofs, cell by cell.
#include "linalg/csr_pattern.h"

#include <gtest/gtest.h>
#include <set>

#include "base/parallel.h"
#include "op/problem/discretisation.h"
#include "op/set_up/make_csr_pattern.h"
#include "support/discrete_problem.h"
#include "support/mixed_mesh.h"

namespace weft {
namespace {

// Dofs of a cell, of all fields.
std::vector<std::int32_t> dofs_of(const Discretisation &d, std::size_t set, std::int64_t cell) {
  std::vector<std::int32_t> dofs;
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const NodeMapSet &nodes = d.map_of_field(static_cast<int>(field)).sets[set];
    const int components = d.form.fields[field].components();
    const int n = nodes.element.num_nodes();
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < components; ++k)
        dofs.push_back(static_cast<std::int32_t>(
            d.field_offset[field] + std::int64_t{nodes.nodes[cell * n + i]} * components + k));
  }
  return dofs;
}

void expect_pattern(const Discretisation &d) {
  std::vector<std::set<std::int32_t>> rows(d.num_owned);
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s)
    for (std::int64_t c = 0; c < d.mesh->sets[s].num_cells(); ++c) {
      const std::vector<std::int32_t> dofs = dofs_of(d, s, c);
      for (const std::int32_t row : dofs)
        rows[row].insert(dofs.begin(), dofs.end());
    }
  const CsrPattern pattern = make_csr_pattern(d);
  ASSERT_EQ(pattern.num_rows, d.num_owned);
  ASSERT_EQ(static_cast<std::int64_t>(pattern.row_start.size()), d.num_owned + 1);
  for (std::int64_t row = 0; row < d.num_owned; ++row) {
    const std::vector<std::int32_t> columns(pattern.columns.begin() + pattern.row_start[row],
                                            pattern.columns.begin() + pattern.row_start[row + 1]);
    ASSERT_EQ(columns, std::vector<std::int32_t>(rows[row].begin(), rows[row].end())) << row;
  }
  EXPECT_EQ(pattern.columns[pattern.place(d.num_owned - 1, *rows.back().begin())],
            *rows.back().begin());
}

std::string scalar_text(const std::string &element) {
  return "[fields]\nu = { element = \"" + element +
         "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u))) - test(u)\"\n";
}

TEST(CsrPattern, ScalarFieldsOnEveryCell) {
  for (const std::string cell : all_cells)
    for (const char *element : {"P1", "P2"}) {
      SCOPED_TRACE(cell + " " + element);
      expect_pattern(DiscreteProblem(box_text(cell) + scalar_text(element)).d);
    }
}

TEST(CsrPattern, SeveralFieldsOfSeveralComponents) {
  expect_pattern(
      DiscreteProblem(box_text("tetrahedron") +
                      "[fields]\nu = { element = \"P2\", shape = \"vector\" }\np = { element = "
                      "\"P1\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u))) - "
                      "p*div(test(u)) + div(u)*test(p)\"\n")
          .d);
}

TEST(CsrPattern, CellsOfTwoTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  expect_pattern(DiscreteProblem("[mesh]\nfile = \"" + file + "\"\n" + scalar_text("P2")).d);
}

TEST(CsrPattern, CellsThatMeetThemselvesAcrossPeriodicSides) {
  expect_pattern(
      DiscreteProblem("[mesh]\nbox = { cells = [1, 2, 4], cell = \"tetrahedron\", periodic = "
                      "[\"x\", \"y\"] }\n" +
                      scalar_text("P1"))
          .d);
}

TEST(CsrPattern, TheSameOnAnyNumberOfThreads) {
  const DiscreteProblem problem(box_text("tetrahedron", 1, 0.2, "[18, 17, 16]") +
                                scalar_text("P1"));
  set_host_threads(1);
  const CsrPattern one = make_csr_pattern(problem.d);
  set_host_threads(3);
  const CsrPattern three = make_csr_pattern(problem.d);
  set_host_threads(0);
  EXPECT_EQ(one.row_start, three.row_start);
  EXPECT_EQ(one.columns, three.columns);
}

} // namespace
} // namespace weft
