// Checkpoints: all that a transient run needs to go on, in one HDF5 file.
//
//   /                attributes: `format`, `format_version`, `weft_version`, `unknowns`, `mesh`,
//                    `mesh_name`, `scheme` (see CheckpointIdentity), and the numbers of TimeState
//   /states/0, 1...  f64 [dof]: the state, and those before it, in the order of CanonicalOrder
//   /rates/0, 1      f64 [dof]: dt() and dt(dt()) of the state, of schemes that carry them
//   /steps           f64: lengths of the steps between them
//   /field_scale     f64 [field]
//   /first_times/NAME  f64 [node of the first field]: times of [first_times], in that order; NaN
//                    where nothing was reached; and what [over_time] has so far, integrals and
//                    extrema
//   /settings        what the case says, as a JSON object of texts
//   /texts/NAME      files that grow with the run (probes.csv), as they were at that time
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "op/problem/discretisation.h"
#include "solve/time/time_state.h"

namespace weft {

// What a checkpoint belongs to.
struct CheckpointIdentity {
  // What gives a state its meaning: a run can't go on with another.
  std::string unknowns; // hash of fields, elements, and the vertices of cells
  std::string scheme;   // of time, by its name
  // What a run goes on with only where the user insists.
  std::string mesh;      // hash of cells, coordinates and groups; of no order, nor ranks
  std::string mesh_name; // "box, 72 cells": for messages
  // What the case says of equations, values and steps, by its place: "[parameters] k" -> "2"; not
  // of [time] end, [output], [solver], [device], nor of what is only looked at.
  std::map<std::string, std::string> settings;
};

struct Checkpoint {
  CheckpointIdentity identity;
  TimeState state;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> first_times;
};

// All. The same for every number of ranks.
CheckpointIdentity checkpoint_identity(const Case &c, const Discretisation &d,
                                       const std::string &scheme);

// Written beside its place, synced, then renamed: whenever a run is killed, a checkpoint with that
// name is the last one that was finished. States are in the order of files: those of a run go by
// write_shared_checkpoint(). Errors: system (no space left, ...).
void write_checkpoint(const std::string &path, Checkpoint checkpoint);

// The same bits. `longest`: values that a state may have at most, so that a file made by hand can't
// ask for any memory. Errors (input): missing, not a checkpoint, truncated, damaged, longer, of
// another format.
Checkpoint read_checkpoint(const std::string &path,
                           std::int64_t longest = std::numeric_limits<std::int32_t>::max());

// What a run that goes on from a checkpoint expects in it.
struct CheckpointSizes {
  std::int64_t num_dofs = 0;
  std::size_t num_fields = 0;
  std::int64_t num_nodes = 0;  // of the first field
  std::size_t most_states = 1; // that the scheme looks back on
  std::size_t num_rates = 0;   // that it carries, once it has taken a step
};

// Throws `input` unless the numbers are ones that a run of these sizes may have left: a file may be
// made by hand, and its check sums too.
void check_state(const std::string &path, const Checkpoint &checkpoint,
                 const CheckpointSizes &sizes);

// Throws `input` where the run differs from the one that wrote the checkpoint, with what differs
// and the values of then and now. `force`: where it can go on nevertheless, a notice says so.
void check_belongs(const std::string &path, const Checkpoint &checkpoint,
                   const CheckpointIdentity &run, bool force = false);

} // namespace weft
