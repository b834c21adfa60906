// MFEM: products with Poisson's operator on hexahedra by partial assembly, for
// bench/peers/hexahedra, which says what is computed and how this is compiled. Written for
// MFEM 4.9.1, with MPI.
//
//   mpirun -n 2 mfem_partial_assembly --cells N --order P --points Q [--repeat 11]
//
// What is timed is a product on true dofs with Dirichlet rows on the boundary; the slowest process
// counts. Coefficient, weights and geometry are folded into six numbers a point beforehand. Cells
// are numbered along MFEM's space-filling curve and shared out by METIS, both as MFEM does by
// default. Prints one line of JSON; "energy": (A u, u) of u = x + 2 y + 3 z without Dirichlet rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mfem.hpp>

#include "distorted_box.h"

using namespace mfem;

namespace {

struct Options {
  int cells = 16, order = 2, points = 4, repeat = 11;
};

Options parse(int argc, char **argv) {
  Options options;
  OptionsParser parser(argc, argv);
  parser.AddOption(&options.cells, "-n", "--cells", "of each direction");
  parser.AddOption(&options.order, "-p", "--order", "of the elements");
  parser.AddOption(&options.points, "-q", "--points", "Gauss points of each direction");
  parser.AddOption(&options.repeat, "-r", "--repeat", "timings");
  parser.Parse();
  if (!parser.Good()) {
    if (Mpi::Root())
      parser.PrintUsage(out);
    std::exit(2);
  }
  return options;
}

ParMesh make_mesh(int cells) {
  Mesh mesh = Mesh::MakeCartesian3D(cells, cells, cells, Element::HEXAHEDRON);
  for (int v = 0; v < mesh.GetNV(); ++v) {
    double *x = mesh.GetVertex(v);
    std::int64_t at[3];
    for (int d = 0; d < 3; ++d)
      at[d] = std::lround(x[d] * cells);
    box_corner(cells, at, x);
  }
  return ParMesh(MPI_COMM_WORLD, mesh);
}

double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

double energy_of(ParBilinearForm &form, ParFiniteElementSpace &space) {
  OperatorPtr a;
  form.FormSystemMatrix(Array<int>(), a);
  ParGridFunction u(&space);
  FunctionCoefficient linear([](const Vector &x) { return x[0] + 2 * x[1] + 3 * x[2]; });
  u.ProjectCoefficient(linear);
  Vector x(space.GetTrueVSize()), y(space.GetTrueVSize());
  u.GetTrueDofs(x);
  a->Mult(x, y);
  return InnerProduct(MPI_COMM_WORLD, x, y);
}

std::vector<double> time_products(const Operator &a, int repeat) {
  Vector x(a.Width()), y(a.Height());
  for (int i = 0; i < x.Size(); ++i)
    x(i) = 0.01 * (i % 101);
  std::vector<double> seconds;
  for (int i = -2; i < repeat; ++i) { // the first two are not kept
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    a.Mult(x, y);
    const double taken = slowest(MPI_Wtime() - start);
    if (i >= 0)
      seconds.push_back(taken);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

void run(const Options &options) {
  ParMesh mesh = make_mesh(options.cells);
  const H1_FECollection elements(options.order, 3);
  ParFiniteElementSpace space(&mesh, &elements);
  FunctionCoefficient k([](const Vector &x) { return 1 + x[0] * x[1] + x[2] * x[2]; });
  ParBilinearForm form(&space);
  form.SetAssemblyLevel(AssemblyLevel::PARTIAL);
  auto *diffusion = new DiffusionIntegrator(k); // the form's from now on
  const IntegrationRule &rule = IntRules.Get(Geometry::CUBE, 2 * options.points - 1);
  MFEM_VERIFY(rule.GetNPoints() == options.points * options.points * options.points,
              "another rule than Gauss's with so many points");
  diffusion->SetIntRule(&rule);
  form.AddDomainIntegrator(diffusion);
  form.Assemble();
  const double energy = energy_of(form, space);
  Array<int> boundary;
  space.GetBoundaryTrueDofs(boundary);
  OperatorPtr a;
  form.FormSystemMatrix(boundary, a);
  const std::vector<double> seconds = time_products(*a, options.repeat);
  const long long dofs = space.GlobalTrueVSize(), cells = mesh.GetGlobalNE(); // of all processes
  if (Mpi::Root())
    std::printf(
        "{\"order\": %d, \"points\": %d, \"cells\": %lld, \"dofs\": %lld, \"processes\": %d, "
        "\"seconds\": %.6g, \"least_s\": %.6g, \"energy\": %.15g}\n",
        options.order, options.points, cells, dofs, Mpi::WorldSize(), seconds[seconds.size() / 2],
        seconds[0], energy);
}

} // namespace

int main(int argc, char **argv) {
  Mpi::Init(argc, argv);
  Hypre::Init();
  run(parse(argc, argv));
  return 0;
}
