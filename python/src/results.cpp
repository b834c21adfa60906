// What solves, steps and levels report, and what fields are: plain values.
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "weft/multigrid.h"
#include "weft/problem.h"

namespace weft::python {

namespace nb = nanobind;

namespace {

std::string text_of(const char *format, auto... values) {
  return nb::cast<std::string>(nb::str(format).attr("format")(values...));
}

} // namespace

void bind_results(nb::module_ &m) {
  nb::class_<SolveResult>(m, "SolveResult", "What a solve did.")
      .def_ro("converged", &SolveResult::converged)
      .def_ro("reason", &SolveResult::reason, "One sentence, also when it converged.")
      .def_ro("iterations", &SolveResult::iterations,
              "Of the linear solver, over all Newton steps and steps in time.")
      .def_ro("newton_steps", &SolveResult::newton_steps, "Of a linear problem 1; 0: of Multigrid.")
      .def_ro("residual", &SolveResult::residual,
              "Its 2-norm relative to the initial one, computed from the solution.")
      .def_ro("seconds", &SolveResult::seconds)
      .def_ro("setup_seconds", &SolveResult::setup_seconds, "Of preconditioners.")
      .def("__repr__", [](const SolveResult &r) {
        return text_of("SolveResult(converged={}, iterations={}, reason={!r})", r.converged,
                       r.iterations, r.reason);
      });

  nb::class_<StepInfo>(m, "StepInfo", "A step of a transient problem, or of a load.")
      .def_ro("time", &StepInfo::time, "At its end; the parameter's value of a load.")
      .def_ro("number", &StepInfo::number, "Steps so far.")
      .def_ro("finished", &StepInfo::finished, "The end of [time] is reached.")
      .def("__repr__", [](const StepInfo &s) {
        return text_of("StepInfo(time={}, number={}, finished={})", s.time, s.number, s.finished);
      });

  nb::class_<FieldInfo>(m, "FieldInfo",
                        "A field. Its dofs are entries [offset, offset + num_nodes*components) of "
                        "states, [node, component].")
      .def_ro("name", &FieldInfo::name)
      .def_ro("element", &FieldInfo::element, "\"P2\", \"DG1\", \"FV\".")
      .def_ro("components", &FieldInfo::components)
      .def_ro("is_vector", &FieldInfo::is_vector)
      .def_ro("num_nodes", &FieldInfo::num_nodes)
      .def_ro("offset", &FieldInfo::offset)
      .def("__repr__", [](const FieldInfo &f) {
        return text_of("FieldInfo(name={!r}, element={!r}, components={}, num_nodes={})", f.name,
                       f.element, f.components, f.num_nodes);
      });

  nb::class_<MultigridLevelInfo>(m, "MultigridLevelInfo", "A level of multigrid.")
      .def_ro("unknowns", &MultigridLevelInfo::unknowns)
      .def_ro("entries", &MultigridLevelInfo::entries, "Of its matrix.")
      .def_ro("precision", &MultigridLevelInfo::precision, "Of these: \"f16\", \"f64\".")
      .def_ro("bytes", &MultigridLevelInfo::bytes,
              "On the device, of its matrix, its transfers and its vectors.")
      .def("__repr__", [](const MultigridLevelInfo &l) {
        return text_of("MultigridLevelInfo(unknowns={}, entries={}, precision={!r})", l.unknowns,
                       l.entries, l.precision);
      });
}

} // namespace weft::python
