#include "kernel/matrix/matrix_kernel.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/error.h"
#include "device/dialect.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/matrix/matrix_arguments.h"
#include "kernel/matrix/matrix_functions.h"
#include "kernel/text/constant_table.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

// Points times entries of the matrix, up to which all stays in registers, and up to which the loop
// over the points is unrolled in loop order QSS: constants instead of tables, and points overlap.
// Prisms (216) are 15% to 20% faster unrolled where columns follow one another (WEFT_COLUMN_STEP),
// and 15% slower in assembly by blocks. More takes long to compile.
constexpr int most_register_point_entries = 64, most_unrolled_point_entries = 256;
// Entries of the matrix up to which the loops over its rows are unrolled. P1 vectors on tetrahedra
// (144) are as fast by loops, and are compiled in 1 s instead of 6.
constexpr int most_unrolled_rows_entries = 100;
// Loop order tensor is written out entry by entry: with more rows it takes seconds to compile.
constexpr int most_tensor_rows = 10;
// Loop order qss keeps a lane's element matrices in a work-item's own memory, which on a CPU is a
// thread's stack of 8 MB.
constexpr std::int64_t most_private_bytes = 4 << 20;
// A thread of a GPU has 255 registers of four bytes; with a matrix of 36 doubles (P2 triangles, P1
// prisms) the assembler needs up to 226 of them and spills nothing, with 64 (P1 hexahedra) it
// spills.
constexpr std::int64_t most_matrix_bytes_in_registers = 320;

} // namespace

std::string to_string(LoopOrder order) {
  return std::array{"qss", "sqs", "ssq", "tensor"}[static_cast<int>(order)];
}

std::string to_string(MatrixDestination destination) {
  return std::array{"csr", "interleaved", "per_cell", "applied",
                    "diagonal"}[static_cast<int>(destination)];
}

std::string to_string(LocalArray local) {
  return std::array{"none", "geometry", "coefficients", "shape", "matrix"}[static_cast<int>(local)];
}

LoopOrder loop_order_from_name(const std::string &name) {
  for (const LoopOrder order : {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq, LoopOrder::tensor})
    if (to_string(order) == name)
      return order;
  throw Error(ErrorKind::input, {.what = "unknown loop order of element matrices",
                                 .found = name,
                                 .allowed = "qss, sqs, ssq, tensor",
                                 .remedy = "choose one of these"});
}

LocalArray local_array_from_name(const std::string &name) {
  for (const LocalArray local : {LocalArray::none, LocalArray::geometry, LocalArray::coefficients,
                                 LocalArray::shape, LocalArray::matrix})
    if (to_string(local) == name)
      return local;
  throw Error(ErrorKind::input, {.what = "unknown array to keep in local memory",
                                 .found = name,
                                 .allowed = "none, geometry, coefficients, shape, matrix",
                                 .remedy = "choose one of these"});
}

std::string to_string(const MatrixVariant &v, int lanes) {
  std::string text = fmt::format("lanes={} order={} destination={}", lanes, to_string(v.loop_order),
                                 to_string(v.destination));
  if (v.destination == MatrixDestination::csr)
    text += fmt::format(" leaves={}", v.leaves_per_block);
  else
    text += fmt::format(" group_size={} groups_per_item={} reading={} local={}", v.group_size,
                        v.groups_per_item, v.coalesced_reading ? "coalesced" : "plain",
                        to_string(v.local));
  if (v.prefetch > 0)
    text += fmt::format(" prefetch={}", v.prefetch);
  return text + (v.stream ? " stream" : "");
}

int interleave_width(const CellIntegral &in, const MatrixVariant &variant) {
  return variant.group_size * in.lanes;
}

std::int64_t num_matrix_slots(const CellIntegral &in, const MatrixVariant &variant,
                              std::int64_t num_groups) {
  const std::int64_t width = interleave_width(in, variant);
  return (num_groups * in.lanes + width - 1) / width * width;
}

int num_matrix_entries(const CellIntegral &in) {
  return in.num_rows() * (in.num_rows() + (in.with_vector ? 1 : 0));
}

