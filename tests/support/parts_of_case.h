// A case on ranks that are threads, each with its part of the case's mesh; without devices.
#pragma once

#include <functional>
#include <string>

#include "form/expression/place_condition.h"
#include "mesh/make/distribute_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "ranks/thread_ranks.h"
#include "support/case_text.h"

namespace weft {

// Runs body on so many ranks.
inline void on_parts_of(const std::string &text, int size,
                        const std::function<void(const Case &, const Discretisation &)> &body) {
  Case whole = read_text(text);
  whole.mesh.condition_holds = conditions_at_points(whole.form);
  run_thread_ranks(size, [&](Communicator &ranks) {
    Timings timings;
    const Mesh mesh = distribute_mesh(
        whole.mesh, ranks, [](CellType) { return 1.0; }, timings);
    Case c = whole;
    resolve_dimension(c, mesh.dim);
    const Discretisation d = make_discretisation(c, mesh, {}, &ranks);
    body(c, d);
  });
}

} // namespace weft
