// How many programs this process has compiled, which none of its caches had.
#pragma once

namespace weft {

// Called by a back end before it compiles one. Thread-safe.
void note_compilation();
int num_compilations();

} // namespace weft
