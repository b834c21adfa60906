// Operators of laws that are not shared among ranks say so, on all ranks alike.
#include "op/law/one_process.h"

#include <atomic>

#include <gtest/gtest.h>

#include "base/error.h"
#include "op/law/law_rate_matrix.h"
#include "op/law/law_residual.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

template <typename Operator> void expect_refused(const std::string &what) {
  const DiscreteProblem whole(
      "[mesh]\nbox = { cells = [3, 2], cell = \"quadrilateral\" }\n"
      "[fields]\nu = { element = \"FV\" }\n[time]\nend = 1\nstep = 1\n"
      "[conservation_law]\nflux.u = \"-grad(u)\"\n"
      "diffusion = \"two_point\"\n[boundary]\nall = { outer = { u = 0 } }\n");
  std::atomic<int> refused = 0;
  on_ranks(whole, 3, [&](Communicator &ranks, const Discretisation &d, Device &device) {
    LawRates rates(device, d, {});
    const CommunicationCounts before = ranks.counts();
    try {
      Operator op(rates, d);
    } catch (const Error &error) {
      const Diagnostic &said = error.diagnostic();
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      EXPECT_EQ(said.what, what);
      EXPECT_EQ(said.found, "3 processes");
      EXPECT_EQ(said.remedy, "start one process");
      EXPECT_FALSE(said.where.empty());
      ++refused;
    }
    EXPECT_EQ(ranks.counts().gathers, before.gathers);
    EXPECT_EQ(ranks.counts().messages, before.messages);
  });
  EXPECT_EQ(refused, 3);
  LawRates rates(test_device(), whole.d, {});
  Operator(rates, whole.d); // alone
}

TEST(OneProcess, ImplicitLawsAndMatricesAreRefused) {
  expect_refused<LawResidual>("implicit steps of a conservation law on several processes");
  expect_refused<LawRateMatrix>("the rate of a conservation law as a matrix on several processes");
}

} // namespace
} // namespace weft
