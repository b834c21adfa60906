#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/system/processor.h"
#include "base/version.h"
#include "output/expectations.h"
#include "output/kernel_rows.h"
#include "output/probes.h"
#include "output/results.h"
#include "output/summary.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

KernelRecord sample_kernel() {
  KernelRecord kernel;
  kernel.kernel = "residual_poisson_tetrahedron_p1_block_f64";
  kernel.cell = "tetrahedron";
  kernel.variant = "lanes=8, blocks=4";
  kernel.cells = 1000;
  kernel.dofs = 250;
  kernel.seconds = 1e-5;
  kernel.bytes = 1e5;
  return kernel;
}

RunRecord sample_record() {
  RunRecord record;
  record.version = "0.1.0";
  record.device = "opencl:0";
  record.case_file = "case.toml";
  record.mesh_cells = 1234567;
  record.mesh_nodes = 200;
  record.dofs = 600;
  record.functionals = {{"Q", {20.0}}, {"force", {1, 2, 3}}};
  record.errors = {{"T", 1e-3, 2e-2}};
  record.solver.converged = true;
  record.solver.iterations = 42;
  record.solver.residual = 1e-11;
  record.solver.history = {1, 0.1, 1e-11};
  record.timings.add("mesh_read", 0.5);
  record.kernels = {sample_kernel()};
  record.variants = {{"fem_integrate", "strategy=block lanes=8", "kept"}};
  return record;
}

