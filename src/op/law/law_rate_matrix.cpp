#include "op/law/law_rate_matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/parallel.h"
#include "form/law/law_slopes.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"
#include "op/layout/cell_colouring.h"

namespace weft {

namespace {

constexpr std::int64_t most_slices_an_item = 256;

void check_law(const ConservationLaw &law) {
  const LawSlopes slopes = law_slopes(law);
  if (law.finite_volume && slopes.constant && slopes.steady)
    return;
  throw Error(ErrorKind::input,
              {.what = "the rate of this conservation law is no matrix",
               .where = "[solver] operator",
               .found = !law.finite_volume ? "a law of discontinuous Galerkin"
                        : !slopes.constant ? "a rate that is not affine in the state"
                                           : "coefficients that depend on time",
               .allowed = "finite volumes without limiters, with coefficients of place alone, and "
                          "sources that are split off by `reactions` or `substeps`",
               .remedy = "leave `operator` out: the law is computed as it is"});
}

template <typename Visit>
void visit_near(const CellGraph &graph, std::int32_t cell, int distance, const Visit &visit) {
  visit(cell);
  for (int slot = 0; distance > 0 && slot < graph.width; ++slot)
    if (const std::int32_t next = graph.neighbour[std::int64_t(cell) * graph.width + slot];
        next >= 0)
      visit_near(graph, next, distance - 1, visit);
}

} // namespace

// By pairs of components: those without entries are empty.
struct LawRateMatrix::Entries {
  // The cells that each cell's rate sees, ascending.
  struct NearCells {
    std::vector<std::int64_t> start; // [cell + 1]
    std::vector<std::int32_t> cells;

    NearCells(const CellGraph &graph, int reach) : start(graph.num_cells + 1, 0) {
      const auto of_cell = [&](std::int64_t cell, std::vector<std::int32_t> &near) {
        near.clear();
        visit_near(graph, static_cast<std::int32_t>(cell), reach,
                   [&](std::int32_t next) { near.push_back(next); });
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
      };
      const auto over_cells = [&](const auto &body) {
        parallel_ranges(graph.num_cells, [&](std::int64_t begin, std::int64_t end, int) {
          std::vector<std::int32_t> near;
          for (std::int64_t cell = begin; cell < end; ++cell) {
            of_cell(cell, near);
            body(cell, near);
          }
        });
      };
      over_cells([&](std::int64_t cell, const std::vector<std::int32_t> &near) {
        start[cell + 1] = static_cast<std::int64_t>(near.size());
      });
      for (std::int64_t cell = 0; cell < graph.num_cells; ++cell)
        start[cell + 1] += start[cell];
      cells.resize(start.back());
      over_cells([&](std::int64_t cell, const std::vector<std::int32_t> &near) {
        std::copy(near.begin(), near.end(), cells.begin() + start[cell]);
      });
    }

    // Where `seen` is among the cells near `cell`.
    std::int64_t place(std::int64_t cell, std::int32_t seen) const {
      return std::lower_bound(cells.begin() + start[cell], cells.begin() + start[cell + 1], seen) -
             cells.begin();
    }
  };

