// Norms of vectors of several fields, whose units have nothing to do with each other.
#pragma once

#include <vector>

#include "ranks/communicator.h"
#include "solve/settings.h"

namespace weft {

// All: [field]: 2-norms of the fields' dofs, of all ranks; without fields that of all.
std::vector<double> field_norms(const std::vector<double> &values,
                                const std::vector<FieldDofs> &fields, Communicator *ranks);

// The 2-norm over fields of their norms, each divided by its scale.
double scaled_norm(const std::vector<double> &values, const std::vector<FieldDofs> &fields,
                   const std::vector<double> &scales, Communicator *ranks);

} // namespace weft
