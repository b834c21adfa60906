// A program of the OpenCL back end and the binaries it is kept as.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/system/file_lock.h"
#include "device/binary_cache.h"
#include "device/opencl/opencl_api.h"
#include "device/opencl/opencl_memory.h"

namespace weft {

// PoCL compiles a kernel for a work-group size, and for small or large grids, when it is first
// launched so, and a binary holds the kernels and shapes launched so far. So there is a cache entry
// for each shape, written when the program is destroyed or before; its first line names the kernels
// it holds, and no other is launched from it: see stand_in_for_any_size().
// A kernel launched later in that shape gets an entry of its own. Another driver's binary holds
// everything: it is one entry, written at once.
class OpenClProgram : public ProgramImpl {
public:
  // Without a cache the driver keeps what it compiles, or nobody does.
  OpenClProgram(std::shared_ptr<OpenClSession> session, std::shared_ptr<BinaryCache> cache,
                ProgramSource source, const DeviceInfo &info, bool is_pocl);
  ~OpenClProgram() override;

  // Ready to be launched in that shape.
  struct Ready {
    cl_kernel kernel = nullptr;
    // While it lives no other process compiles the same: to be kept until the launch has ended.
    // Null after the first launch, and where processes share nothing.
    std::unique_ptr<FileLock> turn;
  };
  Ready kernel(const std::string &name, const Launch &size);
  // Fetches it from the cache for such launches, where it is there; compiles nothing.
  void load(const std::string &name, const Launch &size);
  // Puts the kernels launched so far into the cache; those launched later are not kept.
  void keep_launched() noexcept;

private:
  // What PoCL compiles a kernel for.
  struct Shape {
    std::int64_t group_size = 1;
    bool large = false; // work-items, beyond what PoCL counts in 16 bits
    auto operator<=>(const Shape &) const = default;
  };
  struct Compiled {
    OpenClProgramHandle program; // none: not in the cache
    std::map<std::string, OpenClKernel> kernels;
    std::set<std::string> held; // kernels that a binary from the cache holds
  };

  std::string key_of(const std::string &entry) const;
  Compiled &from_cache(const std::string &entry); // asks the cache once
  Compiled load(const std::string &entry) const;
  static Shape shape_of(const Launch &size);
  static std::string entry_of(const Shape &shape);
  cl_kernel find_kernel(const std::string &name, const Shape &shape);
  cl_kernel find_in_cache(const std::string &name, const Shape &shape); // null where it is not
  std::unique_ptr<FileLock> turn_in_shared_folder() const;              // null: nobody shares it
  void compile();
  void store(const std::string &entry, const std::set<std::string> &kernels) const;
  void store_launched();
  cl_kernel kernel_of(Compiled &compiled, const std::string &name);

  std::shared_ptr<OpenClSession> session_;
  std::shared_ptr<BinaryCache> cache_;
  ProgramSource source_;
  std::string device_;  // for messages
  std::string head_;    // what the driver's own declarations are replaced with; empty: they stay
  std::string options_; // of the compiler
  std::string key_;     // over text, options, driver and device
  bool binary_per_size_;
  bool kept_ = false; // PoCL was asked for the binary
  std::map<std::pair<Shape, std::string>, cl_kernel> ready_;
  Compiled from_text_;
  std::map<std::string, Compiled> from_cache_;          // by entry
  std::map<Shape, std::set<std::string>> not_in_cache_; // launched from the text
};

} // namespace weft
