// probes.csv and lines.csv: fields at points and along lines that the case names.
#pragma once

#include <string>
#include <vector>

#include "op/evaluate/field_values.h"

namespace weft {

// A line of names (x, y, z, T, u_0, u_1, ..., converged), then one line a point.
// points[point][direction], values[point][field and component]; `converged`: 1 in all lines, else
// 0.
std::string probes_csv(const std::vector<FieldSpec> &fields,
                       const std::vector<std::vector<double>> &points,
                       const std::vector<std::vector<double>> &values, bool converged);

// Evaluates [output] probes and writes them. Errors: input (a point outside the mesh), system.
void write_probes(const std::string &path, const Case &c, const Discretisation &d,
                  const std::vector<double> &state, bool converged);

// All: a line of names (line, distance, x, y, z, T, ..., converged), then the points of one line of
// [output] after the other.
std::string lines_csv(const Case &c, const Discretisation &d, const std::vector<double> &state,
                      bool converged);
// Writes that. Errors: input (see line_values()), system.
void write_lines(const std::string &path, const Case &c, const Discretisation &d,
                 const std::vector<double> &state, bool converged);

} // namespace weft
