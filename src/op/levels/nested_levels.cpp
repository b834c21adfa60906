#include "op/levels/nested_levels.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "linalg/levels/matrix_transfer.h"
#include "op/problem/quadrature_degree.h"

namespace weft {

namespace {

// Those of the finest operator as far as they suit other elements and another precision.
OperatorSettings level_settings(const OperatorSettings &fine, Precision precision, int level) {
  OperatorSettings settings;
  settings.precision = precision;
  settings.geometry = fine.geometry;
  settings.form_name = fmt::format("{}_level{}", fine.form_name, level);
  if (fine.strategy != Strategy::transposed)
    settings.strategy = fine.strategy;
  return settings;
}

HostMatrix first_rows(HostMatrix matrix, std::int64_t count) {
  matrix.row_start.resize(count + 1);
  matrix.columns.resize(matrix.row_start.back());
  matrix.values.resize(matrix.row_start.back());
  return matrix;
}

} // namespace

NestedLevels::NestedLevels(FormOperator &fine, const Case &c, const Discretisation &d,
                           const std::vector<CoarserMesh> &coarser, const NestedSettings &settings)
    : fine_(fine), d_(d), settings_(settings) {
  require(fine.size() == d.num_owned, "the operator of the discretisation");
  levels_.push_back(std::make_unique<Level>());
  if (settings.low_order) {
    add_level(make_low_order_space(c, d));
    make_operator(0);
    make_operator(1);
    return;
  }
  require(!d.ranks || coarser.empty(), "parts of coarser meshes");
  if (!d.ranks && highest_field_order(d) == 1 && coarser.empty() &&
      d.num_global > settings.coarsest_size)
    require_coarser_mesh(c.mesh); // else there is nothing to go down to
  const Case *finer = &c;
  for (int order = highest_field_order(d); order > 1;) {
    order /= 2; // order 8 is followed by 4, orders 2 and 3 by 1
    add_level(make_lower_order_space(*finer, discretisation(num_levels() - 1), order));
    finer = &levels_.back()->space.c;
  }
  for (const CoarserMesh &mesh : coarser) {
    const Discretisation &last = discretisation(num_levels() - 1);
    if (num_levels() >= settings.max_levels || last.num_global <= settings.coarsest_size)
      break;
    add_level(make_coarser_space(*finer, last, mesh));
    finer = &levels_.back()->space.c;
  }
  for (int level = 0; level < num_levels(); ++level)
    make_operator(level);
}

const Discretisation &NestedLevels::discretisation(int level) const {
  return level == 0 ? d_ : levels_[level]->space.d;
}

const HostMatrix &NestedLevels::prolongation(int level) {
  make_transfer(level);
  return levels_[level + 1]->prolongation;
}

const HostMatrix &NestedLevels::restriction(int level) {
  make_transfer(level);
  return levels_[level + 1]->restriction;
}

void NestedLevels::make_transfer(int level) {
  Level &coarse = *levels_[level + 1];
  if (!coarse.prolongation.row_start.empty())
    return;
  coarse.prolongation = make_prolongation(coarse.space, discretisation(level));
  if (!d_.ranks)
    return;
  // The restriction adds up what ghosts have too.
  const Discretisation &d = coarse.space.d;
  coarse.restriction = first_rows(transposed(coarse.prolongation, d.num_local), d.num_owned);
  coarse.prolongation = first_rows(std::move(coarse.prolongation), discretisation(level).num_owned);
}

void NestedLevels::add_level(NestedSpace space) {
  levels_.push_back(std::make_unique<Level>());
  levels_.back()->space = std::move(space);
}

void NestedLevels::make_operator(int number) {
  Level &level = *levels_[number];
  const Discretisation &d = discretisation(number);
  const bool assembled = highest_field_order(d) == 1;
  if (number == 0 && (fine_.matrix() || (!assembled && fine_.precision() == settings_.precision))) {
    level.used = &fine_;
    return;
  }
  const OperatorSettings settings =
      level_settings(fine_.settings(), assembled ? Precision::f64 : settings_.precision, number);
  if (assembled)
    level.own = std::make_unique<AssembledOperator>(fine_.device(), d, settings);
  else
    level.own = std::make_unique<FormOperator>(fine_.device(), d, settings);
  level.used = level.own.get();
}

void NestedLevels::update() {
  std::vector<double> state, offset, second_offset;
  if (!fine_.linear())
    state = fine_.dofs(fine_.state());
  if (has_rates(d_.form))
    offset = fine_.dofs(fine_.rate_offset());
  if (has_second_rates(d_.form))
    second_offset = fine_.dofs(fine_.second_rate_offset());
  for (int l = 0; l < num_levels(); ++l) {
    Level &level = *levels_[l];
    if (l > 0) {
      if (level.space.d.time != d_.time)
        set_time(level.space, discretisation(l - 1));
      for (std::vector<double> *dofs : {&state, &offset, &second_offset})
        if (!dofs->empty())
          *dofs = inject(level.space, discretisation(l - 1), *dofs);
    }
    if (level.own)
      update(level, state, offset, second_offset);
  }
}

void NestedLevels::update(Level &level, const std::vector<double> &state,
                          const std::vector<double> &offset,
                          const std::vector<double> &second_offset) {
  FormOperator &op = *level.own;
  const auto upload = [&](const std::vector<double> &values, Vector &vector, const char *purpose) {
    if (values.empty())
      return;
    if (!vector.buffer)
      vector = make_vector(op.device(), op.layout(), op.precision(), purpose);
    op.set_dofs(values, vector);
  };
  upload(state, level.state, "state of a level");
  upload(offset, level.rate_offset, "offset of time derivatives of a level");
  upload(second_offset, level.second_offset, "offset of second derivatives of a level");
  if (op.time() != fine_.time())
    op.set_time(fine_.time());
  op.take_rates(fine_, level.rate_offset, level.second_offset);
  op.linearise(level.state);
}

} // namespace weft
