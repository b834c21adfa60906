#include "run/advice/advice.h"

#include "base/log.h"
#include "run/advice/integrand_advice.h"
#include "run/advice/singular_points.h"
#include "run/advice/straight_cells.h"
#include "run/advice/vanishing_derivatives.h"

namespace weft {

void give_advice(const Case &c, const Discretisation &d, const std::vector<double> &state) {
  const auto say = [](const std::vector<std::string> &remarks) {
    for (const std::string &remark : remarks)
      log::notice("{}", remark);
  };
  if (d.law)
    return;
  say(integrand_advice(c, d, state));
  say(singular_points(c, d));
  say(straight_cells(c, d));
  say(vanishing_derivatives(d));
}

} // namespace weft
