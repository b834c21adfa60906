#include "run/model/explicit_terms.h"

#include "op/set_up/explicit_terms.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

ExplicitTerms::ExplicitTerms(const Case &c, Device &device, const Discretisation &d,
                             const OperatorSettings &settings)
    : c_(case_of_explicit_terms(c)), d_(discretise_explicit_terms(c_, d)),
      op_(device, d_, settings) {}

void ExplicitTerms::residual(double time, const Vector &u, Vector &g) {
  set_time(c_, d_, time);
  op_.set_time(time);
  op_.residual(u, g);
}

void ExplicitTerms::take_values(const Case &c) {
  c_ = case_of_explicit_terms(c);
  weft::take_values(c_, d_);
  op_.take_values();
}

} // namespace weft
