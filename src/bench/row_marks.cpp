#include "bench/row_marks.h"

#include <fmt/format.h>

namespace weft {

namespace {

// From which on a share is printed as more than 100%.
constexpr double all_of_limit = 1.005;

} // namespace

std::string RowMarks::mark(const std::string &disturbance, double share_of_limit, bool in_cache) {
  ++rows_;
  if (!disturbance.empty()) {
    if (busy_++ == 0)
      first_disturbance_ = disturbance;
    return "busy";
  }
  if (share_of_limit < all_of_limit)
    return "";
  ++(in_cache ? cached_ : over_);
  return in_cache ? "cache" : "over";
}

std::string RowMarks::mark(const KernelRecord &record) {
  return mark(record.disturbance.value_or(""), record.fraction.value_or(0), record.in_cache);
}

std::string RowMarks::explained() const {
  std::string text;
  if (busy_ > 0)
    text += fmt::format("busy: {} of {} rows were timed while something else used the machine (the "
                        "first: {}); compare them with nothing, and time them again when it is "
                        "quiet\n",
                        busy_, rows_, first_disturbance_);
  if (cached_ > 0)
    text += fmt::format("cache: {} of {} rows move less than the last cache holds, so that the "
                        "bandwidth of memory is no limit of theirs\n",
                        cached_, rows_);
  if (over_ > 0)
    text += fmt::format("over: {} of {} rows pass the limit, which was measured in turn, by as "
                        "much as measurement allows\n",
                        over_, rows_);
  return text;
}

void print_explained(const RowMarks &marks) {
  fmt::print("{}", marks.explained());
  std::fflush(stdout);
}

void add_state(nlohmann::ordered_json &row, const std::string &disturbance, bool in_cache) {
  row["in_cache"] = in_cache;
  row["disturbed"] = !disturbance.empty();
  row["disturbance"] = nullptr;
  if (!disturbance.empty())
    row["disturbance"] = disturbance;
}

} // namespace weft
