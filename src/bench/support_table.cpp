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

} // namespace

std::string support_table_markdown() {
  // tests/device runs every cell type under OpenCL, cuda_kernels_test.cpp compiles every one.
  std::string text =
      "| cells | Lagrange elements | geometry | block and cell kernels | transposed | "
      "OpenCL on CPUs | CUDA |\n|---|---|---|---|---|---|---|\n";
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
                              CellType::prism, CellType::pyramid, CellType::hexahedron}) {
    std::string elements, geometry, transposed;
    const auto append = [](std::string &list, const std::string &entry) {
      list += (list.empty() ? "" : ", ") + entry;
    };
    for (int order = 1; order <= 4; ++order) {
      if (!has_element(cell, order))
        continue;
      const std::string name = "P" + std::to_string(order);
      append(elements, name);
      if (order <= 2)
        append(geometry, std::to_string(order));
      if (has_transposed(cell, order))
        append(transposed, name);
    }
    text += fmt::format("| {} | {} | order {} | all | {} | run | compiled |\n", to_string(cell),
                        elements, geometry, transposed);
  }
  return text;
}

} // namespace weft
