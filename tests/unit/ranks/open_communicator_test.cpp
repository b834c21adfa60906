// Ranks that a launcher started: what is seen of it, and, under mpirun, messages through MPI.
#include "ranks/open_communicator.h"

#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

// Variables of a launcher, for a test that no launcher runs.
class Variables {
public:
  explicit Variables(std::vector<std::pair<const char *, const char *>> variables) {
    for (const auto &[name, value] : variables) {
      setenv(name, value, 1);
      names_.push_back(name);
    }
  }
  ~Variables() {
    for (const char *name : names_)
      unsetenv(name);
  }
  Variables(const Variables &) = delete;

private:
  std::vector<const char *> names_;
};

TEST(Launcher, IsSeenByItsVariables) {
  EXPECT_EQ(num_launched_processes(), 1);
  EXPECT_EQ(open_communicator(), nullptr);
  {
    const Variables one({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}});
    EXPECT_EQ(num_launched_processes(), 1);
    EXPECT_EQ(open_communicator(), nullptr);
  }
  {
    const Variables mpich({{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}});
    EXPECT_EQ(num_launched_processes(), 4);
    EXPECT_EQ(launched_rank(), 3);
  }
  const Variables inside({{"SLURM_STEP_NUM_TASKS", "2"},
                          {"SLURM_PROCID", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "8"},
                          {"OMPI_COMM_WORLD_RANK", "5"}});
  EXPECT_EQ(num_launched_processes(), 8);
  EXPECT_EQ(launched_rank(), 5);
}

TEST(Launcher, WithoutTheModuleItIsRefused) {
  const Variables variables({{"PMI_SIZE", "2"}, {"WEFT_MODULE_DIR", "/nonexistent"}});
  try {
    open_communicator();
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    const std::string text = error.what();
    for (const char *part : {"a launcher started 2 processes", "/nonexistent/libweft_mpi.so",
                             "libopenmpi-dev", "without a launcher"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

} // namespace
} // namespace weft
