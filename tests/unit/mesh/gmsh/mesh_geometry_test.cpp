#include "mesh/gmsh/mesh_geometry.h"

#include <cstdlib>
#include <set>

#include "base/system/confinement.h"
#include "mesh/gmsh/run_gmsh.h"
#include "support/mesh_files.h"

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

// Paths of the meshes that are kept.
std::set<std::string> kept_meshes() {
  std::set<std::string> paths;
  for (const CacheEntry &entry : mesh_cache().entries())
    paths.insert(entry.path.string());
  return paths;
}

TEST_F(MeshGeometry, MeshesOnceAndAgainWhenAnythingChanges) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Mesh mesh = mesh_of_file(geo);
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.region_names(), std::vector<std::string>{"plate"});
  ASSERT_EQ(kept_meshes().size(), 1u);
  const std::string kept = *kept_meshes().begin();
  EXPECT_TRUE(kept.starts_with(folder_.file("cache/weft/meshes/square-"))) << kept;
  EXPECT_EQ(mesh_geometry(geo).path(), kept);
  EXPECT_EQ(mesh_of_file(kept).coordinates, mesh.coordinates); // a file of Gmsh like others

  EXPECT_EQ(mesh_of_file(geo, 2).geometry_order, 2);
  EXPECT_EQ(kept_meshes().size(), 2u);
  MeshSpec finer;
  finer.file = geo;
  finer.size = 0.1;
  Timings timings;
  EXPECT_GT(make_mesh(finer, timings).num_cells(), 4 * mesh.num_cells());
  EXPECT_EQ(kept_meshes().size(), 3u);
  folder_.write("size.geo", "h = 0.25;\n"); // the included file counts
  EXPECT_GT(mesh_of_file(geo).num_cells(), mesh.num_cells());
  EXPECT_EQ(kept_meshes().size(), 4u);
  // Nothing but meshes and gmsh's version is left.
  for (const auto &entry : std::filesystem::directory_iterator(folder_.file("cache/weft/meshes")))
    EXPECT_TRUE(entry.path().extension() == ".msh" || entry.path().extension() == ".version")
        << entry.path();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("cache/weft/scratch")));
}

// Whatever happens to a kept mesh, the geometry's is what is read.
TEST_F(MeshGeometry, DamagedMeshesAreMadeAnew) {
  folder_.write("size.geo", "h = 1;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Mesh mesh = mesh_of_file(geo);
  const std::string path = *kept_meshes().begin();
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const std::string key = path.substr(path.rfind('-') + 1, 32);
  FileCache cache = mesh_cache();
  const auto loads = [&](const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
    return cache.load_file("square", key).has_value();
  };
  ASSERT_TRUE(loads(whole));
  ASSERT_GT(whole.size(), 500u);
  for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 300) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    EXPECT_FALSE(loads(flipped)) << i;
    EXPECT_FALSE(loads(whole.substr(0, i))) << i;
    EXPECT_FALSE(loads(whole + whole.substr(i))) << i;
  }
  for (const std::string &text : {std::string(), whole.substr(0, whole.size() / 2), whole + '\n'}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(mesh_of_file(geo).coordinates, mesh.coordinates) << text.size();
    EXPECT_EQ(std::filesystem::file_size(path), whole.size());
  }
}

// What gmsh makes of the copies of scripts is what it makes of the scripts.
TEST_F(MeshGeometry, CopiesMeanTheSameToGmsh) {
  const std::filesystem::path geometries = WEFT_SOURCE_DIR "/tests/data/geometry";
  for (const char *name : {"macro_plate", "fields", "solids", "swept", "sizes_from_view"}) {
    MeshSpec spec;
    spec.file = (geometries / name).string() + ".geo";
    Timings timings;
    const Mesh without = make_mesh(spec, timings);
    spec.trust = true;
    const Mesh with = make_mesh(spec, timings);
    EXPECT_GT(without.num_cells(), 20) << name;
    EXPECT_EQ(without.coordinates, with.coordinates) << name;
    EXPECT_EQ(without.region_names(), with.region_names()) << name;
    EXPECT_EQ(without.facet_group_names(), with.facet_group_names()) << name;
  }
  EXPECT_EQ(kept_meshes().size(), 10u); // apart: with trust gmsh may have done more
}

