#include "output/shared_checkpoint.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "output/checkpoint_attributes.h"
#include "ranks/bytes.h"

namespace weft {

namespace {

// Visits all that a checkpoint holds but states, rates and first times, of which only how many
// there are and their names: writes it, or reads it.
template <typename Visit, typename C> void for_common_members(Visit &visit, C &checkpoint) {
  for_each_attribute(checkpoint, [&](const char *, auto &member) { visit(member); });
  visit(checkpoint.identity.settings);
  visit(checkpoint.state.steps);
  visit(checkpoint.state.field_scale);
  visit(checkpoint.texts);
}

struct Arrays {
  std::int64_t num_states = 0, num_rates = 0;
  std::vector<std::string> first_times;
};

// All: what the first rank has, to the others.
void hand_out(const CanonicalOrder &order, Checkpoint &checkpoint, Arrays &arrays) {
  Communicator *ranks = order.ranks();
  if (!ranks)
    return;
  std::vector<Parcel> parcels;
  if (order.is_first()) {
    ByteWriter writer;
    for_common_members(writer, std::as_const(checkpoint));
    writer(arrays.num_states);
    writer(arrays.num_rates);
    writer(arrays.first_times);
    const std::vector<std::byte> bytes = writer.take();
    for (int rank = 1; rank < ranks->size(); ++rank)
      parcels.push_back({rank, bytes});
  }
  for (const Parcel &parcel : ranks->deliver(std::move(parcels))) {
    ByteReader reader(parcel.bytes);
    for_common_members(reader, checkpoint);
    reader(arrays.num_states);
    reader(arrays.num_rates);
    reader(arrays.first_times);
    require(reader.at_end(), "a checkpoint has no bytes left");
  }
}

} // namespace

void write_shared_checkpoint(const std::string &path, Checkpoint checkpoint,
                             const CanonicalOrder &order) {
  for (auto *vectors : {&checkpoint.state.states, &checkpoint.state.rates})
    for (std::vector<double> &vector : *vectors)
      vector = order.to_file(vector);
  for (auto &[name, times] : checkpoint.first_times)
    times = order.nodes_to_file(times);
  together(order.ranks(), [&] {
    if (order.is_first())
      write_checkpoint(path, std::move(checkpoint));
  });
}

Checkpoint read_shared_checkpoint(const std::string &path, std::int64_t longest,
                                  const CanonicalOrder &order,
                                  const std::function<void(const Checkpoint &)> &check) {
  Checkpoint checkpoint;
  together(order.ranks(), [&] {
    if (!order.is_first())
      return;
    checkpoint = read_checkpoint(path, longest);
    check(checkpoint);
  });
  TimeState &state = checkpoint.state;
  Arrays arrays{.num_states = static_cast<std::int64_t>(state.states.size()),
                .num_rates = static_cast<std::int64_t>(state.rates.size()),
                .first_times = {}};
  for (const auto &[name, times] : checkpoint.first_times)
    arrays.first_times.push_back(name);
  hand_out(order, checkpoint, arrays);
  state.states.resize(arrays.num_states);
  state.rates.resize(arrays.num_rates);
  for (auto *vectors : {&state.states, &state.rates})
    for (std::vector<double> &vector : *vectors)
      vector = order.from_file(vector);
  for (const std::string &name : arrays.first_times) {
    std::vector<double> &times = checkpoint.first_times[name];
    times = order.nodes_from_file(times);
  }
  return checkpoint;
}

} // namespace weft
