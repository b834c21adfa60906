#include "run/ranks_record.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

namespace weft {

namespace {

LeastMost of_ranks(Communicator *ranks, double value) {
  return {smallest(ranks, value), largest(ranks, value)};
}

// The names of all ranks' devices, each once.
std::vector<std::string> names_of_devices(const Simulation &s) {
  std::vector<std::string> names;
  for (int rank = 0; rank < s.ranks->size(); ++rank) {
    const bool own = rank == s.ranks->rank();
    const std::string name = first_text(s.ranks, own ? s.device->info().name : std::string());
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

} // namespace

std::optional<RanksRecord> make_ranks_record(const Simulation &s, const CommunicationCounts &before,
                                             CommunicationCounts after) {
  if (!s.ranks)
    return {};
  double cells = 0, ghosts = 0;
  std::set<std::int32_t> owners;
  for (const MeshShare::Cells &set : s.mesh.share->sets) {
    cells += static_cast<double>(set.num_owned);
    ghosts += static_cast<double>(set.owner.size());
    owners.insert(set.owner.begin(), set.owner.end());
  }
  RanksRecord record{.count = s.ranks->size(), .devices = names_of_devices(s)};
  const auto all = [&](double value) { return of_ranks(s.ranks, value); };
  const auto counted = [&](std::int64_t CommunicationCounts::*which) {
    return all(static_cast<double>(after.*which - before.*which));
  };
  record.cells = all(cells);
  record.ghost_cells = all(ghosts);
  record.neighbours = all(static_cast<double>(owners.size()));
  record.messages = counted(&CommunicationCounts::messages);
  record.bytes = counted(&CommunicationCounts::bytes);
  record.reductions = counted(&CommunicationCounts::gathers);
  record.waited_s = all(after.waited_s - before.waited_s);
  return record;
}

} // namespace weft
