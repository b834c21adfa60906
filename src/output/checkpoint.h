// Checkpoints: all that a transient run needs to go on, in one HDF5 file.
//
//   /                attributes: `format`, `format_version`, `weft_version`, `mesh`, `form`,
//                    `values`, `scheme` (see CheckpointIdentity), and the numbers of TimeState
//   /states/0, 1...  f64 [dof]: the state, and those before it
//   /steps           f64: lengths of the steps between them
//   /field_scale     f64 [field]
//   /first_times/NAME  f64 [node]: times of [first_times], NaN where nothing was reached
//   /texts/NAME      files that grow with the run (probes.csv), as they were at that time
#pragma once

#include <map>
#include <string>
#include <vector>

#include "op/discretisation.h"
#include "solve/time_state.h"

namespace weft {

// What a checkpoint belongs to, as hashes.
struct CheckpointIdentity {
  std::string mesh;   // cells, coordinates, numbering of the dofs
  std::string form;   // fields and equations
  std::string values; // parameters, prescribed, outer and known values: a run may go on
                      // with others
  std::string scheme; // of time, by its name
};

struct Checkpoint {
  CheckpointIdentity identity;
  TimeState state;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> first_times;
};

CheckpointIdentity checkpoint_identity(const Case &c, const Discretisation &d,
                                       const std::string &scheme);

// Written beside its place, synced, then renamed: whenever a run is killed, a checkpoint with that
// name is the last one that was finished. Errors: system (no space left, ...).
void write_checkpoint(const std::string &path, const Checkpoint &checkpoint);

// The same bits. Errors (input): missing, not a checkpoint, truncated, damaged, of a newer format.
Checkpoint read_checkpoint(const std::string &path);

// Throws `input` unless the checkpoint is of this mesh, form and scheme; says so in a notice where
// parameters or other values differ.
void check_belongs(const std::string &path, const Checkpoint &checkpoint,
                   const CheckpointIdentity &run);

} // namespace weft
