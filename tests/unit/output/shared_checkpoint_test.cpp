// Checkpoints of runs that ranks share: the same file from every number of ranks, read by any.
#include "output/shared_checkpoint.h"

#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "op/evaluate/field_values.h"
#include "op/law/law_rates.h"
#include "solve/time/explicit_stepper.h"
#include "support/parts_of_case.h"
#include "support/shared_laws.h"
#include "support/temporary_folder.h"
#include "support/test_device.h"

namespace weft {
namespace {

const std::string pulse =
    waves_case("box = { cells = [6, 5], cell = \"triangle\" }\nrefine = 1", "DG2");

// Values that say where they belong; of own cells, the ghosts' are another rank's matter.
std::vector<double> values_at_nodes_of(const Discretisation &d, int field, double factor) {
  const NodeMap &map = d.map_of_field(field);
  std::vector<double> values(map.num_local);
  for (std::int64_t node = 0; node < map.num_local; ++node)
    values[node] = std::sin(factor * map.coordinates[2 * node] + map.coordinates[2 * node + 1]);
  std::int64_t end = 0;
  for (std::size_t s = 0; d.mesh->share && s < map.sets.size(); ++s) {
    const std::int64_t n = map.sets[s].element.num_nodes();
    const std::int64_t first_ghost = end + d.mesh->share->sets[s].num_owned * n;
    end += d.mesh->sets[s].num_cells() * n;
    std::fill(values.begin() + first_ghost, values.begin() + end, 0.0);
  }
  return values;
}

// A checkpoint as a run has it that so much of the mesh is of.
Checkpoint checkpoint_of(const Case &c, const Discretisation &d) {
  Checkpoint checkpoint;
  checkpoint.identity = checkpoint_identity(c, d, "lsrk4");
  checkpoint.state.time = 0.1 + 0.2;
  checkpoint.state.num_steps = 12;
  checkpoint.state.unit_step = 1.0 / 7;
  checkpoint.state.steps = {0.25};
  checkpoint.state.field_scale = {1, 2};
  for (const double factor : {3.0, 7.0}) {
    std::vector<double> &state = checkpoint.state.states.emplace_back(d.num_local);
    for (int f = 0; f < 2; ++f) {
      const std::vector<double> values = values_at_nodes_of(d, f, factor + f);
      const int components = d.form.fields[f].components();
      for (std::size_t i = 0; i < values.size() * components; ++i)
        state[d.field_offset[f] + i] = values[i / components] * (1.0 + double(i % components));
    }
  }
  checkpoint.first_times["arrival"] = values_at_nodes_of(d, 0, 5);
  // What grows with the run is the first rank's.
  if (!d.ranks || d.ranks->rank() == 0)
    checkpoint.texts = {{"probes.csv", "time,T\n0.0,1\n"}};
  return checkpoint;
}

void write_by(int size, const std::string &path) {
  on_parts_of(pulse, size, [&](const Case &c, const Discretisation &d) {
    write_shared_checkpoint(path, checkpoint_of(c, d), CanonicalOrder(d));
  });
}

bool is_same(const Checkpoint &a, const Checkpoint &b) {
  return a.identity.unknowns == b.identity.unknowns && a.identity.mesh == b.identity.mesh &&
         a.identity.mesh_name == b.identity.mesh_name && a.identity.scheme == b.identity.scheme &&
         a.identity.settings == b.identity.settings && a.state.time == b.state.time &&
         a.state.num_steps == b.state.num_steps && a.state.unit_step == b.state.unit_step &&
         a.state.steps == b.state.steps && a.state.field_scale == b.state.field_scale &&
         a.state.states == b.state.states && a.first_times == b.first_times;
}

void check_nothing(const Checkpoint &) {}

TEST(SharedCheckpoint, HasTheSameBytesForEveryNumberOfRanks) {
  const TemporaryFolder folder;
  write_by(1, folder.file("1.h5"));
  usleep(1100000); // files do not say when they were made
  const std::string first = folder.read("1.h5");
  ASSERT_GT(first.size(), 10000u);
  for (const int size : {2, 3, 5}) {
    write_by(size, folder.file("n.h5"));
    EXPECT_EQ(folder.read("n.h5") == first, true) << size;
  }
  EXPECT_EQ(read_checkpoint(folder.file("1.h5")).identity.mesh_name, "box, 240 cells");
}

TEST(SharedCheckpoint, IsReadByAnyNumberOfRanks) {
  const TemporaryFolder folder;
  for (const auto &[writers, readers] :
       {std::pair{1, 3}, std::pair{3, 2}, std::pair{4, 1}, std::pair{5, 5}}) {
    write_by(writers, folder.file("c.h5"));
    std::atomic<int> same = 0;
    on_parts_of(pulse, readers, [&](const Case &c, const Discretisation &d) {
      const Checkpoint expected = checkpoint_of(c, d);
      const Checkpoint read = read_shared_checkpoint(
          folder.file("c.h5"), d.num_global, CanonicalOrder(d), [&](const Checkpoint &file) {
            check_belongs("c.h5", file, expected.identity);
            check_state("c.h5", file,
                        {.num_dofs = d.num_global,
                         .num_fields = 2,
                         .num_nodes = d.map_of_field(0).num_global,
                         .most_states = 2});
          });
      same += is_same(read, expected) && read.texts.size() == 1 ? 1 : 0;
    });
    EXPECT_EQ(same, readers) << writers;
  }
}

// The errors of the first rank, which has the file.
TEST(SharedCheckpoint, ErrorsReachAllRanks) {
  const TemporaryFolder folder;
  write_text_file(folder.file("file"), "");
  write_by(2, folder.file("c.h5"));
  std::atomic<int> told = 0;
  const auto expect = [&](ErrorKind kind, const std::function<void()> &body) {
    try {
      body();
    } catch (const Error &error) {
      told += error.kind() == kind ? 1 : 0;
    }
  };
  on_parts_of(pulse, 3, [&](const Case &c, const Discretisation &d) {
    const CanonicalOrder order(d);
    // A folder that is a file.
    expect(ErrorKind::system,
           [&] { write_shared_checkpoint(folder.file("file/c.h5"), checkpoint_of(c, d), order); });
    expect(ErrorKind::input, [&] {
      read_shared_checkpoint(folder.file("none.h5"), d.num_global, order, check_nothing);
    });
    expect(ErrorKind::input, [&] {
      read_shared_checkpoint(folder.file("c.h5"), d.num_global, order, [](const Checkpoint &) {
        throw Error(ErrorKind::input, {.what = "it belongs to something else"});
      });
    });
    // And they go on together.
    read_shared_checkpoint(folder.file("c.h5"), d.num_global, order, check_nothing);
  });
  EXPECT_EQ(told, 9);
}

// The state at `end` in the order of files, begun by so many ranks or gone on with from `restart`;
// `checkpoint`: where the end is kept.
std::vector<double> solved_by(int size, double end, const std::string &restart,
                              const std::string &checkpoint) {
  std::vector<double> result;
  std::mutex one_at_a_time;
  on_parts_of(basin_case(), size, [&](const Case &c, const Discretisation &d) {
    const std::unique_ptr<Device> device = [&] {
      const std::lock_guard lock(one_at_a_time);
      return open_test_device();
    }();
    LawRates rates(*device, d, {.form_name = "shared", .lanes = 2});
    TimeSettings settings{.scheme = TimeScheme::lsrk4, .stops = {end}};
    settings.cfl = 0.3;
    ExplicitStepper stepper(rates, settings, d.field_offset);
    const CanonicalOrder order(d);
    if (restart.empty())
      stepper.start(initial_state(c, d));
    else
      stepper.resume(read_shared_checkpoint(restart, d.num_global, order, check_nothing).state);
    while (!stepper.finished())
      ASSERT_TRUE(stepper.step().converged);
    write_shared_checkpoint(
        checkpoint, {.identity = checkpoint_identity(c, d, "lsrk4"), .state = stepper.state()},
        order);
    const std::vector<double> state = order.to_file(stepper.solution());
    if (order.is_first())
      result = state;
  });
  return result;
}

// Steps by the CFL number, 3 ranks and then 2 of them, have the bits of one that does both parts.
TEST(SharedCheckpoint, OthersGoOnWithTheSameBits) {
  const TemporaryFolder folder;
  const std::string half = folder.file("half.h5"), end = folder.file("end.h5");
  solved_by(1, 0.015, "", half);
  const std::vector<double> alone = solved_by(1, 0.03, half, end);
  ASSERT_FALSE(alone.empty());
  for (const auto &[writers, readers] : {std::pair{3, 2}, std::pair{1, 3}, std::pair{2, 1}}) {
    solved_by(writers, 0.015, "", half);
    EXPECT_EQ(solved_by(readers, 0.03, half, end), alone) << writers << " " << readers;
  }
}

} // namespace
} // namespace weft
