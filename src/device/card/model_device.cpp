#include "device/card/model_device.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "device/cuda/nvrtc.h"
#include "device/dialect.h"
#include "device/forwarding_device.h"
#include "device/host/host_device.h"
#include "device/opencl/opencl_device.h"

namespace weft {

namespace {

// Groups of a launch that are counted: those at the begin and the end may be half empty.
constexpr int num_counted_groups = 8;

// The same program in another back end's language.
ProgramSource in_dialect(ProgramSource source, const std::string &from, const std::string &to) {
  for (const auto text : {dialect_text, stored_dialect_text}) {
    const std::string old = text(from);
    if (const std::size_t at = source.text.find(old); at != std::string::npos)
      source.text.replace(at, old.size(), text(to));
  }
  return source;
}

// The architecture that NVRTC compiles for which is nearest to `wanted`, "sm_35".
std::string nearest_architecture(const std::string &wanted) {
  const int capability = std::stoi(wanted.substr(wanted.find('_') + 1));
  int nearest = 0;
  for (const int known : nvrtc_architectures())
    if (nearest == 0 || std::abs(known - capability) < std::abs(nearest - capability))
      nearest = known;
  return fmt::format("sm_{}", nearest);
}

class ModelDevice : public ForwardingDevice {
public:
  ModelDevice(std::unique_ptr<Device> cpu, const Card &card)
      : ForwardingDevice(std::move(cpu)), card_(card), info_(ForwardingDevice::info()) {
    info_.selector = "model:" + card.key;
    info_.name = card.name + " (model)";
    info_.vendor = card.vendor;
    info_.architecture = info_.identity = info_.selector;
    info_.is_cpu = false;
    info_.compute_units = card.units;
    info_.memory_bytes = info_.max_allocation_bytes =
        static_cast<std::uint64_t>(1e9 * card.memory_gb);
    info_.local_memory_bytes =
        std::min(info_.local_memory_bytes, static_cast<std::uint64_t>(card.block_shared_bytes));
    info_.last_cache_bytes = static_cast<std::uint64_t>(1e6 * card.cache_mb);
    info_.max_work_group = std::min(info_.max_work_group, card.max_work_group);
    info_.has_f64 = info_.has_f64 && card.f64_gflops > 0;
  }

  const DeviceInfo &info() const override { return info_; }

  Program build(const ProgramSource &source) override {
    const Program program = ForwardingDevice::build(source);
    // What is freed may be built anew at the same place.
    sources_[program.get()] = {source, {}, false, {}};
    return program;
  }

  std::optional<LaunchUse> launch_use(const Program &program, const std::string &kernel,
                                      Launch size,
                                      const std::vector<KernelArgument> &arguments) override {
    const auto found = sources_.find(program.get());
    require(found != sources_.end(), "a kernel is looked at before its program is built");
    Built &built = found->second;
    LaunchUse use{.groups = size.groups, .group_size = static_cast<int>(size.group_size)};
    if (built.source.text.find("#define WEFT_REAL_F64") == std::string::npos)
      use.precision = Precision::f32;
    use.warps = count_warps(built, kernel, size, arguments);
    if (const CudaKernelUse *of_kernel = assembled(built, kernel)) {
      use.registers = of_kernel->registers;
      use.occupancy = occupancy(*of_kernel, use.group_size, card_.limits);
    }
    return use;
  }

private:
  struct Built {
    ProgramSource source;
    Program of_host;
    bool no_host = false;
    std::optional<std::vector<CudaKernelUse>> assembled;
  };

  std::optional<WarpCounts> count_warps(Built &built, const std::string &kernel, Launch size,
                                        const std::vector<KernelArgument> &arguments) {
    if (built.no_host || size.group_size < 2)
      return {};
    if (!host_)
      host_ = open_host_device({.warps = true, .gpu = true, .sample = num_counted_groups});
    try {
      if (!built.of_host)
        built.of_host = host_->build(in_dialect(built.source, "opencl", "host"));
    } catch (const Error &error) {
      built.no_host = true;
      if (!std::exchange(told_, true))
        log::notice("what warps do is left out: {}", error.what());
      return {};
    }
    // On copies, as the launch itself is still to come.
    finish();
    std::map<const BufferImpl *, Buffer> copies;
    std::vector<KernelArgument> of_host = arguments;
    for (KernelArgument &argument : of_host)
      if (auto *buffer = std::get_if<Buffer>(&argument); buffer && *buffer) {
        Buffer &copy = copies[buffer->get()];
        if (!copy) {
          std::vector<char> bytes((*buffer)->bytes);
          if (!bytes.empty())
            read(*buffer, bytes.data(), bytes.size());
          copy = upload(*host_, bytes, "copy");
        }
        *buffer = copy;
      }
    take_warp_counts(*host_);
    take_counted_costs(*host_);
    host_->launch(built.of_host, kernel, size, of_host);
    const double num_run = take_counted_costs(*host_).at(kernel).work_groups;
    return static_cast<double>(size.groups) / num_run * take_warp_counts(*host_).at(kernel);
  }

  // Null: not known.
  const CudaKernelUse *assembled(Built &built, const std::string &kernel) {
    if (card_.architecture.empty() || !nvrtc_available())
      return nullptr;
    if (!built.assembled)
      built.assembled = cuda_kernel_use(in_dialect(built.source, "opencl", "cuda"),
                                        nearest_architecture(card_.architecture));
    for (const CudaKernelUse &use : *built.assembled)
      if (use.kernel == kernel)
        return &use;
    return nullptr;
  }

  Card card_;
  DeviceInfo info_;
  std::map<const ProgramImpl *, Built> sources_;
  std::unique_ptr<Device> host_;
  bool told_ = false;
};

} // namespace

std::unique_ptr<ProfilingDevice> open_watched_model(const Card &card) {
  return std::make_unique<ProfilingDevice>(
      std::make_unique<ModelDevice>(open_opencl_device(0, true), card));
}

} // namespace weft
