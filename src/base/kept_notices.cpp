#include "base/kept_notices.h"

#include <mutex>
#include <optional>

namespace weft::log {

namespace {

constexpr std::size_t most_kept = 100;
std::mutex kept_mutex;
std::optional<std::vector<std::string>> kept; // while there is a KeptNotices

} // namespace

KeptNotices::KeptNotices() {
  const std::lock_guard lock(kept_mutex);
  kept.emplace();
}

KeptNotices::~KeptNotices() {
  const std::lock_guard lock(kept_mutex);
  kept.reset();
}

std::vector<std::string> KeptNotices::texts() const {
  const std::lock_guard lock(kept_mutex);
  return *kept;
}

void keep_notice(std::string_view text) {
  const std::lock_guard lock(kept_mutex);
  if (kept && kept->size() < most_kept)
    kept->emplace_back(text);
}

} // namespace weft::log
