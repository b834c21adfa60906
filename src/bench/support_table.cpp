#include "bench/support_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "kernel/cell/integral_kernel.h"
#include "space/element.h"

namespace weft {

namespace {

bool has_element(CellType cell, int order) {
  try {
    make_element(cell, order);
    return true;
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported)
      throw;
    return false;
  }
}

// The Poisson integral of an element, as a kernel would be asked to compute it.
CellIntegral poisson(CellType cell, int order) {
  CellIntegral in;
  in.form_name = "poisson";
  in.dim = dimension(cell);
  in.cell = cell;
  in.lanes = 1;
  in.families = {{make_element(cell, 1)}, {make_element(cell, order)}};
  in.inputs = {{NodalInput::Kind::coordinates, 0, in.dim, 0}, {NodalInput::Kind::field, 0, 1, 1}};
  in.tests = {{1, 1}};
  in.quadrature = make_quadrature(cell, 2 * order);
  Graph graph;
  std::vector<NodeId> outputs = {graph.constant(0)};
  for (int d = 0; d < in.dim; ++d)
    outputs.push_back(graph.symbol({.kind = SymbolKind::field_gradient, .direction = d}));
  in.function = extract(graph, outputs);
  return in;
}

// A work-group of thread transposition that every device allows.
bool has_transposed(CellType cell, int order) {
  constexpr int smallest_limit = 1024;
  return transposed_sizes(poisson(cell, order), {.num_blocks = 1}).threads <= smallest_limit;
}

// "P1, P2", "P1 to P4", from 1 on.
std::string names_of(int orders) {
  return orders == 1 ? "P1" : fmt::format("P1{} P{}", orders == 2 ? "," : " to", orders);
}

// The highest order up to which all are `possible`, of those that the cell has elements of.
template <typename F> int highest_order(CellType cell, F possible) {
  int order = 0;
  while (has_element(cell, order + 1) && possible(order + 1))
    ++order;
  return order;
}

} // namespace

std::string support_table_markdown() {
  // tests/device runs every cell type under OpenCL, cuda_kernels_test.cpp compiles every one.
  std::string text =
      "| cells | Lagrange elements | geometry | block and cell kernels | transposed | "
      "OpenCL on CPUs | CUDA |\n|---|---|---|---|---|---|---|\n";
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
                              CellType::prism, CellType::pyramid, CellType::hexahedron}) {
    const int elements = highest_order(cell, [](int) { return true; });
    const int transposed =
        highest_order(cell, [=](int order) { return has_transposed(cell, order); });
    text += fmt::format("| {} | {} | order 1, 2 | all | {} | run | compiled |\n", to_string(cell),
                        names_of(elements), names_of(transposed));
  }
  return text;
}

} // namespace weft
