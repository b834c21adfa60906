// libCEED: products with Poisson's operator on hexahedra by tensor bases, for
// bench/peers/hexahedra, which says what is computed and how this is compiled. Written for
// libCEED 0.12.
//
//   OMP_NUM_THREADS=2 libceed_poisson --cells N --order P --points Q [--repeat 11] [--on-the-fly]
//                                     [--backend /cpu/self/avx/blocked]
//
// libCEED's CPU backends use one core, so that each thread has a Ceed of its own and some layers of
// cells with vectors of their own. What is timed is CeedOperatorApply() in all threads: nothing is
// summed where layers meet and no row is a Dirichlet row, which favours libCEED. Coefficient,
// weights and geometry are folded into six numbers a point beforehand, or computed at each point
// (--on-the-fly).
// Prints one line of JSON; "energy": (A u, u) of u = x + 2 y + 3 z, the parts' together.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ceed.h>

#include "distorted_box.h"

typedef struct {
  int cells, order, points, repeat, on_the_fly;
  const char *backend;
} Options;

// Some layers of cells and the nodes that they have.
typedef struct {
  CeedInt cells, vertices, nodes, cell_nodes;
  CeedInt *vertices_of, *nodes_of; // [cell][vertex]: three times its number; [cell][node]
  double *x;                       // [vertex][3]
} Part;

// What a thread needs for its part.
typedef struct {
  Ceed ceed;
  CeedVector x, u, v, stored;
  CeedOperator apply;
} Product;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(int error) {
  if (error)
    exit(error); // libCEED has said why
}

// G = k w / det J adj(J) adj(J)^T, symmetric: 00, 11, 22, 12, 02, 01. `gradient`:
// [direction][component] of the coordinates, of Q points each.
static inline void fold(CeedInt Q, CeedInt i, const CeedScalar *gradient, const CeedScalar *x,
                        const CeedScalar *weight, CeedScalar *g) {
  CeedScalar J[3][3], A[3][3];
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      J[c][d] = gradient[(d * 3 + c) * Q + i];
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      A[d][c] = J[(c + 1) % 3][(d + 1) % 3] * J[(c + 2) % 3][(d + 2) % 3] -
                J[(c + 1) % 3][(d + 2) % 3] * J[(c + 2) % 3][(d + 1) % 3];
  const CeedScalar det = J[0][0] * A[0][0] + J[1][0] * A[0][1] + J[2][0] * A[0][2];
  const CeedScalar k = 1 + x[i] * x[Q + i] + x[2 * Q + i] * x[2 * Q + i];
  const CeedScalar scale = k * weight[i] / det;
  const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  for (int p = 0; p < 6; p++) {
    const CeedScalar *a = A[pairs[p][0]], *b = A[pairs[p][1]];
    g[p] = scale * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  }
}

static inline void multiply(CeedInt Q, CeedInt i, const CeedScalar *g, const CeedScalar *du,
                            CeedScalar *dv) {
  const CeedScalar a = du[i], b = du[Q + i], c = du[2 * Q + i];
  dv[i] = g[0] * a + g[5] * b + g[4] * c;
  dv[Q + i] = g[5] * a + g[1] * b + g[3] * c;
  dv[2 * Q + i] = g[4] * a + g[3] * b + g[2] * c;
}

static int store_points(void *context, const CeedInt Q, const CeedScalar *const *in,
                        CeedScalar *const *out) {
  (void)context;
#pragma omp simd
  for (CeedInt i = 0; i < Q; i++) {
    CeedScalar g[6];
    fold(Q, i, in[0], in[1], in[2], g);
    for (int p = 0; p < 6; p++)
      out[0][p * Q + i] = g[p];
  }
  return 0;
}

static int apply_stored(void *context, const CeedInt Q, const CeedScalar *const *in,
                        CeedScalar *const *out) {
  (void)context;
  const CeedScalar *restrict du = in[0], *restrict stored = in[1];
  CeedScalar *restrict dv = out[0];
#pragma omp simd
  for (CeedInt i = 0; i < Q; i++) {
    CeedScalar g[6];
    for (int p = 0; p < 6; p++)
      g[p] = stored[p * Q + i];
    multiply(Q, i, g, du, dv);
  }
  return 0;
}

static int apply_on_the_fly(void *context, const CeedInt Q, const CeedScalar *const *in,
                            CeedScalar *const *out) {
  (void)context;
  const CeedScalar *restrict du = in[0], *restrict gradient = in[1], *restrict x = in[2];
  const CeedScalar *restrict weight = in[3];
  CeedScalar *restrict dv = out[0];
#pragma omp simd
  for (CeedInt i = 0; i < Q; i++) {
    CeedScalar g[6];
    fold(Q, i, gradient, x, weight, g);
    multiply(Q, i, g, du, dv);
  }
  return 0;
}

