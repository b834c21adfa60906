#include "base/system/run_program.h"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/system/interruption.h"
#include "support/temporary_place.h"

namespace weft {
namespace {

class RunProgram : public PlaceTest {
protected:
  void SetUp() override {
    PlaceTest::SetUp();
    shell_ = find_program("sh").string();
    ASSERT_FALSE(shell_.empty());
  }
  // What the shell makes of a command.
  ProgramEnd sh(const std::string &command, ProgramRun run = {}) const {
    run.arguments = {shell_, "-c", command};
    return run_program(run);
  }
  // Waits until a process is gone; processes of others' are reaped by the system.
  static bool is_gone(pid_t process) {
    for (int i = 0; i < 1000; ++i) {
      std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
      std::string number, name, state;
      if (!(stat >> number >> name >> state) || state == "Z")
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  pid_t number_in(const std::string &file) const {
    pid_t number = 0;
    while (!(std::ifstream(folder_ / file) >> number))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return number;
  }

  std::string shell_;
};

TEST_F(RunProgram, GivesTheStatusAndTheOutput) {
  const ProgramEnd end = sh("echo out; echo err >&2; cat; exit 3");
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.output, "out\nerr\n");
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(sh("kill -9 $$").status, 128 + 9);
  EXPECT_TRUE(find_program("no-such-program-here").empty());
  const std::string message =
      error_of(ErrorKind::system, [&] { run_program({.arguments = {"/no/such"}}); });
  EXPECT_NE(message.find("/no/such: A program cannot be started"), std::string::npos) << message;
}

TEST_F(RunProgram, WorksWhereAndWithWhatItIsTold) {
  set_variable("WEFT_TEST_A", "a");
  set_variable("WEFT_TEST_B", "b");
  const ProgramEnd end = sh("pwd -P; echo $WEFT_TEST_A-$WEFT_TEST_B-$WEFT_TEST_C",
                            {.environment = {"WEFT_TEST_A=x", "WEFT_TEST_C=c"},
                             .without = {"WEFT_TEST_B"},
                             .folder = folder_});
  EXPECT_EQ(end.output, std::filesystem::canonical(folder_).string() + "\nx--c\n");
}

TEST_F(RunProgram, OutputIsBounded) {
  const ProgramEnd end = sh("echo first; i=0; while [ $i -lt 3000 ]; do "
                            "echo 'a line that is written again and again, fifty bytes'; "
                            "i=$((i+1)); done; echo last");
  EXPECT_LT(end.output.size(), 110000u);
  EXPECT_TRUE(end.output.starts_with("first\na line"));
  EXPECT_TRUE(end.output.ends_with("fifty bytes\nlast\n"));
  EXPECT_NE(end.output.find(" bytes ...\n"), std::string::npos);
}

TEST_F(RunProgram, TimeIsBounded) {
  const ProgramEnd end =
      sh("echo begun; sleep 1000 & echo $! > pid; wait", {.folder = folder_, .timeout_s = 0.3});
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.output, "begun\n");
  EXPECT_TRUE(is_gone(number_in("pid"))) << "what it started is ended too";
  // A program that closed its output is waited for as well.
  EXPECT_TRUE(sh("exec >&- 2>&-; sleep 1000", {.timeout_s = 0.3}).timed_out);
}

// What a program has started in the background and left does not hold it up.
TEST_F(RunProgram, IsNotHeldUpByWhatItStarted) {
  const ProgramEnd end = sh("sleep 1000 & echo $! > pid; echo done", {.folder = folder_});
  EXPECT_EQ(end.output, "done\n");
  kill(number_in("pid"), SIGKILL);
}

TEST_F(RunProgram, EndsWithItsParent) {
  const pid_t parent = fork();
  if (parent == 0) {
    sh("echo $$ > pid; sleep 1000", {.folder = folder_});
    _exit(0);
  }
  const pid_t program = number_in("pid");
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(is_gone(program));
}

TEST_F(RunProgram, EndChildrenEndsThemAndTheirs) {
  ProgramEnd end;
  std::thread runs([&] { end = sh("sleep 1000 & echo $! > pid; wait", {.folder = folder_}); });
  const pid_t started = number_in("pid");
  end_children();
  runs.join();
  EXPECT_EQ(end.status, 128 + SIGKILL);
  EXPECT_TRUE(is_gone(started));
}

// What the rules of Landlock hold back, and what they leave.
TEST_F(RunProgram, ConfinedProgramsWriteInOneFolderAndRunNothing) {
  const Confinement confinement(shell_, folder_ / "scratch");
  EXPECT_FALSE(confinement.active()) << "the folder is not there";
  std::filesystem::create_directory(folder_ / "scratch");
  const Confinement confined(shell_, folder_ / "scratch");
  if (landlock_version() == 0)
    GTEST_SKIP() << "this kernel has no Landlock";
  ASSERT_TRUE(confined.active());
  write("file", "content");
  const std::filesystem::path scratch = folder_ / "scratch";
  const ProgramEnd end = sh("read word < ../file; echo $word; echo inside > inside; "
                            "echo x > ../outside; echo x > ../file; echo null > /dev/null; "
                            "/bin/true && echo ran; echo '#!/bin/sh\ntouch ran' > script; "
                            ". ./script; sh -c 'echo another shell'",
                            {.folder = scratch, .confinement = &confined});
  EXPECT_TRUE(end.output.starts_with("content\n")) << end.output;
  EXPECT_TRUE(std::filesystem::exists(scratch / "inside"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "outside"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "file"), 7u);
  EXPECT_EQ(end.output.find("ran\n"), std::string::npos) << end.output;
  EXPECT_FALSE(std::filesystem::exists(scratch / "ran"));
  EXPECT_NE(end.output.find("ermission denied"), std::string::npos) << end.output;
  EXPECT_EQ(end.output.find("/dev/null"), std::string::npos) << end.output;
  // The same without rules.
  const ProgramEnd free = sh("echo x > ../outside; /bin/true && echo ran", {.folder = scratch});
  EXPECT_EQ(free.output, "ran\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "outside"));
}

TEST_F(RunProgram, EndsWhereAnEndIsAskedFor) {
  const std::string file = (folder_ / "number").string();
  std::thread asks([&] {
    number_in("number");
    request_interruption(SIGINT);
  });
  EXPECT_THROW(sh("echo $$ > '" + file + "'; exec sleep 600"), Interrupted);
  asks.join();
  withdraw_interruption();
  EXPECT_TRUE(is_gone(number_in("number")));
}

} // namespace
} // namespace weft
