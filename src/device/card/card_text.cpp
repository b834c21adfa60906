#include "device/card/card_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr double most = 1e12; // of any figure: beyond it is a slip

CardFigure text(const char *name, std::string &value) {
  return {name, "a text", [&] { return Json(value); },
          [&](const Json &json) {
            if (json.is_string())
              value = json.get<std::string>();
            return json.is_string();
          }};
}

// "sm_90", or empty.
bool is_architecture(const std::string &value) {
  return value.empty() || (value.starts_with("sm_") && value.size() > 3 && value.size() <= 6 &&
                           std::all_of(value.begin() + 3, value.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; }));
}

CardFigure architecture(const char *name, std::string &value) {
  return {name, "sm_90 and the like, or an empty text", [&] { return Json(value); },
          [&](const Json &json) {
            if (!json.is_string() || !is_architecture(json.get<std::string>()))
              return false;
            value = json.get<std::string>();
            return true;
          }};
}

CardFigure number(const char *name, double &value) {
  return {name, "a number, 0 or more", [&] { return Json(value); },
          [&](const Json &json) {
            if (!json.is_number() || !(json.get<double>() >= 0 && json.get<double>() <= most))
              return false;
            value = json.get<double>();
            return true;
          }};
}

CardFigure count(const char *name, int &value) {
  return {name, "a whole number, 0 or more", [&] { return Json(value); },
          [&](const Json &json) {
            if (!json.is_number_integer() || json.get<std::int64_t>() < 0 ||
                json.get<std::int64_t>() > std::int64_t{1} << 30)
              return false;
            value = json.get<int>();
            return true;
          }};
}

} // namespace

std::vector<CardFigure> figures_of(Card &card) {
  return {text("name", card.name),
          text("vendor", card.vendor),
          architecture("architecture", card.architecture),
          count("units", card.units),
          number("clock_ghz", card.clock_ghz),
          number("memory_gb", card.memory_gb),
          number("memory_gbps", card.memory_gbps),
          number("cache_mb", card.cache_mb),
          number("cache_gbps", card.cache_gbps),
          number("memory_latency_s", card.memory_latency_s),
          number("f64_gflops", card.f64_gflops),
          number("f32_gflops", card.f32_gflops),
          count("block_shared_bytes", card.block_shared_bytes),
          count("max_work_group", card.max_work_group),
          count("limits.warps", card.limits.warps),
          count("limits.blocks", card.limits.blocks),
          count("limits.registers", card.limits.registers),
          count("limits.shared_bytes", card.limits.shared_bytes),
          count("limits.reserved_shared_bytes", card.limits.reserved_shared_bytes),
          text("sources", card.sources)};
}

Json card_json(const Card &card) {
  Card copy = card;
  Json json;
  for (const CardFigure &figure : figures_of(copy))
    json[figure.name] = figure.get();
  return json;
}

std::string card_table(const Card &card) {
  const auto row = [](const std::string &what, const std::string &value) {
    return fmt::format("  {:<44} {}\n", what, value);
  };
  const auto figure = [&](const std::string &what, double value, const char *unit,
                          const char *otherwise) {
    return row(what, value > 0 ? fmt::format("{:.4g} {}", value, unit) : std::string(otherwise));
  };
  return fmt::format("{}: a model, by published figures; nothing was measured\n", card.name) +
         row("multiprocessors or compute units",
             fmt::format("{} at {:.4g} GHz", card.units, card.clock_ghz)) +
         figure("memory", card.memory_gb, "GB", "") +
         figure("bandwidth of memory", card.memory_gbps, "GB/s", "") +
         figure("latency of memory", 1e9 * card.memory_latency_s, "ns", "not published") +
         figure("cache of all units", card.cache_mb, "MB", "none") +
         figure("bandwidth of this cache", card.cache_gbps, "GB/s", "not published") +
         figure("bandwidth of local memory", card.shared_gbps(), "GB/s", "") +
         figure("multiply-adds, f64", card.f64_gflops, "GFlop/s", "none") +
         figure("multiply-adds, f32", card.f32_gflops, "GFlop/s", "none") +
         row("flops for a byte of memory, f64",
             fmt::format("{:.3g}", card.f64_gflops / card.memory_gbps)) +
         row("a unit has at once",
             fmt::format(
                 "{} warps of 32 threads, {} groups, {} registers, {} bytes of local memory",
                 card.limits.warps, card.limits.blocks, card.limits.registers,
                 card.limits.shared_bytes)) +
         row("sources", card.sources);
}

} // namespace weft
