#include "device/profiling_device.h"

#include <utility>

namespace weft {

KernelProfile &KernelProfile::operator+=(const KernelProfile &other) {
  seconds.insert(seconds.end(), other.seconds.begin(), other.seconds.end());
  counted += other.counted;
  num_counted += other.num_counted;
  array_bytes += other.array_bytes;
  for (const auto &[octave, bytes] : other.near_array_bytes)
    near_array_bytes[octave] += bytes;
  if (!use)
    use = other.use;
  groups += other.groups;
  return *this;
}

std::map<std::string, StageProfile> ProfilingDevice::take_stages() {
  return std::exchange(stages_, {});
}

std::map<std::string, KernelProfile> ProfilingDevice::take_profile() {
  std::map<std::string, KernelProfile> kernels;
  for (const auto &[path, stage] : take_stages())
    for (const auto &[name, kernel] : stage.kernels)
      kernels[name] += kernel;
  return kernels;
}

void ProfilingDevice::enter_stage(const std::string &name) {
  const std::string path = open_.empty() ? name : open_.back().path + "/" + name;
  if (on_)
    finish(); // what was done before is no part of it
  open_.push_back({.path = path, .timer = {}, .watched = on_});
}

void ProfilingDevice::leave_stage() {
  const OpenStage &stage = open_.back();
  if (on_ && stage.watched) {
    finish();
    stages_[stage.path].seconds += stage.timer.seconds();
  }
  open_.pop_back();
}

void ProfilingDevice::timed(const std::string &kernel, const std::vector<Buffer> &arrays,
                            const std::function<void()> &work) {
  finish();
  const Timer timer;
  work();
  finish();
  const double seconds = timer.seconds();
  KernelProfile profile;
  profile.seconds = {seconds};
  const TouchedArrays touched = reuse_.touch(arrays);
  profile.array_bytes = touched.bytes;
  profile.near_array_bytes = touched.near_bytes;
  if (next_) {
    profile.counted = *next_;
    profile.num_counted = 1;
    next_.reset();
  }
  profile_of(kernel) += profile;
}

void ProfilingDevice::launch(const Program &program, const std::string &kernel, Launch size,
                             const std::vector<KernelArgument> &arguments) {
  const auto work = [&] { ForwardingDevice::launch(program, kernel, size, arguments); };
  if (!on_)
    return work();
  std::vector<Buffer> arrays;
  for (const KernelArgument &argument : arguments)
    if (const auto *array = std::get_if<Buffer>(&argument))
      arrays.push_back(*array);
  KernelProfile &profile = profile_of(kernel);
  if (!profile.use)
    profile.use = launch_use(program, kernel, size, arguments);
  profile.groups += static_cast<double>(size.groups);
  timed(kernel, arrays, work);
}

void ProfilingDevice::copy(const Buffer &from, const Buffer &to, std::uint64_t bytes,
                           std::uint64_t from_offset, std::uint64_t to_offset) {
  const auto work = [&] { ForwardingDevice::copy(from, to, bytes, from_offset, to_offset); };
  if (!on_)
    return work();
  const auto moved = static_cast<double>(bytes);
  next_ = KernelCost{.bytes_read = moved, .bytes_written = moved, .launches = 1};
  timed("copy", {from, to}, work);
}

void ProfilingDevice::fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) {
  const auto work = [&] { ForwardingDevice::fill_zero(buffer, bytes, offset); };
  if (!on_)
    return work();
  next_ = KernelCost{.bytes_written = static_cast<double>(bytes), .launches = 1};
  timed("zero", {buffer}, work);
}

} // namespace weft
