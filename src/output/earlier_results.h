// Results of an earlier run, found in the folder of a new one.
#pragma once

#include <set>
#include <string>

namespace weft {

// Whether a run writes a file of this name into its folder: fields, rows, results.json, checkpoint.
bool is_result_file(const std::string &name);

// Moves what an earlier run left in `folder` to its subfolder `previous`, in place of the results
// that were there, so that old numbers never stand beside new fields; returns how many files it
// moved. Stay where they are: files named in `keep` and pieces of these, all whose names are not a
// run's, links, devices and pipes. What killed runs had not finished writing is removed.
// `checkpoint`: that the new run goes on from, or empty. Errors: input where it lies in `previous`
// and would be replaced; system (no permission, ...).
int set_aside_results(const std::string &folder, const std::set<std::string> &keep = {},
                      const std::string &checkpoint = {});

} // namespace weft
