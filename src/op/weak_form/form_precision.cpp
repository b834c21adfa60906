// The operator of a form in another precision.
#include "op/weak_form/form_operator.h"

namespace weft {

namespace {

Vector converted(Device &device, const VectorLayout &layout, const Vector &from, Precision to) {
  Vector v = make_vector(device, layout, to, "vector in another precision");
  set_vector(device, v, get_vector(device, from));
  return v;
}

} // namespace

FormOperator *FormOperator::in_precision(Precision p) {
  if (p == precision())
    return this;
  if (!device_.info().has_f64 || arithmetic_precision(p) != p)
    return nullptr;
  if (!other_) {
    OperatorSettings settings = settings_;
    settings.precision = p;
    settings.lanes.reset(); // as many as a vector of this precision has
    other_ = std::make_unique<FormOperator>(device_, d_, settings);
  }
  other_->set_time(time_);
  other_->hold(held_);
  const auto in_other = [&](const Vector &offset) {
    return offset.buffer ? converted(device_, layout(), offset, p) : Vector{};
  };
  other_->take_rates(*this, in_other(rate_offset_), in_other(second_offset_));
  if (state_.buffer)
    other_->linearise(converted(device_, layout(), state_, p));
  return other_.get();
}

} // namespace weft
