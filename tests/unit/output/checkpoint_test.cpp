#include <bit>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "output/checkpoint.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

Checkpoint example_checkpoint(std::size_t num_dofs = 100) {
  Checkpoint c;
  c.identity = {.unknowns = "u",
                .scheme = "bdf2",
                .mesh = "m",
                .mesh_name = "box, 2 cells",
                .settings = {{"[parameters] k", "2"}, {"[weak_form] cells.all", "k \"u\" \n"}}};
  c.state.time = 0.1 + 0.2;
  c.state.num_steps = (std::int64_t{1} << 53) + 1;
  c.state.states.assign(2, std::vector<double>(num_dofs));
  for (std::size_t i = 0; i < num_dofs; ++i) {
    c.state.states[0][i] = std::sin(static_cast<double>(i));
    c.state.states[1][i] = -1.0 / static_cast<double>(i);
  }
  c.state.states[0][0] = -0.0;
  c.state.states[0][1] = std::numeric_limits<double>::denorm_min();
  c.state.states[0][2] = std::numeric_limits<double>::quiet_NaN();
  c.state.steps = {0.25};
  c.state.wanted_step = 1.0 / 3;
  c.state.previous_error = 1e-300;
  c.state.residual_scale = 7;
  c.state.unit_step = 1.0 / 7;
  c.state.trusted_norm = 1e200;
  c.state.time_before = -0.75;
  c.state.arc_state_scale = 3.25;
  c.state.arc_load_scale = 0.125;
  c.state.field_scale = {1.5, 2.5};
  c.state.num_rejected = 1;
  c.state.num_newton_steps = 2;
  c.state.num_iterations = 3;
  c.texts = {{"functionals.csv", ""}, {"probes.csv", "time,T\n0.0,1\n"}};
  return c;
}

void expect_same_bits(const std::vector<double> &a, const std::vector<double> &b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
}

void expect_same(const Checkpoint &a, const Checkpoint &b) {
  EXPECT_EQ(a.identity.unknowns, b.identity.unknowns);
  EXPECT_EQ(a.identity.scheme, b.identity.scheme);
  EXPECT_EQ(a.identity.mesh, b.identity.mesh);
  EXPECT_EQ(a.identity.mesh_name, b.identity.mesh_name);
  EXPECT_EQ(a.identity.settings, b.identity.settings);
  EXPECT_EQ(a.texts, b.texts);
  ASSERT_EQ(a.state.states.size(), b.state.states.size());
  for (std::size_t i = 0; i < a.state.states.size(); ++i)
    expect_same_bits(a.state.states[i], b.state.states[i]);
  expect_same_bits(a.state.steps, b.state.steps);
  expect_same_bits(a.state.field_scale, b.state.field_scale);
  const auto numbers = [](const TimeState &s) {
    return std::vector<double>{s.time,           s.wanted_step,     s.previous_error,
                               s.residual_scale, s.unit_step,       s.trusted_norm,
                               s.time_before,    s.arc_state_scale, s.arc_load_scale};
  };
  expect_same_bits(numbers(a.state), numbers(b.state));
  EXPECT_EQ(a.state.num_steps, b.state.num_steps);
  EXPECT_EQ(a.state.num_rejected, b.state.num_rejected);
  EXPECT_EQ(a.state.num_newton_steps, b.state.num_newton_steps);
  EXPECT_EQ(a.state.num_iterations, b.state.num_iterations);
}

// The message of the `input` error that reading the file gives; empty: it could be read.
std::string error_of(const std::string &path) {
  try {
    read_checkpoint(path);
    return "";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    EXPECT_EQ(e.diagnostic().where, path);
    return e.what();
  }
}

TEST(Checkpoint, ReadsBackTheSameBits) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a/checkpoint.h5");
  write_checkpoint(path, example_checkpoint());
  expect_same(read_checkpoint(path), example_checkpoint());
}

TEST(Checkpoint, OneMayBeEmpty) {
  const TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), {});
  expect_same(read_checkpoint(folder.file("c.h5")), {});
}

TEST(Checkpoint, WhatIsNoCheckpointIsNamed) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of(folder.file("none.h5")).find("does not exist"), std::string::npos);
  write_text_file(folder.file("text.h5"), "time,T\n");
  EXPECT_NE(error_of(folder.file("text.h5")).find("not an HDF5 file"), std::string::npos);
  write_text_file(folder.file("empty.h5"), "");
  EXPECT_NE(error_of(folder.file("empty.h5")).find("not an HDF5 file"), std::string::npos);
  EXPECT_NE(error_of(folder.file("")).find("is not a file"), std::string::npos);
  const hid_t file =
      H5Fcreate(folder.file("foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_NE(error_of(folder.file("foreign.h5")).find("no checkpoint of Weft"), std::string::npos);
}

TEST(Checkpoint, OfAnOlderFormatIsNamed) {
  const TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), example_checkpoint());
  const hid_t file = H5Fopen(folder.file("c.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  const std::int64_t older = 3;
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &older), 0);
  H5Aclose(attribute);
  H5Fclose(file);
  const std::string message = error_of(folder.file("c.h5"));
  EXPECT_NE(message.find("a checkpoint of format 3"), std::string::npos) << message;
  EXPECT_NE(message.find("reads format 8"), std::string::npos) << message;
}