bool tensor_possible(const CellIntegral &in, std::string *why_not) {
  const auto no = [&](const std::string &reason) {
    if (why_not)
      *why_not = reason;
    return false;
  };
  if (in.on_facets || !in.affine())
    return no("the geometry of a cell is not affine");
  if (in.with_vector)
    return no("a load vector is integrated by points");
  if (in.second)
    return no("second derivatives are integrated by points");
  const auto constant_in_cell = [&](const Symbol &s, bool gradient, NodalInput::Kind kind) {
    for (const NodalInput &input : in.inputs)
      if (input.kind == kind && input.index == s.index)
        return input.family < 0 || (gradient && in.families[input.family].element.order <= 1);
    return false;
  };
  for (const Symbol &s : in.function.symbols)
    switch (s.kind) {
    case SymbolKind::cell_parameter:
    case SymbolKind::time:
    case SymbolKind::shift:
    case SymbolKind::cell_size:
      break;
    case SymbolKind::field_gradient:
      if (!constant_in_cell(s, true, NodalInput::Kind::field))
        return no("a coefficient depends on a field");
      break;
    case SymbolKind::auxiliary:
    case SymbolKind::auxiliary_gradient:
      if (!constant_in_cell(s, s.kind == SymbolKind::auxiliary_gradient,
                            NodalInput::Kind::auxiliary))
        return no("a coefficient varies in a cell");
      break;
    default:
      return no("a coefficient varies in a cell");
    }
  return true;
}

LoopOrder usual_loop_order(const CellIntegral &in, bool is_cpu) {
  if (in.num_rows() <= most_tensor_rows && tensor_possible(in))
    return LoopOrder::tensor;
  const std::int64_t real = static_cast<std::int64_t>(size_bytes(in.precision));
  const std::int64_t entries = num_matrix_entries(in);
  if (real * entries * in.lanes > most_private_bytes)
    return LoopOrder::sqs;
  if (is_cpu || real * entries <= most_matrix_bytes_in_registers)
    return LoopOrder::qss;
  // What the registers do not hold is loaded and stored for every thread: at each point the whole
  // matrix, or by rows the point's coefficients, once for each node.
  std::int64_t num_nodes = 0;
  for (const TestField &test : in.tests)
    num_nodes += in.families[test.family].element.num_nodes();
  const auto num_values =
      static_cast<std::int64_t>(matrix_cell_cost(in, {.loop_order = LoopOrder::sqs}).num_values);
  return 2 * entries <= (1 + num_nodes) * num_values ? LoopOrder::qss : LoopOrder::sqs;
}

CellCost matrix_cell_cost(const CellIntegral &in, const MatrixVariant &variant) {
  return print_matrix_functions(in, variant).cost;
}

