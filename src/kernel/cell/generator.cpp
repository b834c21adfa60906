#include "kernel/cell/generator.h"

#include "base/embedded.h"
#include "base/hash.h"
#include "form/graph/graph.h"
#include "kernel/cell/integral_kernel.h"

namespace weft {

namespace {

// f0 = (1 + u)^2, f1 = sqrt(1 + u) grad u, with an auxiliary field and a table in it.
CellIntegral fixed_integral(CellType cell, int order, GeometrySource geometry) {
  CellIntegral in;
  in.dim = dimension(cell);
  in.cell = cell;
  in.lanes = 4;
  in.geometry = geometry;
  in.families = {{make_element(cell, 1)}, {make_element(cell, order)}};
  in.inputs = {{NodalInput::Kind::coordinates, 0, in.dim, 0},
               {NodalInput::Kind::field, 0, 1, 1},
               {NodalInput::Kind::auxiliary, 0, 1, 1}};
  in.tests = {{1, 1}};
  in.quadrature = make_quadrature(cell, order);
  in.cell_table = {std::nullopt};
  Graph graph;
  const NodeId u = graph.symbol({.kind = SymbolKind::field});
  const NodeId one = graph.add(graph.constant(1), u);
  const NodeId a = graph.add(graph.symbol({.kind = SymbolKind::auxiliary}),
                             graph.symbol({.kind = SymbolKind::cell_parameter}));
  std::vector<NodeId> outputs = {graph.mul(one, one)};
  for (int d = 0; d < in.dim; ++d)
    outputs.push_back(
        graph.mul(a, graph.symbol({.kind = SymbolKind::field_gradient, .direction = d})));
  in.function = extract(graph, outputs);
  return in;
}

std::string make_generator() {
  std::string text;
  for (const char *prefix : {"kernels/dialect/", "kernels/fem/"})
    for (const std::string &name : embedded_names(prefix))
      text += name + "\n" + embedded_text(name);
  for (const CellType cell : {CellType::triangle, CellType::hexahedron})
    for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored}) {
      const CellIntegral in = fixed_integral(cell, cell == CellType::triangle ? 2 : 1, geometry);
      for (const Strategy strategy : {Strategy::block, Strategy::cell, Strategy::transposed})
        text += make_integral_kernel(in, {.strategy = strategy}, "opencl", {1024, 1024}).text;
      const KernelVariant groups{.strategy = Strategy::block, .block_group = BlockGroupSizes{}};
      text += make_integral_kernel(in, groups, "opencl", {1024, 1024}).text;
    }
  CellIntegral lines = fixed_integral(CellType::hexahedron, 2, GeometrySource::on_the_fly);
  lines.sums = Summation::lines;
  text += make_integral_kernel(lines, {.strategy = Strategy::block}, "opencl", {1024, 1024}).text;
  CellIntegral planes = lines;
  planes.sums = Summation::planes;
  text += make_integral_kernel(planes, {.strategy = Strategy::cell}, "opencl", {}).text;
  lines.on_facets = true;
  lines.part_dim = 2;
  for (int facet = 0; facet < num_facets(lines.cell); ++facet) {
    lines.local_facets.push_back(facet);
    lines.facet_quadrature.push_back(make_facet_quadrature(lines.cell, facet, 2));
  }
  text += make_integral_kernel(lines, {.strategy = Strategy::cell}, "opencl", {}).text;
  CellIntegral edges = fixed_integral(CellType::hexahedron, 2, GeometrySource::on_the_fly);
  edges.on_facets = true;
  edges.part_dim = 1;
  edges.local_facets = {0};
  edges.facet_quadrature = {make_edge_quadrature(edges.cell, 0, 2)};
  text += make_integral_kernel(edges, {.strategy = Strategy::cell}, "opencl", {}).text;
  return hash_hex(text);
}

} // namespace

std::string kernel_generator() {
  static const std::string generator = make_generator();
  return generator;
}

} // namespace weft
