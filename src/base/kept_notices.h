// Notices kept for the record of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::log {

// Keeps the notices (base/log.h) that are given while it lives, with -q too; one at a time.
class KeptNotices {
public:
  KeptNotices();
  ~KeptNotices();
  KeptNotices(const KeptNotices &) = delete;
  KeptNotices &operator=(const KeptNotices &) = delete;

  std::vector<std::string> texts() const; // the first hundred
};

// What notice() calls.
void keep_notice(std::string_view text);

} // namespace weft::log
