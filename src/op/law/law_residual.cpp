#include "op/law/law_residual.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "kernel/law/dg_kernel.h"
#include "op/evaluate/cell_values.h"
#include "op/evaluate/point_values.h"

namespace weft {

namespace {

constexpr std::int64_t least_entries_of_chunk = 2048;
constexpr std::int64_t most_groups = 4096;
const std::vector<std::string> law_vector_kernels = {
    "law_enter",   "law_enter_scaled",   "law_residual", "law_leave",
    "law_product", "law_product_scaled", "law_add_rate", "law_take"};

// d/dt alone: out = L(t, q).

// Its vectors' entries are those of states, not dofs.
bool enters_states(const std::string &kernel) {
  return kernel == "law_enter" || kernel == "law_enter_scaled";
}

// DifferenceJacobian's step is this much smaller than the one that gives a direction the size of
// the state.
double steps_in_state(Precision precision) {
  return 1 / difference_step(precision);
}

// Integrals of the capacity over cells, where it is taken at their centres: [cell of all sets,
// component].
std::vector<double> capacities(const Discretisation &d) {
  const ConservationLaw &law = *d.law;
  const PointInputs inputs{.cell_table = &d.cell_table};
  std::vector<double> result;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const int set = static_cast<int>(s);
    // Exact for the volume ratio, a product of three derivatives of the geometry.
    const PointTable volumes = make_cell_table(d, set, 3 * d.geometry.order);
    const CellEvaluator evaluator(d, set);
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    for (std::size_t first = 0; first < cells.size(); first += 64) {
      const auto some =
          std::span(cells).subspan(first, std::min<std::size_t>(64, cells.size() - first));
      const PointBatch of_volumes(d, volumes, some);
      std::vector<std::vector<double>> capacity;
      evaluator.evaluate(law.capacity, some, inputs, capacity);
      for (std::size_t c = 0; c < some.size(); ++c) {
        const auto measure = of_volumes.measure().begin() + std::int64_t(c) * volumes.num_points;
        const double volume = std::accumulate(measure, measure + volumes.num_points, 0.0);
        for (int k = 0; k < law.num_components; ++k)
          result.push_back(volume * capacity[k][c]);
      }
    }
  }
  return result;
}

} // namespace

// The assembled part of the Jacobian.
struct LawResidual::Matrix {
  LawResidual &op;
  SparseMatrix matrix;
  std::vector<double> rate_entries; // of the part of L, where it is kept
  bool is_current = false;

  explicit Matrix(LawResidual &of)
      : op(of), matrix(of.device(), of.jacobian().pattern(), of.precision(), of.symmetric()) {}
  void update();
};

LawResidual::LawResidual(LawRates &rate, const Discretisation &d)
    : rate_(rate), d_(d), order_(d), slopes_(law_slopes(*d.law)), first_time_(d.time),
      time_(d.time), differences_(rate.device(), d, {d.num_owned, 0, d.ranks}, rate.precision(),
                                  [this](const Vector &u, Vector &r) { rate_part(time_, u, r); }) {
  depends_on_time_ = any_uses(*d.law, SymbolKind::time);
  make_maps();
  if (d.law->fields.front().order == 0)
    make_weights();
  const DeviceInfo &info = device().info();
  group_size_ = info.is_cpu ? 1 : 256;
  std::string head = program_head(info.backend, precision(), 1) +
                     fmt::format("#define WEFT_GROUP {}\n", group_size_);
  if (!weights_.empty())
    head += "#define WEFT_WEIGHTS\n";
  text_ = head + embedded_text("kernels/vector/common.kernel") +
          embedded_text("kernels/dg/law_vectors.kernel");
  program_ = device().build({.name = "law_vectors_" + to_string(precision()),
                             .text = text_,
                             .kernels = law_vector_kernels});
  q_ = make_vector(device(), rate.layout(), precision(), "state of a law");
  k_ = make_vector(device(), rate.layout(), precision(), "rate of a law");
  offset_ = dof_vector("offset of time derivatives");
  device().fill_zero(offset_.buffer, size() * size_bytes(precision()));
}

LawResidual::~LawResidual() = default;

