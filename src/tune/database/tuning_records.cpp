#include "tune/database/tuning_records.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>

namespace weft {

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string time_text(std::int64_t time_us) {
  const auto seconds = static_cast<std::time_t>(time_us / 1000000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     time_us % 1000000);
}

std::optional<std::int64_t> time_from_text(const std::string &text) {
  std::tm utc{};
  int fraction = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%6dZ", &utc.tm_year, &utc.tm_mon,
                  &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &fraction) != 7)
    return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const std::int64_t time_us = std::int64_t{timegm(&utc)} * 1000000 + fraction;
  // What reads otherwise than it is written ("13th month") is no time.
  return time_us >= 0 && time_text(time_us) == text ? std::optional(time_us) : std::nullopt;
}

} // namespace weft
