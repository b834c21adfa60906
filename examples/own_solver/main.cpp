// -div(grad(u)) + u^3 = f on the unit square, u = 0 on its boundary, by Newton's method and
// conjugate gradients of this program's own. Mesh and case are made in memory; Weft has the
// residual, the Jacobian and a preconditioner.
//
// f is such that u = sin(pi x) sin(pi y).
#include <weft/weft.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using Vector = std::vector<double>;

const char *const equation = R"toml(
[definitions]
u_exact = "sin(pi*x)*sin(pi*y)"
f = "2*pi**2*u_exact + u_exact**3"
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + u**3*test(u) - f*test(u)"
[dirichlet]
boundary = { u = 0 }
[functionals]
error = { integral = "(u - u_exact)**2" }
)toml";

// n x n squares of two triangles each.
weft::MeshArrays square(std::int64_t n) {
  weft::MeshArrays mesh{.dimension = 2, .points = {}, .cells = {{5, 3, {}}}, .groups = {}};
  for (std::int64_t j = 0; j <= n; ++j)
    for (std::int64_t i = 0; i <= n; ++i) {
      mesh.points.push_back(double(i) / double(n));
      mesh.points.push_back(double(j) / double(n));
    }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      for (const std::int64_t node : {a, b, c, b, d, c})
        mesh.cells[0].nodes.push_back(node);
    }
  return mesh;
}

double dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// J x = b from x = 0 (Hestenes, Stiefel 1952), with Weft's preconditioner; returns iterations.
// The formula of beta is that of a preconditioner that rounds to a lower precision, as Weft's may
// (Notay 2000).
int conjugate_gradients(weft::Problem &problem, const Vector &b, Vector &x) {
  const std::size_t n = b.size();
  Vector r = b, z(n), p(n), q(n), before(n);
  std::fill(x.begin(), x.end(), 0.0);
  double rz = 0;
  const double end = 1e-8 * std::sqrt(dot(b, b));
  int iteration = 0;
  for (; iteration < 500 && std::sqrt(dot(r, r)) > end; ++iteration) {
    problem.precondition(r, z);
    const double rz_before = rz, beforez = dot(before, z);
    rz = dot(r, z);
    const double beta = iteration == 0 ? 0 : (rz - beforez) / rz_before;
    for (std::size_t i = 0; i < n; ++i)
      p[i] = z[i] + beta * p[i];
    problem.apply(p, q);
    const double alpha = rz / dot(p, q);
    before = r;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
  }
  return iteration;
}

} // namespace

int main() {
  try {
    weft::Problem problem(weft::CaseText{.text = equation, .mesh = square(64)});
    const std::size_t n = problem.num_dofs();
    Vector u(problem.state().begin(), problem.state().end()), r(n), step(n);
    problem.residual(u, r);
    const double first = std::sqrt(dot(r, r));
    for (int newton = 0; newton < 20 && std::sqrt(dot(r, r)) > 1e-9 * first; ++newton) {
      problem.linearise(u);
      problem.set_up_preconditioner();
      const int iterations = conjugate_gradients(problem, r, step);
      for (std::size_t i = 0; i < n; ++i)
        u[i] -= step[i];
      problem.residual(u, r);
      std::printf("Newton step %d: %d iterations, residual %.2e\n", newton + 1, iterations,
                  std::sqrt(dot(r, r)) / first);
    }
    problem.set_state(u);
    const double error = std::sqrt(problem.functional("error"));
    std::printf("error %.3e, by order 3 of P2 below %.1e\n", error, 1e-5);
    return error < 1e-5 ? 0 : 1;
  } catch (const weft::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
