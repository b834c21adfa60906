// The sections of a run's page but for the picture: HTML of what results.json and the tables of a
// transient run hold.
#pragma once

#include <string>

#include "output/report/results_file.h"

namespace weft {

std::string head_html(const ResultsFile &results);      // title, status, size, failures, notices
std::string values_html(const ResultsFile &results);    // functionals, errors, expectations
std::string solver_html(const ResultsFile &results);    // what solved, residuals, Newton, levels
std::string timings_html(const ResultsFile &results);   // where the time went
std::string kernels_html(const ResultsFile &results);   // beside the machine's limits
std::string case_text_html(const ResultsFile &results); // the case as it was run
std::string machine_html(const ResultsFile &results);   // machine, versions, variants

} // namespace weft
