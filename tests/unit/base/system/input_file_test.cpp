#include "base/system/input_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/temporary_place.h"

namespace weft {
namespace {

using InputFile = PlaceTest;

const InputFileWords words{"mesh file", "a Gmsh file (.msh)"};

TEST_F(InputFile, IsReadWhole) {
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 20000000u, 1000000u}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>(i * 31);
    EXPECT_EQ(read_input_text(write("file", text), words), text) << size;
  }
  EXPECT_FALSE(read_input_text("/proc/self/status", words).empty()); // says that it has no bytes
  std::filesystem::create_symlink("file", folder_ / "link");
  EXPECT_EQ(read_input_text((folder_ / "link").string(), words).size(), 1000000u);
}

TEST_F(InputFile, WhatIsNoFileIsRefusedAtOnce) {
  const std::string pipe = (folder_ / "pipe").string(), socket_path = (folder_ / "s").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int socket_number = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(socket_number, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  std::filesystem::create_symlink("pipe", folder_ / "link");
  const struct {
    std::string path, message, found;
  } cases[] = {{pipe, "the mesh file is not a file", "a pipe"},
               {(folder_ / "link").string(), "is not a file", "a pipe"},
               {"/dev/zero", "is not a file", "a device"},
               {folder_.string(), "is not a file", "a folder"},
               {socket_path, "is not a file", "a socket"},
               {(folder_ / "none").string(), "does not exist", "No such file"},
               {pipe + "/none", "does not exist", "Not a directory"}};
  for (const auto &c : cases)
    for (const bool named : {false, true}) {
      InputFileWords said = words;
      said.where = named ? "case.toml:3: [mesh] file" : "";
      const auto message = error_of(ErrorKind::input, [&] { read_input_file(c.path, said); });
      EXPECT_NE(message.find(c.message), std::string::npos) << message;
      EXPECT_NE(message.find(c.found), std::string::npos) << message;
      EXPECT_NE(message.find(c.path), std::string::npos) << message;
      EXPECT_NE(message.find("a Gmsh file (.msh)"), std::string::npos) << message;
      EXPECT_EQ(message.starts_with("case.toml:3"), named) << message;
      error_of(ErrorKind::input, [&] { require_input_file(c.path, said); });
    }
  close(socket_number);
}

TEST_F(InputFile, SizeIsBounded) {
  const std::string path = write("file", std::string(100, 'x'));
  InputFileWords small = words;
  small.max_bytes = 100;
  EXPECT_EQ(read_input_text(path, small).size(), 100u);
  small.max_bytes = 99;
  EXPECT_NE(error_of(ErrorKind::input, [&] { read_input_text(path, small); }).find("100 bytes"),
            std::string::npos);
}

} // namespace
} // namespace weft