Vector LawResidual::dof_vector(const char *purpose) {
  return make_vector(device(), layout(), precision(), purpose);
}

void LawResidual::make_maps() {
  const DgMesh &mesh = rate_.mesh();
  const ConservationLaw &law = *d_.law;
  std::vector<double> numbers(d_.num_local), places(mesh.size_with_ghosts(law.num_components));
  for (std::int64_t dof = 0; dof < d_.num_local; ++dof)
    numbers[dof] = order_.entry(dof);
  const auto for_each_field = [&](const auto &body) {
    int first = 0;
    for (std::size_t f = 0; f < law.fields.size(); ++f) {
      const int components = law.fields[f].components();
      body(d_.field_offset[f], components, first);
      first += components;
    }
  };
  for_each_field([&](std::int64_t offset, int components, int first) {
    to_dg_order(mesh, mesh.state_by_cell, numbers, offset, components, first, law.num_components,
                places);
  });
  dofs_ = upload(device(), std::vector<std::int32_t>(places.begin(), places.begin() + rate_.size()),
                 "dofs of a state");
  std::iota(places.begin(), places.end(), 0.0);
  for_each_field([&](std::int64_t offset, int components, int first) {
    from_dg_order(mesh, mesh.state_by_cell, places, first, law.num_components, components, offset,
                  numbers);
  });
  const std::vector<double> of_entries = order_.own_entries(numbers);
  places_ = upload(device(), std::vector<std::int32_t>(of_entries.begin(), of_entries.end()),
                   "places of dofs in a state");
}

void LawResidual::make_weights() {
  const std::vector<double> of_cells = capacities(d_);
  const int stride = d_.law->num_components;
  std::vector<double> weights(d_.num_local); // [dof]
  int first = 0;
  for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
    const int components = d_.form.fields[f].components();
    std::int64_t cell = 0;
    for (const NodeMapSet &set : d_.map_of_field(static_cast<int>(f)).sets)
      for (const std::int32_t node : set.nodes) {
        for (int k = 0; k < components; ++k)
          weights[d_.field_offset[f] + std::int64_t(node) * components + k] =
              of_cells[cell * stride + first + k];
        ++cell;
      }
    first += components;
  }
  weights_ = order_.own_entries(weights);
  Vector of_rows = dof_vector("weights of rows");
  set_vector(device(), of_rows, weights_);
  weight_buffer_ = of_rows.buffer;
}

KernelArgument LawResidual::real(double value) const {
  return real_argument(value, precision());
}

std::int64_t LawResidual::chunk_of(std::int64_t count) const {
  const std::int64_t chunk =
      std::max(least_entries_of_chunk, (count + most_groups - 1) / most_groups);
  return (chunk + group_size_ - 1) / group_size_ * group_size_;
}

void LawResidual::over_entries(const char *kernel, std::int64_t count,
                               const std::vector<KernelArgument> &arguments) {
  const std::int64_t chunk = chunk_of(count);
  std::vector<KernelArgument> all = {count, chunk};
  all.insert(all.end(), arguments.begin(), arguments.end());
  device().launch(program_, kernel,
                  {std::max<std::int64_t>(1, (count + chunk - 1) / chunk), group_size_}, all);
}

void LawResidual::enter(const Vector &x) {
  over_entries("law_enter", rate_.size(), {dofs_, x.buffer, q_.buffer});
}

void LawResidual::compute_rate(double time) {
  rate_.stage(time, 1, rate_alone, q_, nullptr, nullptr, k_);
}

void LawResidual::rate_part(double time, const Vector &x, Vector &r) {
  enter(x);
  compute_rate(time);
  over_entries("law_leave", size(), {places_, weight_buffer(), k_.buffer, r.buffer});
}

// Where there are no weights the kernels read none, whatever they are given.
const Buffer &LawResidual::weight_buffer() const {
  return weights_.empty() ? offset_.buffer : weight_buffer_;
}

void LawResidual::residual(const Vector &u, Vector &r) {
  enter(u);
  compute_rate(time_);
  over_entries(
      "law_residual", size(),
      {places_, weight_buffer(), k_.buffer, u.buffer, offset_.buffer, real(shift_), r.buffer});
}