namespace {

void check(const CellIntegral &in, const MatrixVariant &v, int stage_entries) {
  require(in.kind == IntegralKind::matrix, "kernels of element matrices are of kind matrix");
  const auto decline = [&](const std::string &what, const std::string &remedy) {
    throw Error(ErrorKind::unsupported,
                {.what = what, .where = "element matrices of " + in.form_name, .remedy = remedy});
  };
  std::string why_not;
  if (v.loop_order == LoopOrder::tensor && !tensor_possible(in, &why_not))
    decline("loop order tensor: " + why_not, "take qss, sqs or ssq");
  if (v.destination == MatrixDestination::csr) {
    require(stage_entries > 0 && stage_entries <= most_stage_entries,
            "a block's stage has entries that 16 bits number");
    if (in.on_facets)
      decline("facets in the blocks of cells", "assemble their element matrices from memory");
    if (v.group_size != 1 || v.local != LocalArray::none || in.with_vector)
      decline("work-groups, local arrays or load vectors in assembly by blocks",
              "take destination interleaved");
  }
  require(v.destination != MatrixDestination::diagonal ||
              (in.is_two_sided() && !in.with_vector && v.local == LocalArray::none &&
               !v.coalesced_reading),
          "diagonals are of facets between two cells");
  if (in.with_vector && v.destination == MatrixDestination::applied)
    decline("a load vector beside a matrix that is applied", "take destination interleaved");
  if (v.stream && v.destination != MatrixDestination::interleaved &&
      v.destination != MatrixDestination::csr)
    decline("streaming stores of destination " + to_string(v.destination),
            "take interleaved or csr");
  if (v.local == LocalArray::shape && v.loop_order == LoopOrder::tensor)
    decline("shape functions in local memory in loop order tensor, which has none",
            "take local = none");
}

std::string kernel_name(const CellIntegral &in, const MatrixVariant &variant) {
  std::string orders;
  for (const TestField &test : in.tests)
    orders += fmt::format("p{}", in.families[test.family].element.order);
  return fmt::format("matrix{}_{}_{}_{}q{}_{}_{}_{}", domain_name(in), in.form_name, cell_names(in),
                     orders, in.num_points(), to_string(variant.loop_order),
                     to_string(variant.destination), to_string(in.precision));
}

// Lanes of the arrays that a work-item has.
struct ArraySizes {
  int components = 1; // most of a field
  int matrix = 0, coefficients = 0;
};

ArraySizes array_sizes(const CellIntegral &in, LoopOrder order, int num_values) {
  ArraySizes sizes;
  for (const TestField &test : in.tests)
    sizes.components = std::max(sizes.components, test.components);
  const bool by_points = order == LoopOrder::sqs || order == LoopOrder::ssq;
  const int rows = in.num_rows();
  sizes.matrix = order == LoopOrder::sqs   ? sizes.components * rows
                 : order == LoopOrder::ssq ? sizes.components * sizes.components
                                           : rows * rows;
  sizes.coefficients = std::max(1, num_values) * (by_points ? in.num_points() : 1);
  return sizes;
}

// Where the arrays of a lane group lie: in registers and private memory, or one of them in local
// memory, interleaved by work-items.
void define_arrays(Constants &constants, const ArraySizes &sizes, const MatrixVariant &v) {
  constants.define("WEFT_MOST_COMPONENTS", sizes.components);
  const auto array = [&](const std::string &name, const std::string &entry, bool local) {
    constants.define("WEFT_" + name + "_SPACE", local ? "WEFT_LOCAL" : "WEFT_PRIVATE");
    constants.define("WEFT_" + name + "_ARRAY(name, count)",
                     local ? "WEFT_LOCAL lane *name = weft_local_array" : "lane name[count]");
    constants.define("WEFT_" + entry + "(e)", local ? "((e) * WEFT_WORK_ITEMS)" : "(e)");
  };
  array("MATRIX", "ENTRY", v.local == LocalArray::matrix);
  array("COEFFICIENT", "COEFFICIENT", v.local == LocalArray::coefficients);
  const bool local = v.local == LocalArray::matrix || v.local == LocalArray::coefficients;
  const std::string declaration =
      fmt::format(" WEFT_LOCAL_ARRAY(lane, weft_local_arrays, {} * WEFT_WORK_ITEMS);",
                  v.local == LocalArray::matrix ? sizes.matrix : sizes.coefficients);
  constants.define("WEFT_LOCAL_DECLARATIONS",
                   "WEFT_LOADED_ARRAYS" + (local ? declaration : std::string()));
  constants.define("WEFT_LOCAL_NAME", local ? ", weft_local_arrays + weft_local_id()" : "");
  constants.define("WEFT_LOCAL_PARAMETER", local ? ", WEFT_LOCAL lane *weft_local_array" : "");
}

// Loop order tensor has no points that a load vector could be summed over.
std::string vector_file(const CellIntegral &in, LoopOrder order) {
  return order == LoopOrder::tensor
             ? ""
             : kernel_file(in.with_vector ? "fem/matrix_vector" : "fem/matrix_no_vector");
}

std::int64_t local_bytes(const CellIntegral &in, const MatrixVariant &v, const ArraySizes &sizes,
                         const MatrixFunctions &functions) {
  const std::int64_t real = static_cast<std::int64_t>(size_bytes(in.precision));
  const std::int64_t slots = std::int64_t{v.group_size} * in.lanes;
  std::int64_t bytes = 0;
  for (const auto &[name, entries] : functions.local_tables)
    bytes += entries * real;
  if (v.local == LocalArray::matrix)
    bytes += slots * sizes.matrix * real;
  if (v.local == LocalArray::coefficients)
    bytes += slots * sizes.coefficients * real;
  if (v.local == LocalArray::geometry)
    bytes += slots * in.num_cell_inputs() * real;
  const std::vector<bool> used = families_in_use(in, false);
  for (std::size_t f = 0; f < used.size() && v.coalesced_reading; ++f)
    bytes += used[f] ? slots * in.families[f].element.num_nodes() * 4 : 0;
  return bytes;
}

} // namespace

