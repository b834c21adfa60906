// Pages of runs' folders, of strangers' too.
#include "output/report/report.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "output/report/page_template.h"
#include "output/report/picture_json.h"
#include "support/temporary_folder.h"
#include "support/written_box.h"

namespace weft {
namespace {

const char *example_results = R"({
  "title": "A <b>wall</b>", "device": "cpu", "case": "case.toml", "case_text": "[mesh] # </pre>\nfile = \"<a>\"\n",
  "mesh": {"cells": 1234567}, "dofs": 12,
  "outcome": {"status": "not_converged", "failures": ["no <i>luck</i>"]},
  "notices": ["<script>alert(1)</script>"],
  "functionals": {"T_<max>": 316.5, "force": [1, 2.5, null]},
  "functional_errors": {"T_<max>": {"value": 316.5, "error": 0.0312, "signed": -0.0312}},
  "gradients": {"T_<max>": {"k_<fins>": 0.1875}},
  "expected": {"source": "me", "values": [{"name": "T", "found": 1, "expected": "2 within 0.1", "met": false}]},
  "solver": {"method": "cg", "preconditioner": "multigrid", "history": [1, 0.1, 0.001],
             "levels": [{"unknowns": 100, "entries": 700, "precision": "f16", "bytes": 1000000},
                        {"unknowns": 10, "entries": 50, "precision": "f64", "bytes": 1000}],
             "newton": [{"factor": 1, "residual": 0.1, "step": 0.5, "iterations": 7}]},
  "timings": {"solve_s": 0.5, "assembly_s": 0.2, "odd_<key>_s": 0.25, "total_s": 1.0},
  "kernels": [{"kernel": "residual", "seconds": 0.001, "gbps": 3, "stream_gbps": 12, "fraction": 0.25}]
})";

std::string page_of(const TemporaryFolder &folder, const std::string &results) {
  std::ofstream(folder.file("results.json")) << results;
  return report_page(folder.file(""));
}

bool has(const std::string &page, const std::string &text) {
  return page.find(text) != std::string::npos;
}

TEST(Report, ShowsWhatTheRunFound) {
  const TemporaryFolder folder;
  const std::string page = page_of(folder, example_results);
  EXPECT_TRUE(has(page, "not converged</span>"));
  EXPECT_TRUE(has(page, "316.5"));
  EXPECT_TRUE(has(page, "1, 2.5, not finite"));
  EXPECT_TRUE(has(page, "estimated error</th>"));
  EXPECT_TRUE(has(page, "0.031</td>"));
  EXPECT_TRUE(has(page, "0.1875</td>"));
  EXPECT_TRUE(has(page, "missed</span>"));
  EXPECT_TRUE(has(page, "cg with multigrid"));
  EXPECT_TRUE(has(page, "class=\"line\"")); // the plot of residuals
  EXPECT_TRUE(has(page, "3 of 12 GB/s"));
  EXPECT_TRUE(has(page, "width:25.0%"));
  EXPECT_TRUE(has(page, "everything else</td><td class=\"number\">250 ms")); // 1 - 0.5 - 0.25
  EXPECT_TRUE(has(page, "The run left no fields."));
}

TEST(Report, EscapesWhatFilesHold) {
  const TemporaryFolder folder;
  const std::string page = page_of(folder, example_results);
  for (const char *text :
       {"<b>", "<i>", "<a>", "T_<max>", "k_<fins>", "odd_<key>", "alert(1)</script>"})
    EXPECT_FALSE(has(page, text)) << text;
  EXPECT_TRUE(has(page, "A &lt;b&gt;wall"));
  EXPECT_TRUE(has(page, "# &lt;/pre&gt;"));
}

TEST(Report, TakesResultsInWhichNothingIsAsItShould) {
  const TemporaryFolder folder;
  for (const char *results :
       {"{}", R"({"solver": 3, "timings": [], "kernels": {}, "functionals": [1], "title": {}})",
        R"({"functionals": {"a": 1}, "functional_errors": {"a": 2}, "gradients": {"a": [3]}})",
        R"({"solver": {"history": ["a", null], "levels": [1, 2, 3], "newton": [null]},
           "kernels": [7, {}], "expected": {"values": [1]}, "not_finite": [[]], "errors": {"u": 5},
           "timings": {"total_s": 1, "a_s": "x"}, "variants": {"a": 1}})"})
    EXPECT_TRUE(has(page_of(folder, results), "</html>")) << results;
}

TEST(Report, RefusesWhatIsNoRecord) {
  const TemporaryFolder folder;
  EXPECT_THROW(report_page(folder.file("")), Error);
  for (const char *results : {"", "[1]", "{", "null"})
    EXPECT_THROW(page_of(folder, results), Error) << results;
}

TEST(Report, DrawsTheFieldsAndTheTables) {
  const TemporaryFolder folder;
  write_box(folder.file("fields.vtu"), {}, [](const double *x) { return std::vector{x[0]}; });
  write_pvd(folder.file("fields.pvd"), {{0, "fields.vtu"}});
  std::ofstream(folder.file("functionals.csv")) << "time,mean,converged\n0,1,1\n1,2,1\n2,5,1\n";
  std::ofstream(folder.file("probes.csv"))
      << "time,x,y,T,converged\n0,0.5,1,1,1\n1,0.5,1,2,1\n2,0.5,1,3,1\n";
  const std::string page = page_of(folder, "{}");
  EXPECT_TRUE(has(page, "<canvas id=\"canvas\""));
  EXPECT_TRUE(has(page, "\"name\":\"u\""));
  EXPECT_TRUE(has(page, "data:image/png;base64,iVBOR"));
  EXPECT_TRUE(has(page, "<title>mean</title>"));
  EXPECT_TRUE(has(page, ">(0.5, 1)<"));
}

TEST(Report, SaysThatFieldsAreDamaged) {
  const TemporaryFolder folder;
  write_pvd(folder.file("fields.pvd"), {{0, "fields.vtu"}});
  EXPECT_THROW(page_of(folder, "{}"), Error); // the file is missing
  std::ofstream(folder.file("fields.vtu")) << "<VTKFile>";
  EXPECT_THROW(page_of(folder, "{}"), Error);
}

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(PictureJson, NumbersVerticesFromTheNextNewOne) {
  Picture picture;
  PictureSheet sheet{.name = "surface", .places = {}};
  sheet.triangles = {{0, 1, 2}, {2, 1, 3}};
  sheet.outlines = {7, 7};
  sheet.values = {{1, 2, 3, 4}, {1, 2, 3, 4}};
  picture.sheets = {sheet};
  const auto json = picture_json(picture, "time");
  // New, new, new; 3 - 2, 3 - 1, new.
  EXPECT_EQ(json["sheets"][0]["triangles"], base64(std::string("\0\0\0\1\2\0", 6)));
  EXPECT_TRUE(json["sheets"][0]["outlines"].is_null());
  EXPECT_EQ(json["sheets"][0]["values"][1], 0); // as the first column
}

TEST(PageTemplate, DoesNotEndTheScript) {
  EXPECT_EQ(json_in_script(R"("</script>")"), R"("\u003c/script>")");
}

} // namespace
} // namespace weft
