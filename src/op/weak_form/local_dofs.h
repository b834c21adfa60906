// Vectors as the kernels of integrals read them: with what other ranks have, field after field.
#pragma once

#include <optional>

#include "linalg/halo/halo.h"
#include "op/problem/discretisation.h"

namespace weft {

class LocalDofs {
public:
  // `d` must outlive it.
  LocalDofs(Device &device, const Discretisation &d, Precision precision);

  // All: fetches the ghosts of x, which has room for them; nothing without ranks.
  void fetch(const Vector &x);
  // All: fetches them; the entries of all fields in the order of the host. Of one field that is x
  // itself, of several a copy in `storage`, which is made when first needed.
  Buffer read(const Vector &x, Buffer &storage);
  // Of one fetch(); nothing without ranks.
  HaloCounts counts() const { return halo_ ? halo_->counts() : HaloCounts{}; }
  // For measurements: ghosts stay as they are, and nothing is sent.
  void leave_ghosts(bool left) { left_ = left; }

private:
  Device &device_;
  const Discretisation &d_;
  Precision precision_;
  std::optional<Halo> halo_; // among ranks
  bool left_ = false;
};

} // namespace weft
