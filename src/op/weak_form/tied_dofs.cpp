#include "op/weak_form/tied_dofs.h"

#include <fmt/format.h>
#include <map>

#include "base/embedded.h"
#include "device/dialect.h"
#include "linalg/vector_cost.h"
#include "op/weak_form/form_cost.h"

namespace weft {

TiedDofs::TiedDofs(Device &device, const Ties &ties, Precision precision)
    : device_(device), ties_(ties), precision_(precision) {
  if (ties.empty())
    return;
  program_ = device.build(
      {.name = "tied",
       .text = program_head(device.info().backend, precision, 1) +
               fmt::format("#define WEFT_DOFS_PER_ITEM {}\n", list_entries_an_item(device.info())) +
               embedded_text("kernels/fem/tied.kernel"),
       .kernels = {"tied_set", "tied_take", "tied_fold", "tied_give_back", "tied_fill"}});
  const auto numbers = [&](const std::vector<std::int32_t> &values) {
    return upload(device_, values, "tied dofs");
  };
  const auto reals = [&](const std::vector<double> &values) {
    return upload_reals(device_, values, precision_, "weights of tied dofs");
  };
  dofs_ = numbers(ties.dofs);
  first_ = numbers(ties.first);
  others_ = numbers(ties.others);
  weights_ = reals(ties.weights);
  jumps_ = reals(ties.jumps);
  saved_ = device_.allocate(num() * size_bytes(precision_), "tied entries");
  std::map<std::int32_t, std::vector<std::pair<std::int32_t, double>>> by_others;
  for (std::size_t i = 0; i < ties.dofs.size(); ++i)
    for (std::int32_t k = ties.first[i]; k < ties.first[i + 1]; ++k)
      by_others[ties.others[k]].emplace_back(ties.dofs[i], ties.weights[k]);
  std::vector<std::int32_t> others, first = {0}, dofs;
  std::vector<double> weights;
  for (const auto &[other, followers] : by_others) {
    others.push_back(other);
    for (const auto &[dof, weight] : followers) {
      dofs.push_back(dof);
      weights.push_back(weight);
    }
    first.push_back(static_cast<std::int32_t>(dofs.size()));
  }
  num_others_ = static_cast<std::int64_t>(others.size());
  by_others_ = numbers(others);
  by_first_ = numbers(first);
  by_dofs_ = numbers(dofs);
  by_weights_ = reals(weights);
}

void TiedDofs::launch(const char *kernel, std::int64_t num,
                      const std::vector<KernelArgument> &arguments) {
  if (num == 0)
    return;
  std::vector<KernelArgument> all = {static_cast<std::int32_t>(num)};
  all.insert(all.end(), arguments.begin(), arguments.end());
  device_.launch(program_, kernel, list_launch(num, device_.info()), all);
}

void TiedDofs::take_jumps() {
  Vector jumps{jumps_, num(), precision_};
  if (num() > 0)
    set_vector(device_, jumps, ties_.jumps);
}

void TiedDofs::set(const Vector &u) {
  launch("tied_set", num(), {dofs_, first_, others_, weights_, jumps_, u.buffer});
}

void TiedDofs::take(const Vector &x) {
  launch("tied_take", num(), {dofs_, first_, others_, weights_, x.buffer, saved_});
}

void TiedDofs::fold(const Vector &y, bool squared) {
  launch("tied_fold", num_others_,
         {by_others_, by_first_, by_dofs_, by_weights_, y.buffer, std::int32_t{squared}});
}

void TiedDofs::fill(const Vector &y, double value) {
  launch("tied_fill", num(), {dofs_, y.buffer, real_argument(value, precision_)});
}

void TiedDofs::give_back(const Vector &x, const Vector &y) {
  fold(y, false);
  launch("tied_give_back", num(), {dofs_, x.buffer, y.buffer, saved_});
}

void TiedDofs::fold_residual(const Vector &r) {
  fold(r, false);
  fill(r, 0);
}

void TiedDofs::fold_diagonal(const Vector &d) {
  fold(d, true);
  fill(d, 1);
}

std::vector<NamedCost> TiedDofs::costs(IntegralKind kind) const {
  std::vector<NamedCost> costs;
  if (ties_.empty())
    return costs;
  const double entries = double(ties_.others.size());
  const double real = double(size_bytes(precision_)), index = sizeof(std::int32_t);
  // `list`: its entries. `sums`: weights times reals by index. `reads`, `writes`: reals, an entry
  // of the list.
  const auto add = [&](const char *kernel, std::int64_t list, double sums, double reads,
                       double writes, double places) {
    KernelCost cost;
    cost.operations.multiply_adds = sums;
    cost.bytes_read = double(list) * (index + reads * real) + sums * (index + 2 * real) +
                      (sums > 0 ? (double(list) + 1) * index : 0);
    cost.bytes_written = double(list) * writes * real;
    cost.memory_reads1 = cost.memory_places1 = sums + double(list) * places;
    count_launch(cost, list_launch(list, device_.info()));
    costs.push_back({kernel, cost});
  };
  switch (kind) {
  case IntegralKind::residual:
    add("tied_set", num(), entries, 1, 1, 1);
    add("tied_fold", num_others_, entries, 1, 1, 1);
    add("tied_fill", num(), 0, 0, 1, 1);
    break;
  case IntegralKind::linearised:
    add("tied_take", num(), entries, 1, 2, 1);
    add("tied_fold", num_others_, entries, 1, 1, 1);
    add("tied_give_back", num(), 0, 1, 2, 2);
    break;
  case IntegralKind::diagonal:
    add("tied_fold", num_others_, entries, 1, 1, 1);
    add("tied_fill", num(), 0, 0, 1, 1);
    break;
  case IntegralKind::matrix: // of an assembled matrix, not of its kernels
    break;
  }
  return costs;
}

} // namespace weft