static Part make_part(const Options *options, int thread, int threads) {
  const int n = options->cells, p = options->order;
  const int first = (int)((long)n * thread / threads),
            last = (int)((long)n * (thread + 1) / threads);
  const int layers = last - first, line = n * p + 1;
  Part part = {.cells = layers * n * n,
               .vertices = (layers + 1) * (n + 1) * (n + 1),
               .nodes = (layers * p + 1) * line * line,
               .cell_nodes = (p + 1) * (p + 1) * (p + 1)};
  part.x = malloc(sizeof(double) * 3 * part.vertices);
  for (int64_t v = 0; v < part.vertices; v++) {
    const int64_t at[3] = {v % (n + 1), v / (n + 1) % (n + 1), v / ((n + 1) * (n + 1)) + first};
    box_corner(n, at, part.x + 3 * v);
  }
  part.vertices_of = malloc(sizeof(CeedInt) * 8 * part.cells);
  part.nodes_of = malloc(sizeof(CeedInt) * part.cell_nodes * part.cells);
  for (int64_t c = 0; c < part.cells; c++) {
    const CeedInt i = c % n, j = c / n % n, k = c / (n * n);
    for (int e = 0; e < 8; e++)
      part.vertices_of[8 * c + e] =
          3 * (((k + e / 4) * (n + 1) + j + e / 2 % 2) * (n + 1) + i + e % 2);
    for (int e = 0; e < part.cell_nodes; e++) {
      const int ex = e % (p + 1), ey = e / (p + 1) % (p + 1), ez = e / ((p + 1) * (p + 1));
      part.nodes_of[part.cell_nodes * c + e] =
          ((k * p + ez) * line + j * p + ey) * line + i * p + ex;
    }
  }
  return part;
}

// The operator's inputs of coordinates: gradient, value, weight.
static void add_geometry(CeedQFunction function) {
  check(CeedQFunctionAddInput(function, "gradient", 9, CEED_EVAL_GRAD));
  check(CeedQFunctionAddInput(function, "x", 3, CEED_EVAL_INTERP));
  check(CeedQFunctionAddInput(function, "weight", 1, CEED_EVAL_WEIGHT));
}

static void set_geometry(CeedOperator op, CeedElemRestriction vertices, CeedBasis basis,
                         CeedVector x) {
  check(CeedOperatorSetField(op, "gradient", vertices, basis, x));
  check(CeedOperatorSetField(op, "x", vertices, basis, x));
  check(CeedOperatorSetField(op, "weight", CEED_ELEMRESTRICTION_NONE, basis, CEED_VECTOR_NONE));
}

static Product make_product(const Options *options, const Part *part) {
  Product product;
  CeedElemRestriction of_x, of_u, of_stored;
  CeedBasis basis_x, basis_u;
  CeedQFunction function;
  const int points = options->points * options->points * options->points;
  check(CeedInit(options->backend, &product.ceed));
  const Ceed ceed = product.ceed;
  check(CeedElemRestrictionCreate(ceed, part->cells, 8, 3, 1, (CeedSize)3 * part->vertices,
                                  CEED_MEM_HOST, CEED_COPY_VALUES, part->vertices_of, &of_x));
  check(CeedElemRestrictionCreate(ceed, part->cells, part->cell_nodes, 1, 1, part->nodes,
                                  CEED_MEM_HOST, CEED_COPY_VALUES, part->nodes_of, &of_u));
  check(CeedBasisCreateTensorH1Lagrange(ceed, 3, 3, 2, options->points, CEED_GAUSS, &basis_x));
  check(CeedBasisCreateTensorH1Lagrange(ceed, 3, 1, options->order + 1, options->points, CEED_GAUSS,
                                        &basis_u));
  check(CeedVectorCreate(ceed, (CeedSize)3 * part->vertices, &product.x));
  check(CeedVectorSetArray(product.x, CEED_MEM_HOST, CEED_USE_POINTER, part->x));
  check(CeedVectorCreate(ceed, part->nodes, &product.u));
  check(CeedVectorCreate(ceed, part->nodes, &product.v));
  if (options->on_the_fly) {
    check(CeedQFunctionCreateInterior(ceed, 1, apply_on_the_fly, __FILE__ ":apply_on_the_fly",
                                      &function));
    check(CeedQFunctionAddInput(function, "du", 3, CEED_EVAL_GRAD));
    add_geometry(function);
  } else {
    CeedOperator store;
    const CeedSize size = (CeedSize)6 * part->cells * points;
    check(CeedElemRestrictionCreateStrided(ceed, part->cells, points, 6, size, CEED_STRIDES_BACKEND,
                                           &of_stored));
    check(CeedVectorCreate(ceed, size, &product.stored));
    check(CeedQFunctionCreateInterior(ceed, 1, store_points, __FILE__ ":store_points", &function));
    add_geometry(function);
    check(CeedQFunctionAddOutput(function, "stored", 6, CEED_EVAL_NONE));
    check(CeedOperatorCreate(ceed, function, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &store));
    set_geometry(store, of_x, basis_x, CEED_VECTOR_ACTIVE);
    check(CeedOperatorSetField(store, "stored", of_stored, CEED_BASIS_NONE, CEED_VECTOR_ACTIVE));
    check(CeedOperatorApply(store, product.x, product.stored, CEED_REQUEST_IMMEDIATE));
    check(CeedQFunctionCreateInterior(ceed, 1, apply_stored, __FILE__ ":apply_stored", &function));
    check(CeedQFunctionAddInput(function, "du", 3, CEED_EVAL_GRAD));
    check(CeedQFunctionAddInput(function, "stored", 6, CEED_EVAL_NONE));
  }
  check(CeedQFunctionAddOutput(function, "dv", 3, CEED_EVAL_GRAD));
  check(
      CeedOperatorCreate(ceed, function, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &product.apply));
  check(CeedOperatorSetField(product.apply, "du", of_u, basis_u, CEED_VECTOR_ACTIVE));
  if (options->on_the_fly)
    set_geometry(product.apply, of_x, basis_x, product.x);
  else
    check(
        CeedOperatorSetField(product.apply, "stored", of_stored, CEED_BASIS_NONE, product.stored));
  check(CeedOperatorSetField(product.apply, "dv", of_u, basis_u, CEED_VECTOR_ACTIVE));
  return product;
}

