#include "base/system/ownership.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft {

std::string reason_to_distrust(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    return {};
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return fmt::format("it belongs to user {}", status.st_uid);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("its mode {:04o} lets others write", status.st_mode & 07777);
  return {};
}

} // namespace weft