  NearCells near;
  std::vector<std::int64_t> first_row;     // [cell]: of component 0 in an array of states
  std::vector<std::vector<double>> values; // [row's component, column's]: parallel to near.cells
  std::vector<double> constant;            // an array of rates
};

LawRateMatrix::LawRateMatrix(LawRates &law, const Discretisation &d)
    : law_(law), d_(d), lanes_(law.mesh().lanes), components_(d.law->num_components),
      num_slices_(law.mesh().num_units * components_) {
  require(!d.ranks, "the rate of a conservation law as a matrix of one process");
  check_law(*d.law);
  if (law.size() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {.what = "more rows than a matrix of rates numbers",
                                         .found = fmt::format("{}", law.size()),
                                         .allowed = "2^31 - 1",
                                         .remedy = "leave [solver] operator out"});
  const DeviceInfo &info = device().info();
  slices_per_item_ =
      info.is_cpu ? static_cast<int>(std::clamp<std::int64_t>(
                        num_slices_ / (std::max(1, info.compute_units) * fewest_items_a_core), 1,
                        most_slices_an_item))
                  : 1;
  q_ = make_vector(device(), size(), precision(), "state");
  rate_ = make_vector(device(), size(), precision(), "rate");
  upload_slices(find_entries());
  q_ = {};
  rate_ = {};
}

std::vector<double> LawRateMatrix::rate(const std::vector<double> &x) {
  set_vector(device(), q_, x);
  law_.stage(d_.time, 1, rate_alone, q_, nullptr, nullptr, rate_);
  return get_vector(device(), rate_);
}

LawRateMatrix::Entries LawRateMatrix::find_entries() {
  const CellGraph graph = make_cell_graph(*d_.mesh);
  const int reach = d_.law->cell_gradients ? 2 : 1;
  Entries entries{.near = Entries::NearCells(graph, reach),
                  .values = std::vector<std::vector<double>>(components_ * components_)};
  for (const DgSet &set : law_.mesh().sets)
    for (const std::int32_t slot : set.slot)
      entries.first_row.push_back((set.first_unit + slot / lanes_) * components_ * lanes_ +
                                  slot % lanes_);
  std::vector<double> x(size(), 0.0);
  entries.constant = rate(x);
  const std::vector<double> &constant = entries.constant;
  const Colouring colouring = colour_cells(graph, 2 * reach);
  std::vector<std::vector<std::int32_t>> of_colour(colouring.num_colours);
  for (std::int64_t cell = 0; cell < graph.num_cells; ++cell)
    of_colour[colouring.colours[cell]].push_back(static_cast<std::int32_t>(cell));
  std::mt19937 generator(1);
  for (int c = 0; c < components_; ++c) {
    const auto at = [&](std::int64_t cell, int component) {
      return entries.first_row[cell] + std::int64_t{component} * lanes_;
    };
    // Rates that random values of the component leave as they are do not see it.
    for (std::int64_t cell = 0; cell < graph.num_cells; ++cell)
      x[at(cell, c)] = 0.5 + double(generator() % 1024) / 1024;
    const bool is_seen = rate(x) != constant;
    for (std::int64_t cell = 0; cell < graph.num_cells; ++cell)
      x[at(cell, c)] = 0;
    for (std::size_t colour = 0; is_seen && colour < of_colour.size(); ++colour) {
      for (const std::int32_t cell : of_colour[colour])
        x[at(cell, c)] = 1;
      const std::vector<double> y = rate(x);
      for (const std::int32_t cell : of_colour[colour])
        x[at(cell, c)] = 0;
      for (int k = 0; k < components_; ++k) {
        auto &values = entries.values[k * components_ + c];
        values.resize(entries.near.cells.size(), 0.0);
        parallel_ranges(std::int64_t(of_colour[colour].size()), [&](std::int64_t begin,
                                                                    std::int64_t end, int) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int32_t seen = of_colour[colour][i];
            for (std::int64_t j = entries.near.start[seen]; j < entries.near.start[seen + 1]; ++j) {
              const std::int32_t row = entries.near.cells[j];
              values[entries.near.place(row, seen)] = y[at(row, k)] - constant[at(row, k)];
            }
          }
        });
      }
    }
  }
  return entries;
}

