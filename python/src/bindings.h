// What each file binds, in the order in which one needs another.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

struct BoundProblem;

void bind_errors();
void bind_results(nanobind::module_ &m);
void bind_cases(nanobind::module_ &m);
void bind_device_vector(nanobind::module_ &m);
void bind_problem(nanobind::module_ &m);
void bind_equations(nanobind::class_<BoundProblem> &type);
void bind_multigrid(nanobind::module_ &m);

} // namespace weft::python
