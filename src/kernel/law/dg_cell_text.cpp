#include "kernel/law/dg_cell_text.h"

namespace weft {

namespace {

// What sets the members that an argument is for; empty where it is for none.
std::string cell_lines(ArgumentRole role, const DgKernelSpec &spec, bool by_symmetry) {
  using enum ArgumentRole;
  switch (role) {
  case gradient:
    return spec.law->finite_volume
               ? "  cell->gradient = gradient;\n"
                 "  cell->whole_gradient = gradient + cell->unit * WEFT_GRADIENT_VALUES * "
                 "WEFT_LANES;\n"
               : "  cell->gradient = gradient;\n";
  case whole_gradient:
    return "  cell->whole_gradient =\n"
           "      whole_gradient + cell->unit * WEFT_GRADIENT_VALUES * WEFT_LANES;\n";
  case limiter:
    return "  cell->limiter = limiter;\n";
  case known:
    return "  cell->known = known;\n";
  case coordinates:
    return "  cell->coordinates = coordinates + cell->unit * WEFT_DIM * WEFT_LANES;\n";
  case facet_coordinates:
    return "  cell->facet_coordinates =\n"
           "      facet_coordinates + (i64)group * (WEFT_FACET_NODES * WEFT_DIM * WEFT_LANES);\n";
  case metric:
    if (!spec.affine)
      return "  cell->node_metric =\n"
             "      metric + (i64)group * (WEFT_NODES * (WEFT_DIM * WEFT_DIM + 1) * WEFT_LANES);\n";
    return std::string("  WEFT_UNROLL for (i32 e = 0; e < WEFT_DIM * WEFT_DIM; ++e)\n"
                       "    cell->metric[e] =\n"
                       "        lane_load(metric + ((i64)group * (WEFT_DIM * WEFT_DIM) + e) * "
                       "WEFT_LANES);\n") +
           (by_symmetry ? "  weft_turn_metric(cell->metric);\n" : "");
  case cell_table:
    return "  cell->cell_table = cell_table;\n"
           "  weft_load_table(cell_table, cell_class + (i64)group * WEFT_LANES,\n"
           "                  WEFT_CELL_PARAMETERS, cell->parameters);\n";
  case plus_class:
    return "  cell->plus_class = plus_class;\n";
  case facet_table:
    return "  cell->facet_table = facet_table;\n";
  case facet_class:
    return "  cell->facet_class = facet_class;\n";
  case cell_size:
    return "  cell->size = lane_load(cell_size + (i64)group * WEFT_LANES);\n";
  case length:
    return "  cell->length = lane_load(length + (i64)group * WEFT_LANES);\n";
  default:
    return "";
  }
}

std::string place_lines(ArgumentRole role) {
  using enum ArgumentRole;
  switch (role) {
  case coordinates:
    return "  weft_load_values(coordinates + weft_node_at(group, node, WEFT_DIM, first_unit),\n"
           "                   WEFT_DIM, place->x);\n";
  case known:
    return "  weft_load_values(known + weft_node_at(group, node, WEFT_KNOWN, first_unit),\n"
           "                   WEFT_KNOWN, place->known);\n";
  case cell_table:
    return "  weft_load_table(cell_table, cell_class + group * WEFT_LANES, WEFT_CELL_PARAMETERS,\n"
           "                  place->parameters);\n";
  case cell_size:
    return "  place->size = lane_load(cell_size + group * WEFT_LANES);\n";
  default:
    return "";
  }
}

} // namespace

std::string print_load_cell(const DgKernelSpec &spec, const LawArguments &arguments,
                            bool by_symmetry) {
  std::string text = "\n// What this kernel has arguments for, of group `group` of the cells.\n"
                     "WEFT_FUNCTION void weft_load_cell(WEFT_PRIVATE weft_cell *cell, i32 group,\n"
                     "                                  WEFT_ARGUMENTS) {\n"
                     "  cell->group = group;\n"
                     "  cell->unit = (i64)first_unit + (i64)group * WEFT_NODES;\n"
                     "  cell->time = time;\n";
  for (const ArgumentSpec &argument : arguments.specs())
    text += cell_lines(argument.role, spec, by_symmetry);
  return text + "}\n";
}

std::string print_load_place(const LawArguments &arguments) {
  std::string text =
      "\n// What this kernel has arguments for, of node `node` of group `group`.\n"
      "WEFT_FUNCTION void weft_load_place(WEFT_PRIVATE weft_place *place, i64 group, i32 node,\n"
      "                                   WEFT_ARGUMENTS) {\n"
      "  place->time = lane_splat(time);\n";
  for (const ArgumentSpec &argument : arguments.specs())
    text += place_lines(argument.role);
  return text + "}\n";
}

} // namespace weft