void LawResidual::set_time(double time) {
  time_ = time;
  changed();
}

void LawResidual::set_rate(const Vector &offset, double shift) {
  offset_ = offset;
  shift_ = shift;
  changed();
}

void LawResidual::changed() {
  if (matrix_)
    matrix_->is_current = false;
}

void LawResidual::linearise(const Vector &u) {
  state_ = u;
  differences_.linearise(u);
  if (slopes_.constant)
    take_constant(time_);
  changed();
}

void LawResidual::take_constant(double time) {
  if (constant_time_ && (*constant_time_ == time || !depends_on_time_))
    return;
  if (!constant_.buffer)
    constant_ = dof_vector("rate of the state zero");
  Vector zero = dof_vector("the state zero");
  device().fill_zero(zero.buffer, size() * size_bytes(precision()));
  rate_part(time, zero, constant_);
  constant_time_ = time;
  const std::vector<double> values = get_vector(device(), constant_);
  homogeneous_ =
      !any(d_.ranks, std::any_of(values.begin(), values.end(), [](double v) { return v != 0; }));
}

void LawResidual::apply(const Vector &x, Vector &y) {
  require(state_.buffer != nullptr, "linearise() comes before apply()");
  if (!slopes_.constant) {
    differences_.apply(x, y);
    over_entries("law_add_rate", size(), {weight_buffer(), x.buffer, real(shift_), y.buffer});
    return;
  }
  if (homogeneous_) {
    enter(x);
    compute_rate(time_);
    over_entries("law_product", size(),
                 {places_, weight_buffer(), k_.buffer, x.buffer, real(shift_), y.buffer});
    return;
  }
  const Buffer &step = differences_.step_along(x);
  const KernelArgument factor = real(steps_in_state(precision()));
  over_entries("law_enter_scaled", rate_.size(), {dofs_, x.buffer, step, factor, q_.buffer});
  compute_rate(time_);
  over_entries("law_product_scaled", size(),
               {places_, weight_buffer(), k_.buffer, constant_.buffer, step, factor, x.buffer,
                real(shift_), y.buffer});
}

// Products of the part of L with unit vectors and sums of them, on the host. For entries that are
// kept nothing may depend on when they are computed, so that a run that goes on from a checkpoint
// has the same bits: they are those of the first time, and their scale is that of L(0) there.
LawJacobian::Product LawResidual::rate_product() {
  if (!slopes_.constant)
    return [this](const std::vector<double> &x) {
      Vector direction = dof_vector("direction"), product = dof_vector("product");
      set_vector(device(), direction, x);
      differences_.apply(direction, product);
      return get_vector(device(), product);
    };
  const double time = keeps_entries() ? first_time_ : time_;
  const auto part = [this, time](std::vector<double> x, double scale) {
    Vector state = dof_vector("direction"), r = dof_vector("product");
    for (double &value : x)
      value *= scale;
    set_vector(device(), state, x);
    rate_part(time, state, r);
    return get_vector(device(), r);
  };
  const auto constant =
      std::make_shared<std::vector<double>>(part(std::vector<double>(size(), 0), 1));
  const auto largest = [this](const std::vector<double> &values) {
    double result = 0;
    for (const double value : values)
      result = std::max(result, std::abs(value));
    return weft::largest(d_.ranks, result);
  };
  double scale = 1;
  if (const double of_zero = largest(*constant); of_zero > 0) {
    std::vector<double> change = part(std::vector<double>(size(), 1), 1);
    for (std::size_t i = 0; i < change.size(); ++i)
      change[i] -= (*constant)[i];
    const double ratio = of_zero / largest(change);
    if (std::isfinite(ratio))
      scale = std::exp2(std::ceil(std::log2(ratio)));
  }
  return [part, constant, scale](const std::vector<double> &x) {
    std::vector<double> y = part(x, scale);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = (y[i] - (*constant)[i]) / scale;
    return y;
  };
}

LawJacobian &LawResidual::jacobian() {
  if (!jacobian_)
    jacobian_ = std::make_unique<LawJacobian>(d_, order_);
  return *jacobian_;
}

