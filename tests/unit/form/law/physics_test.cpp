// The equations that come with Weft, as a case that names them gets them.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "case/case.h"
#include "form/law/conservation_law.h"
#include "support/form_testing.h"

namespace weft {
namespace {

using testing::some_value;

double gradient(int component, int d) {
  return some_value({.kind = SymbolKind::field_gradient, .component = component, .direction = d});
}

// A case of one physics file on a box, with further lines.
FormSpec read(const std::string &physics, int dim, const std::string &lines = "") {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "weft_physics";
  std::filesystem::create_directories(folder);
  const auto path = folder / (physics + ".toml");
  std::ofstream(path) << "physics = [\"" << physics << "\"]\n[mesh]\nbox = { size = "
                      << (dim == 2 ? "[1, 1], cells = [2, 2], cell = \"triangle\""
                                   : "[1, 1, 1], cells = [2, 2, 2], cell = \"tetrahedron\"")
                      << " }\n"
                      << lines;
  Case c = read_case(path.string());
  resolve_dimension(c, dim);
  std::filesystem::remove(path);
  return c.form;
}

std::vector<double> cell_outputs(const Form &form) {
  return testing::values_at(form.integrals.at(0).residual, some_value);
}

TEST(Physics, Heat) {
  const Form form = make_form(read("heat", 3,
                                   "[parameters]\nk = 4\nq = 2\n"
                                   "[weak_form]\nfacets.x1 = \"5*T*test(T)\"\n"));
  EXPECT_EQ(cell_outputs(form),
            (std::vector<double>{-2, 4 * gradient(0, 0), 4 * gradient(0, 1), 4 * gradient(0, 2)}));
  ASSERT_EQ(form.integrals.size(), 2u); // the case adds its facet terms
  EXPECT_EQ(form.integrals[1].groups, std::vector<std::string>{"x1"});
  EXPECT_TRUE(form.linear);
  EXPECT_TRUE(form.symmetric);
}

TEST(Physics, NonlinearHeat) {
  const Form form =
      make_form(read("nonlinear_heat", 2, "[parameters]\nk_0 = 3\nc = 0.1\nT_0 = 20\n"));
  const double k = 3 * (1 + 0.1 * (some_value({.kind = SymbolKind::field}) - 20));
  const std::vector<double> found = cell_outputs(form);
  EXPECT_NEAR(found[1], k * gradient(0, 0), 1e-14);
  EXPECT_NEAR(found[2], k * gradient(0, 1), 1e-14);
  EXPECT_FALSE(form.linear);
  EXPECT_FALSE(form.symmetric);
}

TEST(Physics, PLaplace) {
  const Form form = make_form(read("p_laplace", 2));
  const double size = std::sqrt(1e-6 + std::pow(gradient(0, 0), 2) + std::pow(gradient(0, 1), 2));
  EXPECT_NEAR(cell_outputs(form)[1], size * gradient(0, 0), 1e-14);
  EXPECT_FALSE(form.linear);
  EXPECT_TRUE(form.symmetric);
}

// Hooke's law by compliances: the stress of the form gives back the strain.
TEST(Physics, Elasticity) {
  const double E = 210, nu = 0.3;
  for (const std::string physics :
       {"elasticity", "elasticity_plane_strain", "elasticity_plane_stress"}) {
    const int dim = physics == "elasticity" ? 3 : 2;
    const Form form = make_form(read(physics, dim, "[parameters]\nE = 210\nnu = 0.3\n"));
    const std::vector<double> found = cell_outputs(form);
    const auto stress = [&](int i, int j) { return found[dim + i * dim + j]; };
    double trace = 0;
    for (int i = 0; i < dim; ++i)
      trace += stress(i, i);
    if (physics == "elasticity_plane_strain")
      trace += nu * trace; // sigma_zz = nu (sigma_xx + sigma_yy)
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) {
        const double strain = (gradient(i, j) + gradient(j, i)) / 2;
        EXPECT_NEAR((1 + nu) / E * stress(i, j) - (i == j ? nu / E * trace : 0), strain, 1e-14)
            << physics << " " << i << j;
      }
    EXPECT_TRUE(form.linear);
    EXPECT_TRUE(form.symmetric);
  }
}

// Every file there is, in the dimensions it is for.
TEST(Physics, EveryFileMakesAFormOrALaw) {
  const std::map<std::string, std::vector<int>> dimensions = {
      {"acoustics", {2, 3}},
      {"aliev_panfilov", {2, 3}},
      {"allen_cahn", {2, 3}},
      {"biot", {2, 3}},
      {"cahn_hilliard", {2, 3}},
      {"darcy", {2, 3}},
      {"darcy_mixed", {2, 3}},
      {"elasticity_mixed", {2, 3}},
      {"helmholtz", {2, 3}},
      {"hyperelastic", {2, 3}},
      {"joule", {2, 3}},
      {"navier_stokes_incompressible", {2, 3}},
      {"poisson_boltzmann", {2, 3}},
      {"stokes", {2, 3}},
      {"thermoelastic", {2, 3}},
      {"advection", {2, 3}},
      {"elasticity", {3}},
      {"elasticity_plane_strain", {2}},
      {"elasticity_plane_stress", {2}},
      {"euler", {2, 3}},
      {"fitzhugh_nagumo", {2, 3}},
      {"heat", {2, 3}},
      {"maxwell", {3}},
      {"maxwell_tm", {2}},
      {"navier_stokes", {2, 3}},
      {"nonlinear_heat", {2, 3}},
      {"p_laplace", {2, 3}},
      {"shallow_water", {2}},
  };
  std::size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/physics")) {
    if (entry.path().extension() != ".toml")
      continue;
    ++count;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    ASSERT_TRUE(dimensions.contains(name));
    for (const int dim : dimensions.at(name)) {
      // Only laws need the lines about time.
      const FormSpec spec = read(name, dim, "[time]\nend = 1\nstep = 0.1\n");
      if (spec.law)
        EXPECT_NO_THROW(make_conservation_law(spec)) << dim;
      else
        EXPECT_NO_THROW(make_form(spec)) << dim;
    }
  }
  EXPECT_EQ(count, dimensions.size());
}

TEST(Physics, MaterialsMayDifferByRegion) {
  const Form form =
      make_form(read("elasticity", 3, "[parameters]\nE = { box = 210e9 }\nnu = { box = 0.3 }\n"));
  EXPECT_EQ(form.cell_table.size(), 2u);
  EXPECT_TRUE(form.symmetric);
}

} // namespace
} // namespace weft
