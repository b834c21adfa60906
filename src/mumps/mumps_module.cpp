// The module of MUMPS, sequential: its table of functions; no exception leaves it.
#include "solve/direct/direct_module.h"

#include <string>

#include "base/modules/module_guard.h"
#include "mumps/mumps_factors.h"

namespace weft {

struct DirectFactors : MumpsFactors {
  using MumpsFactors::MumpsFactors;
};

namespace {

std::string last_error;

DirectFactors *analyse(const DirectPattern *pattern) {
  return guarded(
      last_error, [&] { return new DirectFactors(*pattern); },
      static_cast<DirectFactors *>(nullptr));
}

int factorise(DirectFactors *factors, const double *values) {
  return guarded(
      last_error, [&] { return factors->factorise(values), 0; }, -1);
}

DirectFigures figures(const DirectFactors *factors) {
  return factors->figures();
}

int solve(DirectFactors *factors, double *x) {
  return guarded(
      last_error, [&] { return factors->solve(x), 0; }, -1);
}

void destroy(DirectFactors *factors) {
  delete factors;
}

const char *error_text() {
  return last_error.c_str();
}

} // namespace

} // namespace weft

extern "C" __attribute__((visibility("default"))) const weft::DirectModule *weft_direct_module() {
  static const weft::DirectModule module = {.interface_version = weft::direct_interface_version,
                                            .library = weft::mumps_name,
                                            .analyse = weft::analyse,
                                            .factorise = weft::factorise,
                                            .figures = weft::figures,
                                            .solve = weft::solve,
                                            .destroy = weft::destroy,
                                            .last_error = weft::error_text};
  return &module;
}