KernelSource make_matrix_kernel(const CellIntegral &in, const MatrixVariant &variant,
                                const std::string &backend, int stage_entries) {
  check(in, variant, stage_entries);
  const bool csr = variant.destination == MatrixDestination::csr;
  const MatrixFunctions functions = print_matrix_functions(in, variant);
  const CellArguments arguments = print_matrix_arguments(in, variant, functions.local_tables);
  KernelSource source;
  source.name = kernel_name(in, variant);
  source.arguments = arguments.arguments;
  source.cost = functions.cost;

  const ArraySizes sizes = array_sizes(in, variant.loop_order, functions.num_values);
  source.local_bytes = local_bytes(in, variant, sizes, functions);
  const std::string program =
      section("tables", functions.tables) +
      function_section("functions of the form", functions.functions) + arguments.text +
      vector_file(in, variant.loop_order) +
      kernel_file("fem/fem_matrix_" + to_string(variant.loop_order)) +
      kernel_file(csr ? "fem/fem_matrix_to_block" : "fem/fem_matrix_to_memory");
  Constants constants = arguments.constants;
  int num_nodes = 0;
  for (const TestField &test : in.tests)
    num_nodes += in.families[test.family].element.num_nodes();
  constants.define("WEFT_KERNEL_NAME", source.name);
  constants.define("WEFT_NUM_POINTS", in.num_points());
  constants.define("WEFT_NUM_ROWS", in.num_rows());
  constants.define("WEFT_NUM_NODES", num_nodes);
  constants.define("WEFT_NUM_VALUES", std::max(1, functions.num_values));
  constants.define("WEFT_WORK_ITEMS", variant.group_size);
  constants.define("WEFT_FIRST_COLUMN(row)", in.symmetric ? "(row)" : "0");
  const int point_entries = in.num_points() * in.num_rows() * in.num_rows();
  const bool unroll_far = !csr && variant.loop_order == LoopOrder::qss;
  const bool unroll_points =
      functions.unrolled &&
      point_entries <= (unroll_far ? most_unrolled_point_entries : most_register_point_entries);
  constants.define("WEFT_UNROLL_POINTS", unroll_points ? "WEFT_UNROLL" : "WEFT_NO_UNROLL");
  // A matrix too large for the registers: columns one after the other need few of them, where a
  // compiler that mixes columns spills (prisms: 20% slower).
  constants.define("WEFT_COLUMN_STEP",
                   !csr && point_entries > most_register_point_entries ? "weft_step()" : "");
  constants.define("WEFT_UNROLL_ROWS", in.num_rows() * in.num_rows() <= most_unrolled_rows_entries
                                           ? "WEFT_UNROLL"
                                           : "WEFT_NO_UNROLL");
  constants.define("WEFT_UNROLL_NODES", functions.unrolled ? "WEFT_UNROLL" : "WEFT_NO_UNROLL");
  constants.define("WEFT_STAGE_ENTRIES", stage_entries);
  constants.define("WEFT_BLOCK_ROW", matrix_block_row_entries(static_cast<int>(in.tests.size())));
  constants.define("WEFT_GROUPS_PER_ITEM", variant.groups_per_item);
  define_arrays(constants, sizes, variant);
  source.text =
      fmt::format("// {}: generated by Weft, {}\n", source.name, to_string(variant, in.lanes)) +
      section("dialect", tables_head(backend, functions.tables, in.precision) +
                             program_head(backend, in.precision, in.lanes)) +
      constants.text_for(program) + program;
  return source;
}

} // namespace weft
