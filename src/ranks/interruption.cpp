#include "ranks/interruption.h"

#include "base/system/interruption.h"

namespace weft {

bool interrupted(Communicator *ranks) {
  const bool own = interrupted();
  if (!ranks)
    return own;
  const int signal = static_cast<int>(largest(ranks, own ? interruption() : 0));
  if (signal != 0)
    request_interruption(signal);
  return signal != 0;
}

} // namespace weft
