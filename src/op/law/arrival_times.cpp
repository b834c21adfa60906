#include "op/law/arrival_times.h"

#include <limits>

#include "base/error.h"
#include "form/expression/expression.h"
#include "op/problem/result_form.h"

namespace weft {

namespace {

constexpr double not_reached = std::numeric_limits<double>::quiet_NaN();

// All expressions as one function, with the parameters that they read.
NodeExpressions expressions_of(const Case &c) {
  NodeExpressions result{.dim = c.form.dim, .fields = c.form.fields, .auxiliary = c.form.auxiliary};
  std::string all;
  for (const ValueSpec &spec : c.first_times) {
    const Expression one = make_expression(c.form, spec.value, Shape{}, true, false);
    for (const SymbolKind kind : {SymbolKind::field_gradient, SymbolKind::field_hessian,
                                  SymbolKind::auxiliary_gradient, SymbolKind::auxiliary_hessian})
      if (one.function.uses(kind))
        throw Error(ErrorKind::input, {.what = "first times of an expression with gradients",
                                       .where = spec.value.where(),
                                       .allowed = "fields, parameters, place and time"});
    all += (all.empty() ? "" : ", ") + ("(" + spec.value.text + ")");
  }
  SourceText vector = c.first_times.front().value;
  vector.text = "[" + all + "]";
  const Expression together = make_expression(c.form, vector, {}, true, false);
  result.function = together.function;
  result.cell_table = together.cell_table;
  return result;
}

ClassTable table_of(const Discretisation &d, const NodeExpressions &expressions) {
  return resolve_table(*d.mesh, Domain::cells, expressions.cell_table, classes_of_cells(*d.mesh));
}

} // namespace

ArrivalTimes::ArrivalTimes(const Case &c, const Discretisation &d, LawRates &op)
    : d_(d), op_(op), count_(static_cast<int>(c.first_times.size())) {
  const NodeExpressions expressions = expressions_of(c);
  const ClassTable table = table_of(d, expressions);
  Device &device = op.device();
  const auto array = [&](const char *purpose) {
    return make_vector(device, op.mesh().size(count_), op.precision(), purpose);
  };
  values_ = array("expressions of first times");
  times_ = array("first times");
  launcher_ = std::make_unique<DgNodeLauncher>(
      device, d, op.mesh(),
      DgNodeSpec{.form_name = op.settings().form_name, .precision = op.precision()}, table,
      [&](const DgNodeSpec &spec) {
        return make_first_times_kernel(spec, expressions, device.info().backend);
      },
      DgNodeLauncher::Arguments{{ArgumentRole::values, values_.buffer},
                                {ArgumentRole::arrival_times, times_.buffer}});
}

void check_arrival_times(const Case &c, const Discretisation &d) {
  if (!c.first_times.empty())
    table_of(d, expressions_of(c));
}

void ArrivalTimes::set_times(const std::vector<std::vector<double>> &times) {
  const DgMesh &mesh = op_.mesh();
  std::vector<double> array(mesh.size_with_ghosts(count_), not_reached);
  for (int e = 0; e < count_; ++e)
    to_dg_order(mesh, false, times[e], 0, 1, e, count_, array);
  array.resize(mesh.size(count_));
  set_vector(op_.device(), times_, array);
  // Above zero, so that the next look is the first one.
  set_vector(op_.device(), values_, std::vector<double>(mesh.size(count_), 1.0));
}

void ArrivalTimes::start(double time, const Vector &q) {
  const auto nodes = static_cast<std::size_t>(d_.map_of_field(0).num_local);
  resume(time, q, {static_cast<std::size_t>(count_), std::vector<double>(nodes, not_reached)});
}

void ArrivalTimes::resume(double time, const Vector &q,
                          const std::vector<std::vector<double>> &times) {
  set_times(times);
  before_ = time;
  look(time, q);
}

void ArrivalTimes::look(double time, const Vector &q) {
  launcher_->launch({.time = time, .before = before_, .q = &q});
  before_ = time;
}

std::vector<std::vector<double>> ArrivalTimes::times(double last) const {
  const std::vector<double> array = get_vector(op_.device(), times_);
  std::vector<std::vector<double>> result;
  for (int e = 0; e < count_; ++e) {
    std::vector<double> &times = result.emplace_back(d_.map_of_field(0).num_local);
    from_dg_order(op_.mesh(), false, array, e, count_, 1, 0, times);
    for (double &time : times)
      if (time > last)
        time = not_reached;
  }
  return result;
}

void set_arrival_times(Discretisation &d, const std::vector<std::vector<double>> &times) {
  for (std::size_t e = 0; e < times.size(); ++e)
    d.auxiliary[d.auxiliary.size() - times.size() + e].values = times[e];
}

} // namespace weft