// The last bytes of a file may be ones that nothing uses.
TEST(Checkpoint, TruncationIsAnErrorOrHarmless) {
  const TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), example_checkpoint());
  const std::string whole = folder.read("c.h5");
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    write_text_file(folder.file("cut.h5"), std::string_view(whole).substr(0, length));
    if (error_of(folder.file("cut.h5")).empty()) {
      EXPECT_GT(length, whole.size() / 2);
      expect_same(read_checkpoint(folder.file("cut.h5")), example_checkpoint());
    }
  }
}

// Every byte that matters is under a check sum.
TEST(Checkpoint, DamageIsAnErrorOrHarmless) {
  const TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), example_checkpoint());
  const std::string whole = folder.read("c.h5");
  int num_errors = 0;
  for (std::size_t offset = 0; offset < whole.size(); offset += 13) {
    std::string damaged = whole;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 0x10);
    write_text_file(folder.file("d.h5"), damaged);
    if (error_of(folder.file("d.h5")).empty())
      expect_same(read_checkpoint(folder.file("d.h5")), example_checkpoint());
    else
      ++num_errors;
  }
  EXPECT_GT(num_errors, 100);
}

// Writes checkpoints, each of other values throughout, until it is killed.
[[noreturn]] void write_for_ever(const std::string &path) {
  Checkpoint checkpoint;
  for (std::int64_t step = 1;; ++step) {
    checkpoint.state.num_steps = step;
    checkpoint.state.states.assign(2, std::vector<double>(200000, static_cast<double>(step)));
    write_checkpoint(path, checkpoint);
  }
}

// A file that is replaced is another inode.
void wait_for_a_new_file(const std::string &path) {
  struct stat before {
  }, now{};
  stat(path.c_str(), &before);
  for (int i = 0; i < 20000; ++i) {
    if (stat(path.c_str(), &now) == 0 && now.st_ino != before.st_ino)
      return;
    usleep(1000);
  }
  FAIL() << "no checkpoint in 20 s";
}

TEST(Checkpoint, AKilledWriterLeavesTheOneBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.file("c.h5");
  write_checkpoint(path, {});
  for (int trial = 0; trial < 20; ++trial) {
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0)
      write_for_ever(path);
    wait_for_a_new_file(path);
    usleep(static_cast<useconds_t>(1300 * trial));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    const TimeState state = read_checkpoint(path).state;
    EXPECT_GT(state.num_steps, 0);
    for (const std::vector<double> &values : state.states)
      EXPECT_EQ(values, std::vector<double>(200000, static_cast<double>(state.num_steps)));
  }
  // What the killed ones left is cleared away by the next.
  write_checkpoint(path, example_checkpoint());
  EXPECT_EQ(folder.num_files(), 1);
}

// A limit on file sizes fails as a full disk does: in the middle of writing.
TEST(Checkpoint, AFullDiskIsReportedAndTheOneBeforeStays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("c.h5");
  write_checkpoint(path, example_checkpoint());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 20, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  for (int trial = 0; trial < 2; ++trial) // HDF5 is still in order after the first
    try {
      write_checkpoint(path, example_checkpoint(1000000));
    } catch (const Error &e) {
      EXPECT_EQ(e.kind(), ErrorKind::system);
      message = e.what();
    }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find(path), std::string::npos);
  expect_same(read_checkpoint(path), example_checkpoint());
  EXPECT_EQ(folder.num_files(), 1);
  write_checkpoint(path, example_checkpoint(1000000));
  EXPECT_EQ(read_checkpoint(path).state.states[0].size(), 1000000u);
}

// The message of the error that a run meets; empty where it may go on.
std::string refusal(const Checkpoint &checkpoint, const CheckpointIdentity &run, bool force) {
  try {
    check_belongs("c.h5", checkpoint, run, force);
    return "";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return e.what();
  }
}

TEST(Checkpoint, WhatGivesAStateItsMeaningMayNotDiffer) {
  const Checkpoint checkpoint = example_checkpoint();
  EXPECT_EQ(refusal(checkpoint, checkpoint.identity, false), "");
  for (std::string CheckpointIdentity::*part :
       {&CheckpointIdentity::unknowns, &CheckpointIdentity::scheme}) {
    CheckpointIdentity other = checkpoint.identity;
    other.*part = "another";
    EXPECT_NE(refusal(checkpoint, other, false), "");
    EXPECT_NE(refusal(checkpoint, other, true), "");
  }
}

TEST(Checkpoint, WhatElseDiffersIsNamedAndMayBeForced) {
  const Checkpoint checkpoint = example_checkpoint();
  CheckpointIdentity other = checkpoint.identity;
  other.mesh = "another";
  other.mesh_name = "fin.msh, 2 cells";
  other.settings["[parameters] k"] = "3";
  other.settings["[parameters] new"] = "1";
  other.settings["[weak_form] cells.all"] += std::string(200, '+') + "tail";
  const std::string message = refusal(checkpoint, other, false);
  for (const char *part :
       {"[mesh]: box, 2 cells then, fin.msh, 2 cells now", "[parameters] k: 2 then, 3 now",
        "[parameters] new: nothing then, 1 now", "[weak_form] cells.all: k", "--force"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find("tail"), std::string::npos) << message;
  EXPECT_EQ(refusal(checkpoint, other, true), "");
}

TEST(Checkpoint, ManyDifferencesAreCounted) {
  const Checkpoint checkpoint = example_checkpoint();
  CheckpointIdentity other = checkpoint.identity;
  for (int i = 0; i < 20; ++i)
    other.settings["[parameters] p" + std::to_string(i)] = "1";
  EXPECT_NE(refusal(checkpoint, other, false).find("and 12 more"), std::string::npos);
}

} // namespace
} // namespace weft
