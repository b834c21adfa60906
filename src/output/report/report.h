// A run's page: one HTML file that holds all it shows.
#pragma once

#include <string>

#include "output/picture/picture.h"

namespace weft {

// The page of the results in a run's folder: results.json, and, where they are, fields.pvd with its
// files, functionals.csv, probes.csv. Nothing in it is loaded from elsewhere, and texts of these
// files are text on it. Errors: input (a file is missing or damaged).
std::string report_page(const std::string &folder, const PictureOptions &options = {});

// Writes it into a file. Errors: those of report_page(), system.
void write_report(const std::string &folder, const std::string &file,
                  const PictureOptions &options = {});

} // namespace weft