TEST_F(MeshGeometry, OptionsOfGmshBesideAGeometryNeedTrust) {
  const std::string geo = folder_.write(
      "part.geo", "Point(1) = {0,0,0}; Point(2) = {1,0,0}; Point(3) = {1,1,0}; Line(1) = {1,2};"
                  "Line(2) = {2,3}; Line(3) = {3,1}; Curve Loop(1) = {1:3}; Plane Surface(1) = {1};"
                  "Physical Surface(\"s\") = {1}; Mesh.MeshSizeMax = 0.5;\n");
  const std::int64_t cells = mesh_of_file(geo).num_cells();
  folder_.write("part.geo.opt", "Mesh.MeshSizeMax = 0.03;\n");
  testing::internal::CaptureStderr();
  mesh_cache().clear();
  EXPECT_EQ(mesh_of_file(geo).num_cells(), cells);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("part.geo.opt is not read"),
            std::string::npos);
  MeshSpec spec;
  spec.file = geo;
  spec.trust = true;
  Timings timings;
  const std::int64_t trusted = make_mesh(spec, timings).num_cells();
  EXPECT_GT(trusted, 4 * cells);
  folder_.write("part.geo.opt", "Mesh.MeshSizeMax = 0.1;\n");
  EXPECT_LT(make_mesh(spec, timings).num_cells(), trusted);
}

TEST_F(MeshGeometry, TimeIsBounded) {
  const std::string geo = folder_.write("endless.geo", "For i In {0:1e9}\n  x = i;\nEndFor\n");
  expect_error(ErrorKind::system, {"endless.geo", "did not finish in time", "--mesh-timeout"},
               [&] { mesh_geometry(geo, {.timeout_s = 1}); });
  EXPECT_TRUE(kept_meshes().empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("cache/weft/scratch")));
}

// What a script could do that passed the check all the same.
TEST_F(MeshGeometry, WithLandlockGmshRunsNothingAndWritesNowhereElse) {
  const std::string folder = folder_.file("run"), marker = folder_.file("marker");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/part.geo")
      << "SystemCall \"touch " << marker << "\"; NonBlockingSystemCall \"touch " << marker
      << "\";\n"
      << "Printf(\"x\") > \"" << marker << "\"; Save \"" << marker << "\"; CreateDir \"" << marker
      << "\";\n"
      << "Printf(\"x\") > \"" << folder << "/inside\";\nPoint(1) = {0,0,0};\n";
  GmshRun run{.gmsh = find_gmsh(),
              .geometry = folder + "/part.geo",
              .options = {"-3", "-format", "msh41"},
              .timeout_s = 60,
              .folder = folder};
  const GmshEnd end = run_gmsh(run);
  EXPECT_TRUE(std::filesystem::exists(folder + "/inside")) << end.said;
  run.trust = true;
  if (landlock_version() > 0) {
    EXPECT_TRUE(end.confined);
    EXPECT_FALSE(std::filesystem::exists(marker)) << end.said;
  }
  EXPECT_FALSE(run_gmsh(run).confined);
  EXPECT_TRUE(std::filesystem::exists(marker)) << "the script does what it should be kept from";
  if (landlock_version() == 0)
    GTEST_SKIP() << "this kernel has no Landlock: gmsh runs unconfined";
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
  expect_error(ErrorKind::input, {"bad.geo", "syntax error"}, [&] { mesh_geometry(geo); });
  expect_error(ErrorKind::input, {"none.geo"}, [&] { mesh_geometry(folder_.file("none.geo")); });
}

TEST_F(MeshGeometry, MissingGmshIsASystemErrorWithARemedy) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Environment path("PATH", folder_.file("nothing"));
  expect_error(ErrorKind::system, {"gmsh is not installed", "apt-get install gmsh"},
               [&] { mesh_geometry(geo); });
}

TEST_F(MeshGeometry, CacheFolderThatCannotBeMadeIsNoError) {
  folder_.write("size.geo", "h = 0.5;\n");
  const std::string geo = folder_.write("square.geo", square_geo);
  const Environment cache("XDG_CACHE_HOME", folder_.write("file", ""));
  EXPECT_EQ(mesh_of_file(geo).dim, 2);
}

} // namespace
} // namespace weft