void LawResidual::diagonal(Vector &d) {
  require(state_.buffer != nullptr, "linearise() comes before diagonal()");
  if (!keeps_entries() || rate_diagonal_.empty())
    rate_diagonal_ = jacobian().diagonal(rate_product());
  std::vector<double> values = rate_diagonal_;
  for (std::int64_t i = 0; i < size(); ++i)
    values[i] += weight(i) * shift_;
  set_vector(device(), d, values);
}

void LawResidual::Matrix::update() {
  if (is_current)
    return;
  if (!op.keeps_entries() || rate_entries.empty())
    rate_entries = op.jacobian().entries(op.rate_product());
  std::vector<double> values = rate_entries;
  for (std::int32_t row = 0; row < op.size(); ++row)
    values[matrix.pattern().place(row, row)] += op.weight(row) * op.shift_;
  Vector entries{matrix.values(), static_cast<std::int64_t>(values.size()), op.precision()};
  set_vector(op.device(), entries, values);
  matrix.values_changed();
  is_current = true;
}

const SparseMatrix *LawResidual::matrix() const {
  if (!matrix_)
    return nullptr;
  matrix_->update();
  return &matrix_->matrix;
}

void LawResidual::keep_matrix() {
  require(d_.law->fields.front().order == 0, "a law of order 0 for a matrix");
  if (!matrix_)
    matrix_ = std::make_unique<Matrix>(*this);
}

void LawResidual::react(double time, double h, Vector &u) {
  enter(u);
  rate_.react(time, h, q_);
  over_entries("law_take", size(), {places_, q_.buffer, u.buffer});
}

std::vector<NamedCost> LawResidual::vector_costs() const {
  std::vector<NamedCost> costs;
  for (const std::string &kernel : law_vector_kernels) {
    const std::int64_t count = enters_states(kernel) ? rate_.size() : size();
    const VectorShape shape{
        .entries = count,
        .chunks = std::max<std::int64_t>(1, (count + chunk_of(count) - 1) / chunk_of(count)),
        .group_size = group_size_,
        .precision = rate_.precision()};
    costs.push_back({kernel, law_vector_cost(kernel, shape, size(), !weights_.empty())});
  }
  return costs;
}

KernelCost law_vector_cost(const std::string &kernel, const VectorShape &shape, std::int64_t dofs,
                           bool weighted) {
  const double weights = weighted ? 1 : 0;
  const auto cost = [&](const VectorWork &work) {
    KernelCost result = vector_cost(shape, work);
    result.memory_reads1 = work.indices_read * double(shape.entries);
    return result;
  };
  // Padding has copies: each dof is read from memory once.
  if (kernel == "law_enter")
    return cost({.writes = 1, .scalars_read = double(dofs), .indices_read = 1});
  if (kernel == "law_enter_scaled")
    return cost({.writes = 1,
                 .scalars_read = double(dofs) + 1,
                 .indices_read = 1,
                 .per_entry = {.multiplications = 1},
                 .per_item = {.multiplications = 1}});
  if (kernel == "law_take")
    return cost({.reads = 1, .writes = 1, .indices_read = 1});
  if (kernel == "law_residual")
    return cost({.reads = 3 + weights,
                 .writes = 1,
                 .indices_read = 1,
                 .per_entry = {.additions = 2, .multiplications = 2}});
  if (kernel == "law_leave")
    return cost({.reads = 1 + weights,
                 .writes = 1,
                 .indices_read = 1,
                 .per_entry = {.multiplications = 1}});
  if (kernel == "law_product")
    return cost({.reads = 2 + weights,
                 .writes = 1,
                 .indices_read = 1,
                 .per_entry = {.additions = 1, .multiplications = 2}});
  if (kernel == "law_product_scaled")
    return cost({.reads = 3 + weights,
                 .writes = 1,
                 .scalars_read = 1,
                 .indices_read = 1,
                 .per_entry = {.additions = 2, .multiplications = 4},
                 .per_item = {.multiplications = 1, .divisions = 1}});
  require(kernel == "law_add_rate", "a kernel of law_vectors.kernel has a cost");
  return cost(
      {.reads = 2 + weights, .writes = 1, .per_entry = {.additions = 1, .multiplications = 2}});
}

} // namespace weft
