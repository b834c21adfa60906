#include "bench/integration/bench_integration.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.h"
#include "base/system/atomic_file.h"
#include "bench/bench_options.h"
#include "device/machine_record_of.h"
#include "run/variants/known_machine.h"
#include "tune/database/tuning_database.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const IntegrationRow &row) {
  Json json = to_json(row.record);
  json["loop_order"] = to_string(row.loop_order);
  json["paper_accesses"] = paper_accesses(row.problem);
  json["accesses"] = row.own_accesses();
  json["paper_operations"] = paper_operations(row.problem, row.loop_order);
  json["operations"] = row.own_operations();
  const bool qss = row.loop_order == LoopOrder::qss;
  for (std::size_t a = 0; a < shared_arrays.size(); ++a) {
    const std::string name = to_string(shared_arrays[a]);
    json["paper_shared_" + name] =
        qss ? Json(paper_shared_accesses(row.problem, shared_arrays[a])) : Json();
    json["shared_" + name] = qss ? Json(row.own_shared_accesses[a]) : Json();
  }
  json["limiting_intensity"] = limiting_intensity(*row.record.peak_gflops, *row.record.stream_gbps);
  json["paper_limit_ns"] = row.ns_a_cell(row.paper_limit_s);
  json["limit_ns"] = row.ns_a_cell(row.own_limit_s);
  json["ns_a_cell"] = row.ns_a_cell(*row.record.seconds);
  json["paper_fraction"] = row.paper_fraction;
  json["own_fraction"] = row.own_fraction;
  json["candidates"] = row.num_candidates;
  json["timed"] = row.num_timed;
  json["unsupported"] = row.num_unsupported;
  json["difference"] = row.difference;
  return json;
}

Json to_json(const AssemblyRow &row) {
  Json json = to_json(row.record);
  json["pattern_s"] = row.pattern_s;
  json["rows"] = row.rows;
  json["entries"] = row.entries;
  json["fastest"] = row.fastest;
  return json;
}

template <typename Row> std::vector<Json> lines(const std::vector<Row> &rows) {
  std::vector<Json> all;
  for (const Row &row : rows)
    all.push_back(to_json(row));
  return all;
}

void write_files(const std::filesystem::path &out, const IntegrationResult &result) {
  if (!result.rows.empty())
    write_rows_csv((out / "integration.csv").string(), lines(result.rows));
  if (!result.assembly.empty())
    write_rows_csv((out / "assembly.csv").string(), lines(result.assembly));
  Json json = bench_json_head(result.machine);
  json["integration"] = lines(result.rows);
  json["assembly"] = lines(result.assembly);
  write_text_file((out / "integration.json").string(), json.dump(2) + "\n");
}

} // namespace

IntegrationResult bench_integration(const IntegrationOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  fmt::print("{}\n", device->info().name);
  IntegrationResult result;
  result.machine = machine_record(device->info());
  if (options.tables)
    result.rows = bench_integration_tables(*device, figures, options);
  if (options.assembly)
    result.assembly = bench_assembly(*device, figures, options);
  for (const KernelRecord &record : kernel_records(result)) {
    result.machine.stream_gbps =
        std::max(result.machine.stream_gbps.value_or(0), *record.stream_gbps);
    auto &peak = record.precision == to_string(Precision::f64) ? result.machine.peak_gflops_f64
                                                               : result.machine.peak_gflops_f32;
    peak = std::max(peak.value_or(0), *record.peak_gflops);
  }
  write_files(options.out, result);
  plot_integration(integration_rows(result.rows), options.out);
  log::info("wrote its rows into {}", options.out.string());
  return result;
}

std::vector<Json> integration_rows(const std::vector<IntegrationRow> &rows) {
  return lines(rows);
}

std::vector<KernelRecord> kernel_records(const IntegrationResult &result) {
  std::vector<KernelRecord> records;
  for (const IntegrationRow &row : result.rows)
    records.push_back(row.record);
  for (const AssemblyRow &row : result.assembly)
    records.push_back(row.record);
  return records;
}

} // namespace weft
