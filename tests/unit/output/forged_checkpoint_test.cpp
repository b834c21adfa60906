// Checkpoints made by hand, with check sums that fit: what no run could have left is refused.
#include <functional>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <limits>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "output/checkpoint.h"
#include "output/hdf5/hdf5_handle.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

constexpr CheckpointSizes sizes_of_run = {
    .num_dofs = 10, .num_fields = 2, .num_nodes = 5, .most_states = 3};

Checkpoint sound_checkpoint() {
  Checkpoint c;
  c.identity = {.unknowns = "u",
                .scheme = "bdf2",
                .mesh = "m",
                .mesh_name = "box, 8 cells",
                .settings = {{"[parameters] k", "2"}}};
  c.state.time = 0.5;
  c.state.num_steps = 4;
  c.state.states.assign(2, std::vector<double>(10, 1.0));
  c.state.steps = {0.25};
  c.state.field_scale = {1, 2};
  c.first_times = {{"first", {0, 1, 2, 3, std::numeric_limits<double>::quiet_NaN()}}};
  return c;
}

// The message of the `input` error of `body`; empty: there was none.
std::string refusal_of(const std::function<void()> &body) {
  try {
    body();
    return "";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    return e.what();
  }
}

class ForgedFile : public testing::Test {
protected:
  // The message of reading a checkpoint that `change` was done to.
  std::string after(const std::function<void(hid_t file)> &change) {
    const std::string path = folder_.file("c.h5");
    write_checkpoint(path, sound_checkpoint());
    {
      const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      EXPECT_TRUE(file.valid());
      change(file.id());
    }
    return refusal_of([&] { check_state(path, read_checkpoint(path), sizes_of_run); });
  }

