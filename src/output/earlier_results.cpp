#include "output/earlier_results.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "output/field_files.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> result_names = {
    "fields.vtu", "fields.pvd",   "functionals.csv", "probes.csv",
    "lines.csv",  "results.json", "checkpoint.h5",   "report.html"};

[[noreturn]] void fail(const fs::path &place, const std::error_code &reason) {
  throw Error(ErrorKind::system, {.what = "results of an earlier run can't be set aside",
                                  .where = place.string(),
                                  .found = reason.message(),
                                  .remedy = "give another folder with --out, or move them"});
}

// Regular files of a folder that a run wrote; none where there is no folder.
std::vector<fs::path> results_in(const fs::path &folder) {
  std::vector<fs::path> results;
  std::error_code failure;
  if (!fs::exists(folder, failure))
    return results;
  for (const auto &entry : fs::directory_iterator(folder, failure))
    if (entry.symlink_status().type() == fs::file_type::regular &&
        is_result_file(entry.path().filename().string()))
      results.push_back(entry.path());
  if (failure)
    fail(folder, failure);
  return results;
}

// "fields_0003.vtu.4711.part", of processes that are gone.
void remove_unfinished(const fs::path &folder) {
  std::set<fs::path> results;
  std::error_code failure;
  for (const auto &entry : fs::directory_iterator(folder, failure)) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".part" && is_result_file(name.stem().stem().string()))
      results.insert(folder / name.stem().stem());
  }
  for (const fs::path &result : results)
    remove_abandoned_parts(result.string());
}

} // namespace

bool is_result_file(const std::string &name) {
  if (std::find(result_names.begin(), result_names.end(), name) != result_names.end())
    return true;
  return is_field_file(name) || !file_of_piece(name).empty();
}

int set_aside_results(const std::string &folder, const std::set<std::string> &keep,
                      const std::string &checkpoint) {
  const fs::path previous = fs::path(folder) / "previous";
  remove_unfinished(folder);
  std::vector<fs::path> results = results_in(folder);
  std::erase_if(results, [&](const fs::path &path) {
    const std::string name = path.filename().string();
    return keep.count(name) > 0 || keep.count(file_of_piece(name)) > 0;
  });
  if (results.empty())
    return 0;
  std::error_code failure;
  for (const fs::path &old : results_in(previous)) {
    if (!checkpoint.empty() && fs::equivalent(old, checkpoint, failure))
      throw Error(ErrorKind::input,
                  {.what = "the checkpoint lies where results of earlier runs are moved to, in "
                           "place of it",
                   .where = checkpoint,
                   .remedy = "move it elsewhere, or give another folder with --out"});
    if (!fs::remove(old, failure) && failure)
      fail(old, failure);
  }
  fs::create_directories(previous, failure);
  if (failure)
    fail(previous, failure);
  for (const fs::path &result : results) {
    fs::rename(result, previous / result.filename(), failure);
    if (failure)
      fail(result, failure);
  }
  return static_cast<int>(results.size());
}

} // namespace weft
