#include "base/system/way_to_go_on.h"

#include <mutex>

namespace weft {

namespace {

std::mutex way_mutex;
std::string way;

} // namespace

void set_way_to_go_on(const std::string &line) {
  const std::lock_guard lock(way_mutex);
  way = line;
}

std::string way_to_go_on() {
  const std::lock_guard lock(way_mutex);
  return way;
}

} // namespace weft
