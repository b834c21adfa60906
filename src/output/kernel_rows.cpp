#include "output/kernel_rows.h"

#include <ctime>
#include <fmt/chrono.h>

#include "base/json_text.h"
#include "base/system/atomic_file.h"
#include "base/system/processor.h"
#include "base/version.h"
#include "output/csv.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json value_of(const std::string &text) {
  return text.empty() ? Json() : Json(text);
}

template <typename Number> Json value_of(const std::optional<Number> &number) {
  return number ? Json(*number) : Json();
}

// count / seconds * scale, where both are known.
template <typename Number>
Json rate(const std::optional<Number> &count, const KernelRecord &r, double scale = 1) {
  if (!count || !r.seconds || *r.seconds <= 0)
    return {};
  return static_cast<double>(*count) / *r.seconds * scale;
}

std::string csv_value(const Json &value) {
  if (value.is_null())
    return "";
  return value.is_string() ? csv_field(value.get<std::string>()) : json_text(value);
}

} // namespace

Json to_json(const KernelRecord &r) {
  return {
      {"kernel", value_of(r.kernel)},
      {"form", value_of(r.form)},
      {"cell", value_of(r.cell)},
      {"element", value_of(r.element)},
      {"strategy", value_of(r.strategy)},
      {"geometry", value_of(r.geometry)},
      {"variant", value_of(r.variant)},
      {"device", value_of(r.device)},
      {"threads", value_of(r.threads)},
      {"precision", value_of(r.precision)},
      {"cells", value_of(r.cells)},
      {"dofs", value_of(r.dofs)},
      {"seconds", value_of(r.seconds)},
      {"cells_per_s", rate(r.cells, r)},
      {"dofs_per_s", rate(r.dofs, r)},
      {"flops", value_of(r.flops)},
      {"bytes", value_of(r.bytes)},
      {"gflops", rate(r.flops, r, 1e-9)},
      {"gbps", rate(r.bytes, r, 1e-9)},
      {"stream_gbps", value_of(r.stream_gbps)},
      {"peak_gflops", value_of(r.peak_gflops)},
      {"predicted_s", value_of(r.predicted_s)},
      {"fraction", value_of(r.fraction)},
      {"in_cache", r.in_cache},
      {"disturbed", r.disturbance ? Json(!r.disturbance->empty()) : Json()},
      {"disturbance", value_of(r.disturbance.value_or(""))},
  };
}

Json provenance() {
  return {{"version", version()},
          {"commit", value_of(commit())},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"processor", processor_name()}};
}

Json bench_json_head(const MachineRecord &machine) {
  Json head = provenance();
  head["machine"] = {{"device", machine.device},
                     {"driver", machine.driver},
                     {"cores", machine.cores},
                     {"stream_gbps", value_of(machine.stream_gbps)},
                     {"peak_gflops_f64", value_of(machine.peak_gflops_f64)},
                     {"peak_gflops_f32", value_of(machine.peak_gflops_f32)}};
  return head;
}

void write_bench_json(const std::string &path, const MachineRecord &machine,
                      const std::vector<KernelRecord> &rows) {
  std::vector<Json> all;
  for (const KernelRecord &row : rows)
    all.push_back(to_json(row));
  write_bench_json(path, machine, all);
}

void write_bench_json(const std::string &path, const MachineRecord &machine,
                      const std::vector<Json> &rows) {
  Json json = bench_json_head(machine);
  json["rows"] = rows;
  write_text_file(path, json_text(json, 2) + "\n");
}

void write_rows_csv(const std::string &path, const std::vector<Json> &rows) {
  std::string text;
  const auto line = [&](const std::vector<std::string> &fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += (i > 0 ? "," : "") + fields[i];
    text += "\n";
  };
  const Json from = provenance();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> keys, fields;
    for (const Json *part : {&rows[i], &from})
      for (const auto &[key, value] : part->items()) {
        keys.push_back(csv_field(key));
        fields.push_back(csv_value(value));
      }
    if (i == 0)
      line(keys);
    line(fields);
  }
  write_text_file(path, text);
}

void write_bench_csv(const std::string &path, const std::vector<KernelRecord> &rows) {
  std::vector<Json> lines;
  for (const KernelRecord &row : rows)
    lines.push_back(to_json(row));
  write_rows_csv(path, lines);
}

} // namespace weft
