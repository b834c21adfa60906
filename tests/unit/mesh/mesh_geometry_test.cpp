#include "mesh/mesh_geometry.h"

#include <cstdlib>

#include "mesh/run_program.h"
#include "mesh_files.h"

namespace weft {
namespace {

// Sets an environment variable while it lives.
class Environment {
public:
  Environment(const char *name, const std::string &value) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }

private:
  const char *name_;
  std::string old_;
};

class MeshGeometry : public testing::Test {
protected:
  TemporaryFolder folder_;
  Environment cache_{"XDG_CACHE_HOME", folder_.file("cache")};
};

const char *const square_geo = R"(Include "size.geo";
Point(1) = {0,0,0,h}; Point(2) = {1,0,0,h}; Point(3) = {1,1,0,h}; Point(4) = {0,1,0,h};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};
Curve Loop(1) = {1:4}; Plane Surface(1) = {1};
Physical Surface("plate") = {1};
)";

TEST_F(MeshGeometry, MeshesOnceAndAgainWhenAnythingChanges) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const std::string first = mesh_geometry(geo, 1, std::nullopt);
  const auto written = std::filesystem::last_write_time(first);
  EXPECT_TRUE(first.starts_with(folder_.file("cache/weft/meshes")));
  EXPECT_EQ(mesh_geometry(geo, 1, std::nullopt), first);
  EXPECT_EQ(std::filesystem::last_write_time(first), written);
  const Mesh mesh = mesh_of_file(geo);
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.region_names(), std::vector<std::string>{"plate"});

  EXPECT_NE(mesh_geometry(geo, 2, std::nullopt), first);
  const std::string finer = mesh_geometry(geo, 1, 0.1);
  EXPECT_NE(finer, first);
  EXPECT_GT(mesh_of_file(finer).num_cells(), 4 * mesh.num_cells());
  folder_.write("size.geo", "h = 0.25;\n"); // the included file counts
  EXPECT_NE(mesh_geometry(geo, 1, std::nullopt), first);
  // Nothing but meshes and gmsh's version is left.
  for (const auto &entry : std::filesystem::directory_iterator(folder_.file("cache/weft/meshes")))
    EXPECT_TRUE(entry.path().extension() == ".msh" || entry.path().extension() == ".version")
        << entry.path();
}

TEST_F(MeshGeometry, FindsASolidThreeDimensional) {
  const std::string geo = folder_.write("ball.geo", R"(SetFactory("OpenCASCADE");
Box(1) = {0,0,0,1,1,1}; Mesh.MeshSizeMax = 0.5; Physical Volume("solid") = {1};)");
  EXPECT_EQ(mesh_of_file(geo).dim, 3);
  const Mesh second = mesh_of_file(geo, 2);
  EXPECT_EQ(second.geometry_order, 2);
}

TEST_F(MeshGeometry, GmshsOwnWordsAreShown) {
  const std::string geo = folder_.write("bad.geo", "Point(1) = {0,0;\n");
  expect_error(ErrorKind::input, {"bad.geo", "syntax error"},
               [&] { mesh_geometry(geo, 1, std::nullopt); });
  expect_error(ErrorKind::input, {"none.geo"},
               [&] { mesh_geometry(folder_.file("none.geo"), 1, std::nullopt); });
}

TEST_F(MeshGeometry, MissingGmshIsASystemErrorWithARemedy) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Environment path("PATH", folder_.file("nothing"));
  expect_error(ErrorKind::system, {"gmsh is not installed", "apt-get install gmsh"},
               [&] { mesh_geometry(geo, 1, std::nullopt); });
}

TEST_F(MeshGeometry, CacheFolderThatCannotBeMade) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Environment cache("XDG_CACHE_HOME", folder_.write("file", ""));
  expect_error(ErrorKind::system, {"XDG_CACHE_HOME"}, [&] { mesh_geometry(geo, 1, std::nullopt); });
}

TEST(RunProgram, GivesTheStatusAndTheOutput) {
  const TemporaryFolder folder;
  const std::string shell = find_program("sh").string();
  ASSERT_FALSE(shell.empty());
  EXPECT_EQ(run_program({shell, "-c", "echo out; echo err >&2; exit 3"}, folder.file("log")), 3);
  std::ifstream log(folder.file("log"));
  std::string first, second;
  log >> first >> second;
  EXPECT_EQ(first + second, "outerr");
  EXPECT_EQ(run_program({shell, "-c", "kill -9 $$"}, folder.file("log")), 128 + 9);
  EXPECT_TRUE(find_program("no-such-program-here").empty());
  expect_error(ErrorKind::system, {"cannot be started", "/no/such"},
               [&] { run_program({"/no/such"}, folder.file("log")); });
}

} // namespace
} // namespace weft
