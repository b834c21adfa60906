#include "op/assembly/tied_matrix.h"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

// What a row or a column of A adds to: itself, or what it follows.
class Targets {
public:
  explicit Targets(const Discretisation &d)
      : ties_(d.ties), follows_(d.num_owned, -1), prescribed_(d.num_owned, false) {
    for (std::size_t i = 0; i < ties_.dofs.size(); ++i)
      follows_[ties_.dofs[i]] = static_cast<std::int32_t>(i);
    for (const std::int32_t dof : d.constraints.dofs)
      prescribed_[dof] = true;
  }

  bool follows(std::int32_t dof) const { return follows_[dof] >= 0; }

  // body(dof, weight)
  template <typename Body> void for_each(std::int32_t dof, const Body &body) const {
    const std::int32_t i = follows_[dof];
    if (i < 0) {
      body(dof, 1.);
      return;
    }
    for (std::int32_t k = ties_.first[i]; k < ties_.first[i + 1]; ++k)
      if (!prescribed_[ties_.others[k]])
        body(ties_.others[k], ties_.weights[k]);
  }

private:
  const Ties &ties_;
  std::vector<std::int32_t> follows_; // [dof]: which of the ties; -1: none
  std::vector<bool> prescribed_;
};

// body(entry of A, row, column, weight) for all terms of C^T A C.
template <typename Body>
void for_each_term(const CsrPattern &of_all, const Targets &targets, const Body &body) {
  for (std::int64_t row = 0; row < of_all.num_rows; ++row)
    for (std::int64_t entry = of_all.row_start[row]; entry < of_all.row_start[row + 1]; ++entry) {
      const auto first = static_cast<std::int32_t>(row);
      const std::int32_t second = of_all.columns[entry];
      targets.for_each(first, [&](std::int32_t i, double of_row) {
        targets.for_each(second, [&](std::int32_t j, double of_column) {
          body(entry, i, j, of_row * of_column);
        });
      });
    }
}

CsrPattern tied_pattern(const CsrPattern &of_all, const Discretisation &d, const Targets &targets) {
  std::vector<std::vector<std::int32_t>> columns(of_all.num_rows);
  for_each_term(of_all, targets, [&](std::int64_t, std::int32_t i, std::int32_t j, double) {
    columns[i].push_back(j);
  });
  for (const std::int32_t dof : d.ties.dofs)
    columns[dof] = {dof};
  CsrPattern pattern{.num_rows = of_all.num_rows, .row_start = {0}, .columns = {}};
  std::vector<std::int32_t> all;
  for (std::vector<std::int32_t> &of_row : columns) {
    std::sort(of_row.begin(), of_row.end());
    of_row.erase(std::unique(of_row.begin(), of_row.end()), of_row.end());
    all.insert(all.end(), of_row.begin(), of_row.end());
    pattern.row_start.push_back(static_cast<std::int64_t>(all.size()));
  }
  pattern.columns = std::move(all);
  return pattern;
}

} // namespace

TiedMatrix::TiedMatrix(const CsrPattern &of_all, const Discretisation &d) {
  const Targets targets(d);
  pattern_ = std::make_shared<const CsrPattern>(tied_pattern(of_all, d, targets));
  for_each_term(of_all, targets,
                [&](std::int64_t entry, std::int32_t i, std::int32_t j, double weight) {
                  terms_.push_back({entry, pattern_->place(i, j), weight});
                });
  for (const std::int32_t dof : d.ties.dofs)
    ones_.push_back(pattern_->place(dof, dof));
}

std::vector<double> TiedMatrix::values(const double *of_all) const {
  std::vector<double> values(pattern_->num_entries(), 0.);
  for (const Term &term : terms_)
    values[term.to] += term.weight * of_all[term.from];
  for (const std::int64_t one : ones_)
    values[one] = 1;
  return values;
}

} // namespace weft
