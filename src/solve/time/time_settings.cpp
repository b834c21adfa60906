#include "solve/time/time_settings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/error.h"

namespace weft {

namespace {

struct SchemeName {
  const char *name;
  TimeScheme scheme;
};
constexpr SchemeName scheme_names[] = {{"theta", TimeScheme::theta},
                                       {"bdf2", TimeScheme::bdf2},
                                       {"generalised_alpha", TimeScheme::generalised_alpha},
                                       {"dirk2", TimeScheme::dirk2},
                                       {"dirk3", TimeScheme::dirk3},
                                       {"dirk4", TimeScheme::dirk4},
                                       {"ars2", TimeScheme::ars2},
                                       {"ars3", TimeScheme::ars3},
                                       {"quasi_static", TimeScheme::quasi_static},
                                       {"lsrk4", TimeScheme::lsrk4},
                                       {"rk4", TimeScheme::rk4},
                                       {"ssprk3", TimeScheme::ssprk3},
                                       {"euler", TimeScheme::euler},
                                       {"load", TimeScheme::load}};

} // namespace

double shortest_step_at(double time) {
  return 8 * std::numeric_limits<double>::epsilon() * std::abs(time);
}

bool is_explicit(TimeScheme scheme) {
  return scheme == TimeScheme::lsrk4 || scheme == TimeScheme::rk4 || scheme == TimeScheme::ssprk3 ||
         scheme == TimeScheme::euler;
}

bool is_implicit(TimeScheme scheme) {
  return !is_explicit(scheme) && scheme != TimeScheme::load;
}

TimeScheme time_scheme_from_name(const std::string &name) {
  const auto *const known =
      std::find_if(std::begin(scheme_names), std::end(scheme_names),
                   [&](const SchemeName &scheme) { return scheme.name == name; });
  require(known != std::end(scheme_names), "a scheme that a case may name");
  return known->scheme;
}

} // namespace weft
