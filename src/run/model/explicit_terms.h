// The terms of a weak form that are taken explicitly in time, on a device.
#pragma once

#include "case/case.h"
#include "op/problem/discretisation.h"
#include "op/weak_form/form_operator.h"

namespace weft {

class ExplicitTerms {
public:
  // `d`: of the whole form of `c`, which has such terms.
  ExplicitTerms(const Case &c, Device &device, const Discretisation &d,
                const OperatorSettings &settings);
  ExplicitTerms(const ExplicitTerms &) = delete; // the operator refers to the discretisation
  ExplicitTerms &operator=(const ExplicitTerms &) = delete;

  // g = G(time, u), as if nothing were prescribed.
  void residual(double time, const Vector &u, Vector &g);
  // As Model::take_values(), from the case of the whole.
  void take_values(const Case &c);
  FormOperator &op() { return op_; }

private:
  Case c_;
  Discretisation d_;
  FormOperator op_;
};

} // namespace weft