// Rows of lanes without a cell are those of their group's first, as the law's own.
void LawRateMatrix::upload_slices(const Entries &entries) {
  struct Entry {
    std::int32_t index;
    double value;
  };
  std::vector<std::int32_t> start = {0}, index;
  std::vector<double> value;
  std::vector<std::vector<Entry>> rows(lanes_);
  const auto read_row = [&](std::int64_t cell, int k, std::vector<Entry> &row) {
    row.clear();
    for (int c = 0; c < components_; ++c) {
      const std::vector<double> &values = entries.values[k * components_ + c];
      for (std::int64_t j = entries.near.start[cell];
           !values.empty() && j < entries.near.start[cell + 1]; ++j)
        if (values[j] != 0)
          row.push_back({static_cast<std::int32_t>(entries.first_row[entries.near.cells[j]] +
                                                   std::int64_t{c} * lanes_),
                         values[j]});
    }
  };
  std::int64_t first_cell = 0;
  for (const DgSet &set : law_.mesh().sets) {
    for (std::int64_t g = 0; g < set.groups.num_groups(); ++g)
      for (int k = 0; k < components_; ++k) {
        std::size_t width = 0;
        for (int lane = 0; lane < lanes_; ++lane) {
          const std::int32_t cell = set.groups.cells[g * lanes_ + lane];
          read_row(first_cell + (cell >= 0 ? cell : set.groups.cells[g * lanes_]), k, rows[lane]);
          width = std::max(width, rows[lane].size());
        }
        const auto own =
            static_cast<std::int32_t>(((set.first_unit + g) * components_ + k) * lanes_);
        for (std::size_t e = 0; e < width; ++e)
          for (int lane = 0; lane < lanes_; ++lane) {
            const bool is_entry = e < rows[lane].size();
            index.push_back(is_entry ? rows[lane][e].index : own + lane);
            value.push_back(is_entry ? rows[lane][e].value : 0);
          }
        start.push_back(static_cast<std::int32_t>(start.back() + std::int64_t(width)));
      }
    first_cell += std::int64_t(set.slot.size());
  }
  num_entries_ = std::int64_t(index.size());
  std::vector<bool> is_named(size(), false);
  for (const std::int32_t column : index)
    is_named[column] = true;
  num_columns_ = std::count(is_named.begin(), is_named.end(), true);
  has_constant_ = std::any_of(entries.constant.begin(), entries.constant.end(),
                              [](double rate) { return rate != 0; });
  slice_start_ = upload(device(), start, "slices of the matrix of rates");
  index_ = upload(device(), index, "columns of the matrix of rates");
  value_ = make_vector(device(), std::max<std::int64_t>(1, num_entries_), precision(),
                       "matrix of rates");
  if (num_entries_ > 0)
    set_vector(device(), value_, value);
  constant_ = make_vector(device(), has_constant_ ? size() : 1, precision(), "constant rates");
  if (has_constant_)
    set_vector(device(), constant_, entries.constant);
}

KernelArgument LawRateMatrix::fixed_argument(ArgumentRole role) const {
  switch (role) {
  case ArgumentRole::num_slices:
    return static_cast<std::int32_t>(num_slices_);
  case ArgumentRole::slices_per_item:
    return static_cast<std::int32_t>(slices_per_item_);
  case ArgumentRole::slice_start:
    return slice_start_;
  case ArgumentRole::entry_index:
    return index_;
  case ArgumentRole::entry_value:
    return value_.buffer;
  default:
    require(role == ArgumentRole::fixed_rate, "every argument of a stage by a matrix is bound");
    return constant_.buffer;
  }
}

LawLaunch &LawRateMatrix::launch_of(const StageUpdate &update) {
  const MatrixStageSpec spec{.precision = precision(),
                             .lanes = lanes_,
                             .has_constant = has_constant_,
                             .stream = streams(),
                             .update = {update.uses_start, update.uses_sum, update.keeps_sum}};
  if (const auto found = launches_.find(spec); found != launches_.end())
    return found->second;
  LawLaunch launch(device(), make_matrix_stage_kernel(spec, device().info().backend), launch_size(),
                   precision(),
                   [this](const ArgumentSpec &argument) { return fixed_argument(argument.role); });
  return launches_.emplace(spec, std::move(launch)).first->second;
}

Launch LawRateMatrix::launch_size() const {
  const std::int64_t group_size = law_.device().info().is_cpu ? 1 : 64;
  return {.groups = rounded_up(rounded_up(num_slices_, slices_per_item_), group_size),
          .group_size = group_size};
}

void LawRateMatrix::stage(double time, double h, const StageUpdate &update, const Vector &q,
                          const Vector *start, Vector *sum, Vector &out) {
  launch_of(update).run(
      {.time = time, .h = h, .update = update, .q = &q, .start = start, .sum = sum, .out = &out});
}

NamedCost LawRateMatrix::cost(const StageUpdate &update) const {
  const double real = double(size_bytes(precision())), entries = double(num_entries_),
               rows = double(size());
  KernelCost cost;
  cost.operations.multiplications = 2 * rows;
  cost.operations.multiply_adds = entries + rows * (1 + update.uses_start + update.uses_sum +
                                                    (update.uses_sum && update.keeps_sum));
  const double arrays_read =
      1 + has_constant_ + update.uses_start + (update.uses_sum && update.keeps_sum);
  cost.bytes_read = entries * (real + 4) + 4 * double(num_slices_ + 1) + arrays_read * rows * real;
  (streams() ? cost.bytes_streamed : cost.bytes_written) = (1 + update.uses_sum) * rows * real;
  cost.memory_reads1 = entries;
  cost.memory_places1 = double(num_columns_);
  cost.slots = rows;
  cost.lanes = lanes_;
  count_launch(cost, launch_size());
  return {"fv_matrix_stage", cost};
}

} // namespace weft