// Sets u to x + 2 y + 3 z: of nodes between the vertices by its multilinear interpolation, which is
// exact. `order` + 1 nodes of a line are those of Gauss and Lobatto.
static double energy_of(const Options *options, const Part *part, Product *product) {
  const int p = options->order;
  CeedScalar nodes[32], weights[32], *u;
  check(CeedLobattoQuadrature(p + 1, nodes, weights));
  check(CeedVectorGetArrayWrite(product->u, CEED_MEM_HOST, &u));
  for (int64_t c = 0; c < part->cells; c++)
    for (int e = 0; e < part->cell_nodes; e++) {
      const double at[3] = {(1 + nodes[e % (p + 1)]) / 2, (1 + nodes[e / (p + 1) % (p + 1)]) / 2,
                            (1 + nodes[e / ((p + 1) * (p + 1))]) / 2};
      double value = 0;
      for (int v = 0; v < 8; v++) {
        const double *x = part->x + part->vertices_of[8 * c + v];
        value += (v % 2 ? at[0] : 1 - at[0]) * (v / 2 % 2 ? at[1] : 1 - at[1]) *
                 (v / 4 ? at[2] : 1 - at[2]) * (x[0] + 2 * x[1] + 3 * x[2]);
      }
      u[part->nodes_of[part->cell_nodes * c + e]] = value;
    }
  check(CeedVectorRestoreArray(product->u, &u));
  check(CeedOperatorApply(product->apply, product->u, product->v, CEED_REQUEST_IMMEDIATE));
  double energy = 0;
  const CeedScalar *read_u, *read_v;
  check(CeedVectorGetArrayRead(product->u, CEED_MEM_HOST, &read_u));
  check(CeedVectorGetArrayRead(product->v, CEED_MEM_HOST, &read_v));
  for (CeedInt i = 0; i < part->nodes; i++)
    energy += read_u[i] * read_v[i];
  check(CeedVectorRestoreArrayRead(product->u, &read_u));
  check(CeedVectorRestoreArrayRead(product->v, &read_v));
  return energy;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static Options parse(int argc, char **argv) {
  Options options = {
      .cells = 16, .order = 2, .points = 4, .repeat = 11, .backend = "/cpu/self/avx/blocked"};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--on-the-fly")) {
      options.on_the_fly = 1;
      continue;
    }
    if (!strcmp(argv[i], "--cells"))
      options.cells = atoi(value);
    else if (!strcmp(argv[i], "--order"))
      options.order = atoi(value);
    else if (!strcmp(argv[i], "--points"))
      options.points = atoi(value);
    else if (!strcmp(argv[i], "--repeat"))
      options.repeat = atoi(value);
    else if (!strcmp(argv[i], "--backend"))
      options.backend = value;
    else {
      fprintf(stderr, "libceed_poisson: unknown option %s\n", argv[i]);
      exit(2);
    }
    i++;
  }
  return options;
}

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  const int threads = omp_get_max_threads(), dropped = 2;
  const long line = (long)options.cells * options.order + 1;
  double *seconds = malloc(sizeof(double) * (options.repeat + dropped)), start = 0, energy = 0;
#pragma omp parallel num_threads(threads) reduction(+ : energy)
  {
    const Part part = make_part(&options, omp_get_thread_num(), threads);
    Product product;
#pragma omp critical
    product = make_product(&options, &part);
    energy += energy_of(&options, &part, &product);
    for (int r = 0; r < options.repeat + dropped; r++) {
#pragma omp barrier
#pragma omp master
      start = now();
#pragma omp barrier
      check(CeedOperatorApply(product.apply, product.u, product.v, CEED_REQUEST_IMMEDIATE));
#pragma omp barrier
#pragma omp master
      seconds[r] = now() - start;
    }
  }
  qsort(seconds + dropped, options.repeat, sizeof(double), by_size);
  printf("{\"order\": %d, \"points\": %d, \"cells\": %ld, \"dofs\": %ld, \"threads\": %d, "
         "\"seconds\": %.6g, \"least_s\": %.6g, \"energy\": %.15g}\n",
         options.order, options.points, (long)options.cells * options.cells * options.cells,
         line * line * line, threads, seconds[dropped + options.repeat / 2], seconds[dropped],
         energy);
  return 0;
}
