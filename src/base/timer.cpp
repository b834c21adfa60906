#include "base/timer.h"

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace weft {

double seconds_since_process_start() {
  // /proc/self/stat field 22 is the start time in clock ticks since boot; /proc/uptime is now.
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream after_name(line.substr(line.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 22 && after_name >> field; ++i) {
  }
  double uptime = 0;
  std::ifstream("/proc/uptime") >> uptime;
  return uptime - std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace weft
