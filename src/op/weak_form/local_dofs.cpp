#include "op/weak_form/local_dofs.h"

#include "op/problem/dof_layout.h"

namespace weft {

LocalDofs::LocalDofs(Device &device, const Discretisation &d, Precision precision)
    : device_(device), d_(d), precision_(precision) {
  if (d.ranks)
    halo_.emplace(device, *d.ranks, dof_halo(d), precision);
}

void LocalDofs::fetch(const Vector &x) {
  if (halo_ && !left_)
    halo_->exchange(x.buffer);
}

Buffer LocalDofs::read(const Vector &x, Buffer &storage) {
  if (!x.buffer)
    return nullptr; // the state of a linear form, which nothing reads
  fetch(x);
  const std::size_t num_fields = d_.form.fields.size();
  if (!halo_ || num_fields == 1)
    return x.buffer;
  const std::uint64_t each = size_bytes(precision_);
  if (!storage)
    storage = device_.allocate(d_.num_local * each, "dofs with those of other ranks");
  for (std::size_t f = 0; f < num_fields; ++f) {
    const NodeMap &map = d_.map_of_field(static_cast<int>(f));
    const int components = d_.form.fields[f].components();
    const std::uint64_t own = map.num_owned * components;
    const std::uint64_t ghosts = (map.num_local - map.num_owned) * components;
    if (own > 0)
      device_.copy(x.buffer, storage, own * each, d_.own_offset[f] * each,
                   d_.field_offset[f] * each);
    if (ghosts > 0)
      device_.copy(x.buffer, storage, ghosts * each, d_.ghost_offset[f] * each,
                   (d_.field_offset[f] + own) * each);
  }
  return storage;
}

} // namespace weft