  // An attribute of the root in place of another of that name.
  static void put(hid_t file, const char *name, hid_t type, const void *value, hsize_t length = 1) {
    H5Adelete(file, name);
    const Hdf5Handle space(
        length == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, nullptr), H5Sclose);
    const Hdf5Handle attribute(H5Acreate2(file, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    ASSERT_TRUE(attribute.valid()) << name;
    ASSERT_GE(H5Awrite(attribute.id(), type, value), 0);
  }

  TemporaryFolder folder_;
};

TEST_F(ForgedFile, TheSoundOneIsRead) {
  EXPECT_EQ(after([](hid_t) {}), "");
}

TEST_F(ForgedFile, AttributesOfOtherKinds) {
  const double reals[2] = {1, 2};
  const std::int64_t whole[2] = {1, 2};
  const Hdf5Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text.id(), 3);
  const Hdf5Handle endless(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(endless.id(), H5T_VARIABLE);
  for (const char *name :
       {"time", "wanted_step", "previous_error", "residual_scale", "unit_step", "trusted_norm",
        "num_steps", "num_rejected", "num_newton_steps", "num_iterations", "format_version", "mesh",
        "unknowns", "scheme", "format"}) {
    SCOPED_TRACE(name);
    const bool is_text = std::string("mesh unknowns scheme format").find(name) != std::string::npos;
    EXPECT_NE(after([&](hid_t file) { H5Adelete(file, name); }), "");
    if (!is_text) {
      EXPECT_NE(after([&](hid_t file) { put(file, name, text.id(), "1.0"); }), "");
      EXPECT_NE(after([&](hid_t file) { put(file, name, H5T_IEEE_F64LE, reals, 2); }), "");
      EXPECT_NE(after([&](hid_t file) { put(file, name, H5T_STD_I64LE, whole, 2); }), "");
    } else {
      EXPECT_NE(after([&](hid_t file) { put(file, name, H5T_STD_I64LE, whole); }), "");
      const char *word = "abc";
      EXPECT_NE(after([&](hid_t file) { put(file, name, endless.id(), &word); }), "");
    }
  }
}

TEST_F(ForgedFile, TextsOfSizesThatTheyDoNotHave) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text.id(), std::size_t{1} << 20);
  EXPECT_NE(after([&](hid_t file) {
              H5Adelete(file, "scheme");
              const Hdf5Handle made(
                  H5Acreate2(file, "scheme", text.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                  H5Aclose);
            }),
            "");
  // Data that are not written take no room. Of 33 bits the file keeps 32, which are 0.
  for (const std::size_t size : {std::size_t{1} << 31, std::size_t{1} << 33}) {
    H5Tset_size(text.id(), size);
    EXPECT_NE(after([&](hid_t file) {
                const Hdf5Handle made(H5Dcreate2(file, "/texts/a", text.id(), space.id(),
                                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                      H5Dclose);
                EXPECT_TRUE(made.valid());
              }),
              "");
  }
}

TEST_F(ForgedFile, DataOfOtherFiles) {
  write_checkpoint(folder_.file("other.h5"), sound_checkpoint());
  const std::string other = folder_.file("other.h5");
  EXPECT_NE(after([&](hid_t file) {
              H5Ldelete(file, "/states/0", H5P_DEFAULT);
              H5Lcreate_external(other.c_str(), "/states/0", file, "/states/0", H5P_DEFAULT,
                                 H5P_DEFAULT);
            }),
            "");
  EXPECT_NE(after([&](hid_t file) {
              H5Ldelete(file, "/states", H5P_DEFAULT);
              H5Lcreate_external(other.c_str(), "/states", file, "/states", H5P_DEFAULT,
                                 H5P_DEFAULT);
            }),
            "");
  EXPECT_NE(after([&](hid_t file) {
              H5Ldelete(file, "/steps", H5P_DEFAULT);
              const Hdf5Handle made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
              H5Pset_external(made.id(), other.c_str(), 0, 8);
              const hsize_t length = 1;
              const Hdf5Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
              const Hdf5Handle data(H5Dcreate2(file, "/steps", H5T_IEEE_F64LE, space.id(),
                                               H5P_DEFAULT, made.id(), H5P_DEFAULT),
                                    H5Dclose);
            }),
            "");
}

TEST_F(ForgedFile, ListsOfSizesThatTheyDoNotHave) {
  for (const hsize_t length : {hsize_t{11}, hsize_t{1} << 26, hsize_t{1} << 50}) {
    const auto write_nothing = [&](hid_t file) {
      H5Ldelete(file, "/states/0", H5P_DEFAULT);
      const Hdf5Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
      const Hdf5Handle made(H5Dcreate2(file, "/states/0", H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose);
      EXPECT_TRUE(made.valid());
    };
    EXPECT_NE(after(write_nothing), "") << length;
  }
}

struct StateChange {
  const char *part; // of the message
  void (*make)(TimeState &state);
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double without_end = std::numeric_limits<double>::infinity();

class ForgedState : public testing::TestWithParam<StateChange> {};

TEST_P(ForgedState, IsRefused) {
  Checkpoint checkpoint = sound_checkpoint();
  EXPECT_NO_THROW(check_state("c.h5", checkpoint, sizes_of_run));
  GetParam().make(checkpoint.state);
  const std::string message = refusal_of([&] { check_state("c.h5", checkpoint, sizes_of_run); });
  EXPECT_NE(message.find("c.h5: "), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().part), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, ForgedState,
    testing::Values(
        StateChange{"time is not finite", [](TimeState &s) { s.time = not_a_number; }},
        StateChange{"time is not finite", [](TimeState &s) { s.time = -without_end; }},
        StateChange{"`num_steps`", [](TimeState &s) { s.num_steps = -1; }},
        StateChange{"`num_steps`", [](TimeState &s) { s.num_steps = INT64_MAX; }},
        StateChange{"`num_rejected`", [](TimeState &s) { s.num_rejected = INT64_MIN; }},
        StateChange{"`num_newton_steps`", [](TimeState &s) { s.num_newton_steps = -3; }},
        StateChange{"`num_iterations`", [](TimeState &s) { s.num_iterations = INT64_MAX; }},
        StateChange{"`wanted_step`", [](TimeState &s) { s.wanted_step = not_a_number; }},
        StateChange{"`previous_error`", [](TimeState &s) { s.previous_error = -1; }},
        StateChange{"`residual_scale`", [](TimeState &s) { s.residual_scale = not_a_number; }},
        StateChange{"`unit_step`", [](TimeState &s) { s.unit_step = -1; }},
        StateChange{"`trusted_norm`", [](TimeState &s) { s.trusted_norm = not_a_number; }},
        StateChange{"number of states", [](TimeState &s) { s.states.clear(); }},
        StateChange{"number of states", [](TimeState &s) { s.states.resize(9); }},
        StateChange{"`states/1`", [](TimeState &s) { s.states[1].resize(9); }},
        StateChange{"`states/0`", [](TimeState &s) { s.states[0].clear(); }},
        StateChange{"lacks the steps", [](TimeState &s) { s.steps.clear(); }},
        StateChange{"lacks the steps", [](TimeState &s) { s.steps.assign(7, 1); }},
        StateChange{"no length of time", [](TimeState &s) { s.steps[0] = 0; }},
        StateChange{"no length of time", [](TimeState &s) { s.steps[0] = not_a_number; }},
        StateChange{"`field_scale`", [](TimeState &s) { s.field_scale.clear(); }},
        StateChange{"`field_scale`", [](TimeState &s) { s.field_scale[1] = not_a_number; }}));

TEST(ForgedCheckpoint, FirstTimesOfAnotherLength) {
  Checkpoint checkpoint = sound_checkpoint();
  checkpoint.first_times["first"].resize(4);
  const std::string message = refusal_of([&] { check_state("c.h5", checkpoint, sizes_of_run); });
  EXPECT_NE(message.find("first_times/first"), std::string::npos) << message;
}

} // namespace
} // namespace weft
