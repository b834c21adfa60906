// Time derivatives as implicit schemes have them: dt(u) = shift * u + offset, where the offset is
// made of states already known; dt(dt(u)) in the same way, with a shift and an offset of its own.
#pragma once

#include <vector>

#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"

namespace weft {

// Which shift: components of the symbol. Schemes take another one for dt(u) of fields that have
// dt(dt(u)), too.
inline constexpr int first_order_shift = 0;  // dt(u) of other fields
inline constexpr int velocity_shift = 1;     // dt(u) of fields that have dt(dt(u))
inline constexpr int acceleration_shift = 2; // dt(dt(u))
inline constexpr int num_shifts = 3;
inline constexpr int highest_rate_order = 2;

// [field]: the highest time derivative in any integral: 0, 1 or 2.
std::vector<int> time_orders(const Form &form);

// The function with time derivatives of fields and directions expressed by fields, directions,
// rate_offset and shift, and so their gradients and second derivatives; the same function where it
// has none. `orders`: see time_orders().
PointwiseFunction with_shift(const PointwiseFunction &function, const std::vector<int> &orders);

// What multiplies the rates of directions in a linearised function, with them: the mass, and
// dt(dt()) in the same way.
PointwiseFunction rate_part(const PointwiseFunction &linearised);

} // namespace weft
