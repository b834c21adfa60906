// Multigrid for a matrix of the caller's, whose arrays it keeps. python/weft/multigrid.py is
// derived from it.
#include "weft/multigrid.h"

#include <cstdint>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "in_use.h"
#include "interruptible.h"

namespace weft::python {

namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

CsrMatrix seen(std::size_t num_rows, const Indices &row_start, const Indices &columns,
               const Values &values) {
  return {.num_rows = num_rows,
          .row_start = {row_start.data(), row_start.size()},
          .columns = {columns.data(), columns.size()},
          .values = span_of(values)};
}

struct BoundMultigrid {
  BoundMultigrid(std::size_t num_rows, Indices row_start_of, Indices columns_of, Values values_of,
                 const MultigridOptions &options)
      : row_start(std::move(row_start_of)), columns(std::move(columns_of)),
        values(std::move(values_of)),
        multigrid(seen(num_rows, row_start, columns, values), options) {}

  Indices row_start, columns; // of the caller's, seen where they lie
  Values values;
  Multigrid multigrid;
  InUse use;
};

void set_up(BoundMultigrid *self, std::size_t num_rows, const Indices &row_start,
            const Indices &columns, const Values &values, const MultigridOptions &options) {
  Indices kept_rows = row_start, kept_columns = columns;
  Values kept_values = values;
  interruptible([&] {
    const nb::gil_scoped_release released;
    return new (self) BoundMultigrid(num_rows, std::move(kept_rows), std::move(kept_columns),
                                     std::move(kept_values), options);
  });
}

void update_values(BoundMultigrid &m, const Values &values) {
  const auto hold = m.use.changing();
  {
    const nb::gil_scoped_release released;
    m.multigrid.update(span_of(values));
  }
  m.values = values;
}

nb::object apply_cycle(BoundMultigrid &m, const Values &r, const nb::object &out) {
  const auto hold = m.use.changing();
  const Output z = output(out, m.multigrid.num_rows());
  const nb::gil_scoped_release released;
  m.multigrid.apply(span_of(r), span_of(z.target));
  return z.object;
}

// `progress` is called with the number and the relative residual of each iteration, or None.
SolveResult solve_system(BoundMultigrid &m, const Values &b, const Target &x,
                         const std::string &method, double tolerance, int max_iterations,
                         int restart, const nb::object &progress) {
  const auto hold = m.use.changing();
  const InUse::Solving solving(m.use);
  SolveOptions options{.method = method,
                       .tolerance = tolerance,
                       .max_iterations = max_iterations,
                       .restart = restart,
                       .progress = {}};
  if (!progress.is_none())
    options.progress = [&progress](int iteration, double residual) {
      const nb::gil_scoped_acquire acquired;
      progress(iteration, residual);
    };
  return interruptible([&] {
    const nb::gil_scoped_release released;
    return m.multigrid.solve(span_of(b), span_of(x), options);
  });
}

void bind_options(nb::module_ &m) {
  nb::class_<MultigridOptions>(m, "MultigridOptions")
      .def(nb::init<>())
      .def_rw("device", &MultigridOptions::device)
      .def_rw("threads", &MultigridOptions::threads)
      .def_rw("precision", &MultigridOptions::precision)
      .def_rw("cycle", &MultigridOptions::cycle)
      .def_rw("smoother", &MultigridOptions::smoother)
      .def_rw("degree", &MultigridOptions::degree)
      .def_rw("sweeps", &MultigridOptions::sweeps, nb::arg().none())
      .def_rw("strength", &MultigridOptions::strength, nb::arg().none())
      .def_rw("max_levels", &MultigridOptions::max_levels)
      .def_rw("coarsest_size", &MultigridOptions::coarsest_size)
      .def_rw("block_size", &MultigridOptions::block_size)
      .def_rw("symmetric", &MultigridOptions::symmetric, nb::arg().none())
      .def("set_near_null_space",
           [](MultigridOptions &options, const Values &values) {
             options.near_null_space.assign(values.data(), values.data() + values.size());
           })
      .def("set_coordinates", [](MultigridOptions &options, const Values &values) {
        options.coordinates.assign(values.data(), values.data() + values.size());
      });
}

} // namespace

void bind_multigrid(nb::module_ &m) {
  bind_options(m);
  nb::class_<BoundMultigrid>(m, "Multigrid", nb::dynamic_attr())
      .def("__init__", &set_up, nb::arg("num_rows"), nb::arg("row_start"), nb::arg("columns"),
           nb::arg("values"), nb::arg("options"))
      .def("_update", &update_values)
      .def("_apply", &apply_cycle, nb::arg("r"), nb::arg("out") = nb::none())
      .def("_solve", &solve_system, nb::arg("b"), nb::arg("x").noconvert(), nb::arg("method"),
           nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("restart"),
           nb::arg("progress").none())
      .def_prop_ro("num_rows", [](BoundMultigrid &b) { return b.multigrid.num_rows(); })
      .def_prop_ro(
          "symmetric", [](BoundMultigrid &b) { return b.multigrid.symmetric(); },
          "As it was said, or as it was found from the entries.")
      .def_prop_ro(
          "copies_arrays", [](BoundMultigrid &b) { return b.multigrid.copies_arrays(); },
          "Rows were sorted, entries of one column added, or blocks filled up, in arrays "
          "of this object's.")
      .def_prop_ro(
          "levels", [](BoundMultigrid &b) { return b.multigrid.levels(); }, "From the finest.")
      .def_prop_ro(
          "bytes", [](BoundMultigrid &b) { return b.multigrid.bytes(); },
          "On the device and in copies, without arrays of the caller's.")
      .def_prop_ro("setup_seconds", [](BoundMultigrid &b) { return b.multigrid.setup_seconds(); })
      .def_prop_ro(
          "device", [](BoundMultigrid &b) { return b.multigrid.device(); },
          "\"opencl:0\", \"cuda:0\".")
      .def(
          "operator_complexity",
          [](BoundMultigrid &b) { return b.multigrid.operator_complexity(); },
          "Entries of all levels over those of the finest.");
}

} // namespace weft::python
