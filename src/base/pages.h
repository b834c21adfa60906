// Memory for long arrays.
#pragma once

#include <cstddef>

namespace weft {

// From 2 MiB on whole pages of that size, where the system has them: the first touch of small ones
// takes five times as long. What was freed is given out again before the system is asked for more:
// new memory takes a virtual machine up to 30 times as long as memory that it had before. Contents
// are undefined. Throws std::bad_alloc; where the system refuses to move freed pages that lie
// apart, those are lost. Both are thread-safe.
void *allocate_pages(std::size_t bytes);
// `bytes`: those it was allocated with.
void free_pages(void *address, std::size_t bytes);

} // namespace weft
