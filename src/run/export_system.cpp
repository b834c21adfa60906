#include "run/export_system.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "linalg/sparse_matrix.h"
#include "output/tables/matrix_market.h"

namespace weft {

namespace {

void refuse_without_system(const Simulation &s) {
  if (s.c.time)
    throw Error(
        ErrorKind::unsupported,
        {.what = "the system of a transient problem changes with the step, and is not exported",
         .where = "--export-system",
         .remedy = "export that of a stationary case"});
  if (s.c.solver.op != "assembled")
    throw Error(ErrorKind::input, {.what = "only an assembled system can be exported",
                                   .where = "--export-system",
                                   .found = fmt::format("solver.operator = \"{}\"", s.c.solver.op),
                                   .allowed = "\"assembled\"",
                                   .remedy = "add --set solver.operator=assembled"});
}

} // namespace

std::vector<std::string> export_system(Simulation &s, const std::string &prefix) {
  refuse_without_system(s);
  Device &device = *s.device;
  NonlinearOperator &op = *s.model->system();
  Vector u = make_vector(device, op.size(), op.precision(), "state of the exported system");
  Vector r = make_vector(device, op.size(), op.precision(), "residual to export");
  set_vector(device, u, s.state);
  op.set_constrained(u);
  op.linearise(u);
  op.residual(u, r);
  std::vector<double> rhs = get_vector(device, r);
  for (double &value : rhs)
    value = value == 0 ? 0 : -value; // no negative zeros
  const std::vector<std::string> files = {prefix + ".mtx", prefix + "_rhs.mtx"};
  const std::string of = fmt::format("of {} by Weft {}", s.c.file, version());
  write_matrix_market(files[0], op.matrix()->host(), op.symmetric(),
                      "F'(u) at the initial state u, " + of);
  write_matrix_market(files[1], rhs, "-F(u) at the initial state u, " + of);
  return files;
}

} // namespace weft
