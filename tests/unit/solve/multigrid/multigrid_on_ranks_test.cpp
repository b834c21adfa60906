// Multigrid on ranks: what a cycle and an iteration send, against the count of their parts.
#include <gtest/gtest.h>
#include <mutex>

#include "op/assembly/assembled_operator.h"
#include "op/set_up/make_near_null_space.h"
#include "solve/krylov/cg.h"
#include "solve/precondition/precond_multigrid.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

// What a rank has sent since this was made.
class Sent {
public:
  explicit Sent(const Communicator &ranks) : ranks_(ranks), before_(ranks.counts()) {}
  HaloCounts messages() const {
    return {ranks_.counts().messages - before_.messages, ranks_.counts().bytes - before_.bytes};
  }
  std::int64_t gathers() const { return ranks_.counts().gathers - before_.gathers; }

private:
  const Communicator &ranks_;
  CommunicationCounts before_;
};

HaloCounts times(int count, const HaloCounts &each) {
  return {count * each.messages, count * each.bytes};
}

// A V cycle by Chebyshev polynomials: the first term before the coarse correction starts from zero,
// a residual and the terms after it do not; then the residual goes down and the correction up.
HaloCounts sent_by_cycle(const std::vector<LevelSummary> &levels, int degree) {
  HaloCounts sent;
  for (std::size_t l = 0; l < levels.size() && levels[l].halo; ++l) {
    const int products = (degree - 1) + 1 + degree, down = 1, up = l > 0 ? 1 : 0;
    sent += times(products + down + up, *levels[l].halo);
  }
  return sent;
}

constexpr int few_iterations = 3;

const std::string cube = "[mesh]\nbox = { cells = [9, 9, 9], cell = \"tetrahedron\", distort = 0.1 "
                         "}\n[fields]\nu = { element = \"P1\" }\n[weak_form]\ncells.all = "
                         "\"inner(grad(u), grad(test(u))) - test(u)\"\n[dirichlet]\nx0 = { u = 0 }";

TEST(MultigridOnRanks, SendsWhatItsPartsAdd) {
  const DiscreteProblem whole(cube);
  for (const int size : {2, 3, 5})
    on_ranks(whole, size, [&](Communicator &ranks, const Discretisation &d, Device &device) {
      AssembledOperator op(device, d, {});
      op.linearise({});
      const MultigridSettings settings = {.coarsest_size = 20, .gathered_size = 60};
      VectorKernels kernels(device, op.precision(), op.layout(), 4, {"cg", "jacobi"});
      PrecondMultigrid multigrid(
          kernels, aggregation_multigrid(settings, make_near_null_space(d, false)), false);
      multigrid.update(op);
      Vector b = kernels.vector("b"), x = kernels.vector("x");
      op.set_dofs(std::vector<double>(d.num_local, 1), b);

      const Sent by_product(ranks);
      op.apply(b, x);
      const HaloCounts product = by_product.messages();
      const std::vector<LevelSummary> levels = multigrid.levels();
      ASSERT_GE(levels.size(), 3u);
      ASSERT_TRUE(levels[1].halo.has_value());
      ASSERT_FALSE(levels.back().halo.has_value());
      // Values of the finest level are half as long as the operator's.
      EXPECT_EQ(product.messages, levels[0].halo->messages);
      EXPECT_EQ(product.bytes, 2 * levels[0].halo->bytes);
      EXPECT_EQ(by_product.gathers(), 0);

      // Sums for alpha and for beta, the largest entry of what enters the cycle, the level that is
      // gathered, and whether an end is asked for.
      constexpr int gathers = 5;
      const auto sent_by = [&](int iterations) {
        CgMethod cg(kernels);
        kernels.zero(x);
        Vector r = kernels.vector("r");
        kernels.copy(b, r);
        const Sent sent(ranks);
        const double norm = kernels.norm(r);
        const CycleResult result = cg.run(op, multigrid, x, r,
                                          {.residual_norm = norm,
                                           .target_norm = 0,
                                           .max_iterations = iterations,
                                           .on_iteration = [](double) {}});
        EXPECT_EQ(result.iterations, iterations);
        return std::pair(sent.messages(), sent.gathers());
      };
      const auto [few, gathers_of_few] = sent_by(few_iterations);
      const auto [more, gathers_of_more] = sent_by(2 * few_iterations);
      HaloCounts expected = few;
      expected += times(few_iterations, product);
      expected += times(few_iterations, sent_by_cycle(levels, settings.degree));
      EXPECT_EQ(more.messages, expected.messages) << size;
      EXPECT_EQ(more.bytes, expected.bytes) << size;
      EXPECT_EQ(gathers_of_more - gathers_of_few, gathers * few_iterations) << size;
    });
}

} // namespace
} // namespace weft