TEST(Results, HasTheKeysOfTheDesign) {
  const TemporaryFolder folder;
  write_results(folder.file("results.json"), sample_record());
  const auto json = nlohmann::json::parse(folder.read("results.json"));
  EXPECT_EQ(json["version"], "0.1.0");
  EXPECT_EQ(json["device"], "opencl:0");
  EXPECT_EQ(json["case"], "case.toml");
  EXPECT_EQ(json["mesh"]["cells"], 1234567);
  EXPECT_EQ(json["mesh"]["nodes"], 200);
  EXPECT_EQ(json["dofs"], 600);
  EXPECT_EQ(json["functionals"]["Q"], 20.0);
  EXPECT_EQ(json["functionals"]["force"], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(json["errors"]["T"]["L2"], 1e-3);
  EXPECT_EQ(json["errors"]["T"]["H1"], 2e-2);
  EXPECT_EQ(json["solver"]["converged"], true);
  EXPECT_EQ(json["solver"]["iterations"], 42);
  EXPECT_EQ(json["solver"]["residual"], 1e-11);
  EXPECT_EQ(json["solver"]["history"].size(), 3u);
  EXPECT_EQ(json["timings"]["mesh_read_s"], 0.5);
  EXPECT_EQ(json["kernels"].size(), 1u);
  EXPECT_EQ(json["variants"]["fem_integrate"], "strategy=block lanes=8");
  EXPECT_EQ(json["variants_from"]["fem_integrate"], "kept");
}

TEST(Results, WhatIsNotFiniteIsNull) {
  RunRecord record = sample_record();
  record.functionals = {{"Q", {std::nan("")}}};
  record.solver.residual = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(results_json(record));
  EXPECT_TRUE(json["functionals"]["Q"].is_null());
  EXPECT_TRUE(json["solver"]["residual"].is_null());
}

TEST(Results, SayHowTheRunEnded) {
  RunRecord record = sample_record();
  auto json = nlohmann::json::parse(results_json(record));
  EXPECT_EQ(json["outcome"]["status"], "done");
  EXPECT_EQ(json["outcome"]["exit_code"], 0);
  EXPECT_TRUE(json["outcome"]["failures"].empty());
  EXPECT_EQ(json["functionals_converged"], true);
  EXPECT_TRUE(json["not_finite"].empty());

  record.outcome.add("not_converged", 1, "too few iterations");
  record.outcome.add("failed", 3, "the disk is full");
  record.solver.converged = false;
  record.solver.reason = "too few iterations";
  record.not_finite = {{"functionals.Q", 0.5, "is nan at (0, 1)"}, {"fields.T", {}, "is inf"}};
  json = nlohmann::json::parse(results_json(record));
  EXPECT_EQ(json["outcome"]["status"], "not_converged"); // the first decides
  EXPECT_EQ(json["outcome"]["exit_code"], 1);
  EXPECT_EQ(json["outcome"]["failures"],
            (std::vector<std::string>{"too few iterations", "the disk is full"}));
  EXPECT_EQ(json["functionals_converged"], false);
  EXPECT_EQ(json["solver"]["reason"], "too few iterations");
  EXPECT_EQ(json["not_finite"][0]["name"], "functionals.Q");
  EXPECT_EQ(json["not_finite"][0]["time"], 0.5);
  EXPECT_EQ(json["not_finite"][0]["fault"], "is nan at (0, 1)");
  EXPECT_TRUE(json["not_finite"][1]["time"].is_null());
}

TEST(KernelRows, EveryKeyIsThereAndUnknownIsNull) {
  const auto json = to_json(sample_kernel());
  const std::vector<std::string> keys = {
      "kernel",    "form",        "cell",        "element",     "strategy", "geometry",
      "variant",   "device",      "threads",     "precision",   "cells",    "dofs",
      "seconds",   "cells_per_s", "dofs_per_s",  "flops",       "bytes",    "gflops",
      "gbps",      "stream_gbps", "peak_gflops", "predicted_s", "fraction", "in_cache",
      "disturbed", "disturbance"};
  std::vector<std::string> found;
  for (const auto &[key, value] : json.items())
    found.push_back(key);
  EXPECT_EQ(found, keys);
  EXPECT_TRUE(json["form"].is_null());
  EXPECT_TRUE(json["gflops"].is_null());
  EXPECT_TRUE(json["predicted_s"].is_null());
  EXPECT_DOUBLE_EQ(json["cells_per_s"], 1e8);
  EXPECT_DOUBLE_EQ(json["dofs_per_s"], 2.5e7);
  EXPECT_DOUBLE_EQ(json["gbps"], 10);
}

TEST(KernelRows, BenchFiles) {
  const TemporaryFolder folder;
  MachineRecord machine{.device = "cpu", .driver = "pocl", .cores = 2, .stream_gbps = 20};
  write_bench_json(folder.file("rows.json"), machine, {sample_kernel(), sample_kernel()});
  const auto json = nlohmann::json::parse(folder.read("rows.json"));
  EXPECT_EQ(json["machine"]["stream_gbps"], 20);
  EXPECT_TRUE(json["machine"]["peak_gflops_f64"].is_null());
  EXPECT_EQ(json["rows"].size(), 2u);

  write_bench_csv(folder.file("rows.csv"), {sample_kernel()});
  const std::string csv = folder.read("rows.csv");
  EXPECT_EQ(csv.substr(0, 12), "kernel,form,");
  EXPECT_NE(csv.find("\nresidual_poisson_tetrahedron_p1_block_f64,,tetrahedron,,,,"
                     "\"lanes=8, blocks=4\",,,,1000,250,1e-05,"),
            std::string::npos)
      << csv;
}

// Whatever writes a table of a benchmark: which program, when, on what.
TEST(KernelRows, FilesSayWhereTheyComeFrom) {
  const TemporaryFolder folder;
  write_bench_json(folder.file("rows.json"), {.device = "cpu"}, {sample_kernel()});
  write_rows_csv(folder.file("rows.csv"), {{{"a", 1}}, {{"a", 2}}});
  const auto json = nlohmann::json::parse(folder.read("rows.json"));
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["commit"].is_null() ? "" : json["commit"], commit());
  EXPECT_TRUE(
      std::regex_match(std::string(json["date"]),
                       std::regex("20\\d\\d-[01]\\d-[0-3]\\dT[0-2]\\d:[0-5]\\d:[0-6]\\dZ")));
  EXPECT_EQ(json["processor"], processor_name());
  EXPECT_FALSE(processor_name().empty());
  const std::string csv = folder.read("rows.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "a,version,commit,date,processor");
  EXPECT_NE(csv.find(fmt::format("\n2,{},{},20", version(), commit())), std::string::npos) << csv;
}

Expectations expecting(Expectation entry) {
  Expectations e;
  e.entries.push_back(std::move(entry));
  return e;
}

TEST(Expectations, MetOnesGiveNoLine) {
  const RunRecord record = sample_record();
  for (const Expectation &e : std::vector<Expectation>{
           {.name = "functionals.Q", .value = 20.1, .relative = 0.01},
           {.name = "functionals.Q", .value = 20.1, .absolute = 0.2},
           {.name = "functionals.force", .component = 2, .value = 3, .relative = 0},
           {.name = "errors.T.L2", .below = 2e-3},
           {.name = "errors.T.H1", .above = 1e-2}})
    EXPECT_TRUE(check_expectations(expecting(e), record).empty()) << e.name;
}

TEST(Expectations, DifferencesAreNamed) {
  RunRecord record = sample_record();
  record.functionals.push_back({"broken", {std::nan("")}});
  const auto line = [&](const Expectation &e) {
    const auto lines = check_expectations(expecting(e), record);
    return lines.size() == 1 ? lines[0] : "";
  };
  EXPECT_EQ(line({.name = "functionals.Q", .value = 25, .relative = 0.01}),
            "functionals.Q: found 20, expected 25 within 0.25: it is off by 5");
  EXPECT_EQ(line({.name = "errors.T.L2", .below = 1e-4}),
            "errors.T.L2: found 0.001, expected below 0.0001");
  EXPECT_NE(line({.name = "functionals.force", .component = 1, .value = 9, .absolute = 1}), "");
  EXPECT_NE(line({.name = "functionals.force", .component = 3, .value = 9, .absolute = 1}), "");
  EXPECT_NE(line({.name = "functionals.force", .value = 1, .absolute = 1}), "");
  EXPECT_NE(line({.name = "functionals.broken", .value = 1, .absolute = 1}), "");
  EXPECT_NE(line({.name = "functionals.broken", .below = 1}), "");
  EXPECT_NE(line({.name = "functionals.none", .below = 1}).find("functionals.Q"),
            std::string::npos);
}

TEST(Report, NamesWhatTheUserAskedFor) {
  RunRecord record = sample_record();
  const std::string text = summary_text(record, {"out/fields.pvd"});
  EXPECT_NE(text.find("1 234 567 cells, 600 dofs on opencl:0"), std::string::npos) << text;
  EXPECT_NE(text.find("converged, 42 iterations"), std::string::npos) << text;
  EXPECT_NE(text.find("  Q     = 20\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  force = [1, 2, 3]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("error of T: L2 1.0000e-03"), std::string::npos) << text;
  EXPECT_NE(text.find("out/fields.pvd\n"), std::string::npos) << text;
  record.kernels.clear();
  EXPECT_EQ(summary_text(record, {}).find("operator:"), std::string::npos);
  record.kernels = {{.strategy = "block",
                     .geometry = "stored",
                     .threads = 2,
                     .precision = "f64",
                     .cells = 3000000,
                     .seconds = 0.01,
                     .flops = 2e8,
                     .bytes = 1e8}};
  EXPECT_NE(summary_text(record, {})
                .find("operator: 300.0 M cells/s, 20.0 GFlop/s, 10.0 GB/s "
                      "(block, stored, f64, 2 threads)\n"),
            std::string::npos);

  EXPECT_EQ(summary_text(record, {}).find("(not converged)"), std::string::npos);
  record.solver.converged = false;
  record.solver.status = SolveStatus::indefinite;
  record.solver.reason = "CG met an indefinite matrix";
  EXPECT_NE(summary_text(record, {}).find("NOT CONVERGED"), std::string::npos);
  EXPECT_NE(summary_text(record, {}).find("CG met an indefinite matrix"), std::string::npos);
  EXPECT_NE(summary_text(record, {}).find("  Q     = 20   (not converged)\n"), std::string::npos);
  record.outcome.add("interrupted", 130, "stopped");
  EXPECT_NE(summary_text(record, {}).find("INTERRUPTED, 42 iterations"), std::string::npos);
}

TEST(Probes, OneLineAPoint) {
  FieldSpec scalar, vector;
  scalar.name = "T";
  vector.name = "u";
  vector.shape = {2};
  EXPECT_EQ(probes_csv({scalar, vector}, {{0, 0.5}, {1, 1}}, {{3, 0.1, 5}, {6, 7, 8}}, true),
            "x,y,T,u_0,u_1,converged\n0,0.5,3,0.1,5,1\n1,1,6,7,8,1\n");
  EXPECT_EQ(probes_csv({scalar}, {{0}}, {{3}}, false), "x,T,converged\n0,3,0\n");
}

} // namespace
} // namespace weft
