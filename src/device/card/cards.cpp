#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/names.h"
#include "base/system/input_file.h"
#include "device/card/card.h"
#include "device/card/card_text.h"

namespace weft {

namespace {

constexpr int kilobyte = 1024;
// Latencies of memory: cycles of a load that misses all caches, over the clock.
constexpr const char *table_3 = "cache and latency: table 3 of doi:10.1016/j.ultsonch.2023.106546";
constexpr const char *andersch =
    "latency of a chip of its generation: Andersch et al. 2015, doi:10.1109/ISPASS.2015.7095801";

double cycles(double number, double ghz) {
  return 1e-9 * number / ghz;
}

std::vector<Card> make_cards() {
  return {
      {.key = "h100",
       .name = "NVIDIA H100 SXM",
       .vendor = "NVIDIA",
       .architecture = "sm_90",
       .units = 132,
       .clock_ghz = 1.98,
       .memory_gb = 80,
       .memory_gbps = 3350,
       .cache_mb = 50,
       .cache_gbps = 5120 * 1.755,
       .memory_latency_s = cycles(400, 1.755),
       .f64_gflops = 33500,
       .f32_gflops = 66900,
       .limits = multiprocessor_limits(90),
       .sources = fmt::format("NVIDIA H100 data sheet and architecture white paper; {}", table_3)},
      {.key = "a100",
       .name = "NVIDIA A100 SXM 80 GB",
       .vendor = "NVIDIA",
       .architecture = "sm_80",
       .units = 108,
       .clock_ghz = 1.41,
       .memory_gb = 80,
       .memory_gbps = 2039,
       .cache_mb = 40,
       .cache_gbps = 5120 * 1.41,
       .memory_latency_s = cycles(400, 1.41),
       .f64_gflops = 9700,
       .f32_gflops = 19500,
       .limits = multiprocessor_limits(80),
       .sources = fmt::format("NVIDIA A100 data sheet and architecture white paper; {}", table_3)},
      {.key = "v100",
       .name = "NVIDIA V100 SXM2",
       .vendor = "NVIDIA",
       .architecture = "sm_70",
       .units = 80,
       .clock_ghz = 1.53,
       .memory_gb = 16,
       .memory_gbps = 900,
       .cache_mb = 6.3,
       .cache_gbps = 2048 * 1.53,
       .memory_latency_s = cycles(400, 1.53),
       .f64_gflops = 7800,
       .f32_gflops = 15700,
       .limits = multiprocessor_limits(70),
       .sources = fmt::format("NVIDIA V100 data sheet and architecture white paper; {}", table_3)},
      {.key = "rtx4090",
       .name = "NVIDIA GeForce RTX 4090",
       .vendor = "NVIDIA",
       .architecture = "sm_89",
       .units = 128,
       .clock_ghz = 2.52,
       .memory_gb = 24,
       .memory_gbps = 1008,
       .cache_mb = 75.5,
       .f64_gflops = 1290,
       .f32_gflops = 82600,
       .limits = multiprocessor_limits(89),
       .sources = "NVIDIA Ada GPU architecture white paper"},
      {.key = "mi250x",
       .name = "AMD Instinct MI250X, one of its two dies",
       .vendor = "AMD",
       .units = 110,
       .clock_ghz = 1.7,
       .memory_gb = 64,
       .memory_gbps = 1638,
       .cache_mb = 8.4,
       .cache_gbps = 32 * 128 * 1.7,
       .f64_gflops = 23900,
       .f32_gflops = 23900,
       .block_shared_bytes = 64 * kilobyte,
       .limits = {.warps = 64, .blocks = 32, .registers = 131072, .shared_bytes = 64 * kilobyte},
       .sources = "AMD Instinct MI250X data sheet, CDNA 2 architecture white paper"},
      {.key = "gtx580",
       .name = "NVIDIA GeForce GTX 580",
       .vendor = "NVIDIA",
       .architecture = "sm_20",
       .units = 16,
       .clock_ghz = 1.544,
       .memory_gb = 1.5,
       .memory_gbps = 192.4,
       .cache_mb = 0.79,
       .memory_latency_s = cycles(685, 1.544),
       .f64_gflops = 197.6,
       .f32_gflops = 1581,
       .limits = {.warps = 48, .blocks = 8, .registers = 32768, .shared_bytes = 48 * kilobyte},
       .sources = fmt::format("NVIDIA GTX 580 specification, Fermi white paper; {}", andersch)},
      {.key = "gtx280",
       .name = "NVIDIA GeForce GTX 280",
       .vendor = "NVIDIA",
       .architecture = "sm_13",
       .units = 30,
       .clock_ghz = 1.296,
       .memory_gb = 1,
       .memory_gbps = 141.7,
       .memory_latency_s = cycles(440, 1.296),
       .f64_gflops = 77.8,
       .f32_gflops = 622,
       .block_shared_bytes = 16 * kilobyte,
       .max_work_group = 512,
       .limits = {.warps = 32, .blocks = 8, .registers = 16384, .shared_bytes = 16 * kilobyte},
       .sources =
           fmt::format("NVIDIA GTX 280 specification; rates of multiply-adds alone; {}", andersch)},
      {.key = "k20m",
       .name = "NVIDIA Tesla K20m",
       .vendor = "NVIDIA",
       .architecture = "sm_35",
       .units = 13,
       .clock_ghz = 0.706,
       .memory_gb = 5,
       .memory_gbps = 208,
       .cache_mb = 1.3,
       .memory_latency_s = cycles(300, 0.706),
       .f64_gflops = 1170,
       .f32_gflops = 3520,
       .limits = {.warps = 64, .blocks = 16, .registers = 65536, .shared_bytes = 48 * kilobyte},
       .sources = fmt::format("NVIDIA Tesla K20 board specification; {}", andersch)},
      {.key = "gtx750ti",
       .name = "NVIDIA GeForce GTX 750 Ti",
       .vendor = "NVIDIA",
       .architecture = "sm_50",
       .units = 5,
       .clock_ghz = 1.085,
       .memory_gb = 2,
       .memory_gbps = 86.4,
       .cache_mb = 2.1,
       .memory_latency_s = cycles(350, 1.085),
       .f64_gflops = 43.4,
       .f32_gflops = 1389,
       .limits = multiprocessor_limits(50),
       .sources = fmt::format("NVIDIA GTX 750 Ti white paper; {}", andersch)},
  };
}

std::vector<std::string> keys_of_cards() {
  std::vector<std::string> keys;
  for (const Card &card : cards())
    keys.push_back(card.key);
  return keys;
}

Card card_of_key(const std::string &key, const std::string &place) {
  const auto found = std::find_if(cards().begin(), cards().end(),
                                  [&](const Card &card) { return card.key == key; });
  if (found == cards().end())
    throw Error(ErrorKind::input,
                {.what = "no such model of a device",
                 .where = place,
                 .found = key,
                 .allowed = join_names(keys_of_cards()) + ", or a JSON file of one",
                 .remedy = "weft devices --model h100 --json writes one to begin with"});
  return *found;
}

Card card_of_file(const std::string &path) {
  const std::string text = read_input_text(
      path, {.what = "file of a device's model",
             .allowed = "JSON",
             .remedy = "weft devices --model h100 --json writes one to begin with"});
  const auto wrong = [&](const std::string &what, const std::string &found,
                         const std::string &allowed) {
    return Error(ErrorKind::input,
                 {.what = what, .where = path, .found = found, .allowed = allowed});
  };
  const std::optional<nlohmann::ordered_json> json = parse_json(text);
  if (!json || !json->is_object())
    throw wrong("the file is no JSON object", "", R"({"like": "h100", "memory_gbps": 2000})");
  Card card;
  if (const auto like = json->find("like"); like != json->end()) {
    if (!like->is_string())
      throw wrong("\"like\" is no text", like->type_name(), join_names(keys_of_cards()));
    card = card_of_key(like->get<std::string>(), path);
  }
  card.key = path;
  const std::vector<CardFigure> figures = figures_of(card);
  std::vector<std::string> names = {"like"};
  for (const CardFigure &figure : figures)
    names.push_back(figure.name);
  for (const auto &[name, value] : json->items()) {
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&name = name](const auto &f) { return f.name == name; });
    if (name == "like")
      continue;
    if (found == figures.end())
      throw wrong("no such figure of a device", name, join_names(names));
    if (!found->set(value))
      throw wrong(fmt::format("\"{}\" is not what it should be", name), json_text(value),
                  found->allowed);
  }
  for (const auto &[what, number] : {std::pair<const char *, double>{"units", card.units},
                                     {"clock_ghz", card.clock_ghz},
                                     {"memory_gb", card.memory_gb},
                                     {"memory_gbps", card.memory_gbps},
                                     {"f32_gflops", card.f32_gflops},
                                     {"max_work_group", card.max_work_group},
                                     {"limits.warps", card.limits.warps},
                                     {"limits.blocks", card.limits.blocks},
                                     {"limits.registers", card.limits.registers}})
    if (!(number > 0))
      throw wrong(fmt::format("\"{}\" is missing or 0", what), "", "a positive number");
  return card;
}

} // namespace

const std::vector<Card> &cards() {
  static const std::vector<Card> all = make_cards();
  return all;
}

Card find_card(const std::string &name, const std::string &place) {
  return name.ends_with(".json") ? card_of_file(name) : card_of_key(name, place);
}

std::optional<Card> card_of_device(const std::string &device) {
  const std::string of_model = "model:";
  if (!device.starts_with(of_model))
    return {};
  return find_card(device.substr(of_model.size()), "--device");
}

} // namespace weft
