#include "op/law/law_launch.h"

#include "base/error.h"

namespace weft {

namespace {

bool changes_by_call(ArgumentRole role) {
  using enum ArgumentRole;
  switch (role) {
  case time:
  case before:
  case h:
  case keep:
  case start_factor:
  case state_factor:
  case sum_factor:
  case rate_factor:
  case q:
  case start:
  case sum:
  case out:
  case shortest:
    return true;
  default:
    return false;
  }
}

const Buffer &buffer_of(const Vector *vector) {
  require(vector != nullptr, "a call has the vectors that its kernel reads and writes");
  return vector->buffer;
}

} // namespace

LawLaunch::LawLaunch(Device &device, KernelSource source, Launch size, Precision precision,
                     const std::function<KernelArgument(const ArgumentSpec &)> &fixed)
    : device_(device), source_(std::move(source)), size_(size), precision_(precision),
      program_(
          device.build({.name = source_.name, .text = source_.text, .kernels = {source_.name}})),
      arguments_(source_.arguments.size()) {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (changes_by_call(source_.arguments[i].role))
      of_call_.push_back(i);
    else
      arguments_[i] = fixed(source_.arguments[i]);
}

KernelArgument LawLaunch::of_call(ArgumentRole role, const LawCall &call) const {
  using enum ArgumentRole;
  const auto real = [&](double value) { return real_argument(value, precision_); };
  switch (role) {
  case time:
    return real(call.time);
  case before:
    return real(call.before);
  case h:
    return real(call.h);
  case keep:
    return real(call.update.keep);
  case start_factor:
    return real(call.update.start);
  case state_factor:
    return real(call.update.state);
  case sum_factor:
    return real(call.update.sum);
  case rate_factor:
    return real(call.update.rate);
  case q:
    return buffer_of(call.q);
  case start: // what the update does not use is not read
    return buffer_of(call.update.uses_start ? call.start : call.q);
  case sum:
    return buffer_of(call.update.uses_sum ? call.sum : call.out);
  case out:
    return buffer_of(call.out);
  case shortest:
    return buffer_of(call.shortest);
  default:
    require(false, "a call has what changes by call");
    return {};
  }
}

void LawLaunch::run(const LawCall &call) {
  for (const std::size_t i : of_call_)
    arguments_[i] = of_call(source_.arguments[i].role, call);
  device_.launch(program_, source_.name, size_, arguments_);
}

} // namespace weft
