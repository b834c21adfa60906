// Damaged mesh files of every format: an error that names the file, or a mesh, never a crash or a
// hang. Mutations are deterministic; run under the sanitizers too (WEFT_SANITIZE).
#include <random>

#include "base/log.h"
#include "mesh/gmsh/read_gmsh.h"
#include "mesh/gmsh/write_gmsh.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

using Random = std::mt19937;

// std::uniform_int_distribution differs between libraries; this does not.
std::size_t below(Random &random, std::size_t bound) {
  return random() % bound;
}

std::string file_bytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void append(std::string &bytes, std::int32_t value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

// The square of two triangles in the binary form of MSH 2.2.
std::string square_msh2_binary() {
  std::string bytes = "$MeshFormat\n2.2 1 8\n";
  append(bytes, 1);
  bytes += "\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"lower\"\n$EndPhysicalNames\n$Nodes\n4\n";
  const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  for (int i = 0; i < 4; ++i) {
    append(bytes, i + 1);
    bytes.append(reinterpret_cast<const char *>(corners[i]), sizeof corners[i]);
  }
  bytes += "\n$EndNodes\n$Elements\n3\n";
  for (int value : {1, 1, 2, /**/ 1, 5, 1, 1, 2}) // a line
    append(bytes, value);
  for (int value : {2, 2, 2, /**/ 2, 1, 1, 1, 2, 3, /**/ 3, 2, 2, 1, 3, 4}) // two triangles
    append(bytes, value);
  return bytes + "\n$EndElements\n$Periodic\n1\n1 2 1\nAffine 1 0\n1\n2 1\n$EndPeriodic\n";
}

std::vector<std::string> seeds(const TemporaryFolder &folder) {
  std::vector<std::string> files = {square_msh2, square_msh4, square_msh2_binary()};
  for (const char *cell : {"quadrilateral", "tetrahedron", "pyramid"})
    for (bool binary : {false, true}) {
      BoxSpec box = box_spec(cell, {2, 1, 1});
      box.periodic = {true, false, false};
      write_gmsh(mesh_of_box(box, 2), folder.file("seed.msh"), binary);
      files.push_back(file_bytes(folder.file("seed.msh")));
    }
  return files;
}

const char *const nasty_numbers[] = {"-1",    "0",   "2147483648", "-9223372036854775808",
                                     "1e308", "nan", "-inf",       "99999999999999999999",
                                     "\"",    "$End"};

// One small damage.
void mutate(std::string &bytes, Random &random) {
  if (bytes.empty())
    return;
  const std::size_t at = below(random, bytes.size());
  switch (below(random, 7)) {
  case 0: // a bit
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
    break;
  case 1: // a byte
    bytes[at] = static_cast<char>(random());
    break;
  case 2: // the end
    bytes.resize(at);
    break;
  case 3: // a piece
    bytes.erase(at, 1 + below(random, 40));
    break;
  case 4: // a piece twice
    bytes.insert(at, bytes.substr(below(random, bytes.size()), 1 + below(random, 40)));
    break;
  case 5: // a number
    bytes.replace(at, 1 + below(random, 4), nasty_numbers[below(random, std::size(nasty_numbers))]);
    break;
  default: // four bytes of a binary number
    for (std::size_t i = at; i < std::min(at + 4, bytes.size()); ++i)
      bytes[i] = static_cast<char>(below(random, 2) ? 0xff : 0x7f);
  }
}

TEST(FuzzMesh, DamagedFilesGiveErrorsOrMeshes) {
  const TemporaryFolder folder;
  log::set_level(log::Level::quiet);
  const std::string file = folder.file("fuzzed.msh");
  Random random(20240607);
  int refused = 0, read = 0;
  for (const auto &seed : seeds(folder)) {
    EXPECT_NO_THROW(mesh_of_file(folder.write("fuzzed.msh", seed), 2));
    for (int round = 0; round < 700; ++round) {
      std::string bytes = seed;
      for (std::size_t k = 0, count = 1 + below(random, 3); k < count; ++k)
        mutate(bytes, random);
      folder.write("fuzzed.msh", bytes);
      try {
        const Mesh mesh = mesh_of_file(file, 1 + round % 2);
        EXPECT_GT(mesh.num_cells(), 0);
        interior_facets(mesh);
        ++read;
      } catch (const Error &error) {
        EXPECT_TRUE(error.kind() == ErrorKind::input || error.kind() == ErrorKind::unsupported)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("fuzzed.msh"), std::string::npos) << error.what();
        ++refused;
      }
    }
  }
  log::set_level(log::Level::normal);
  // Both happen often, or the mutations test nothing.
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 250);
}

TEST(FuzzMesh, EveryTruncationIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.file("cut.msh");
  for (const auto &seed : {square_msh2, square_msh4, square_msh2_binary()}) {
    const std::size_t end = seed.find("$EndElements");
    for (std::size_t length = 0; length < end; ++length) {
      folder.write("cut.msh", seed.substr(0, length));
      expect_error(ErrorKind::input, {"cut.msh"}, [&] { read_gmsh(file); });
    }
  }
}

} // namespace
} // namespace weft
