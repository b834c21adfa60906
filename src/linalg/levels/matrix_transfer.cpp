#include "linalg/levels/matrix_transfer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/levels/level_cost.h"
#include "linalg/transposition.h"

namespace weft {

namespace {

// S in the precision that values are scaled in.
Vector scaling_of(Device &device, const MatrixTransfer::Side &side, Precision precision) {
  if (side.scaling && side.scaling->precision == precision)
    return *side.scaling;
  const std::int64_t size = side.halo ? side.layout.owned + side.layout.ghosts : side.size;
  Vector s = make_vector(device, size, precision, "scaling of a level");
  std::vector<double> values(size, 1);
  if (side.scaling)
    values = get_vector(device, {side.scaling->buffer, size, side.scaling->precision});
  set_vector(device, s, values);
  return s;
}

// The product with a matrix in slices of a layout, from vectors in precision x to some in `out`.
Program product_program(Device &device, const DeviceSell &layout, Precision storage, Precision x,
                        Precision out, int systems) {
  const DeviceInfo &info = device.info();
  const Precision real = wider(x, out);
  const int lanes = info.is_cpu ? layout.slice : 1;
  const std::string text =
      level_program_head(info, layout, real, lanes, systems) +
      fmt::format("#define WEFT_STORAGE {}\n#define WEFT_X {}\n#define WEFT_OUT {}\n",
                  to_string(storage), to_string(x), to_string(out)) +
      embedded_text("kernels/matrix/level_sell.kernel") +
      embedded_text("kernels/matrix/level_transfer.kernel");
  return device.build({.name = "level_transfer_" + to_string(storage),
                       .text = text,
                       .kernels = {"transfer_apply"}});
}

} // namespace

void MatrixTransfer::load_kernels(Device &device, Precision fine, Precision coarse,
                                  Precision storage, int systems) {
  const Precision real = wider(fine, coarse);
  const UnscaledSell empty = empty_unscaled_sell(device);
  LevelFill(device, empty, storage, real, 1, false).load_for_transfers();
  const DeviceSell &layout = empty.layout;
  const Launch launch = {.groups = 1,
                         .group_size = window_launch(device.info(), layout, 0).launch.group_size};
  const Buffer any = device.allocate(sizeof(double), "nothing");
  constexpr std::int32_t none = 0;
  for (const auto &[x, out] : {std::pair(coarse, fine), std::pair(fine, coarse)})
    device.launch(product_program(device, layout, storage, x, out, systems), "transfer_apply",
                  launch, {none, none, none, any, any, any, any, any, any, any, any, none});
}

HostMatrix transposed(const HostMatrix &matrix, std::int64_t num_columns) {
  HostMatrix t;
  t.values.resize(matrix.values.size());
  transpose(matrix.rows(), num_columns, t.row_start, t.columns,
            [&](std::int64_t entry, std::int64_t, std::int32_t, std::int32_t place) {
              t.values[place] = matrix.values[entry];
            });
  return t;
}

MatrixTransfer::Side MatrixTransfer::side_of(const LevelOperator &op) {
  return {.size = op.size() / op.systems(),
          .vectors = op.precision(),
          .scaling = op.scaling(),
          .halo = op.halo(),
          .layout = op.layout(),
          .systems = op.systems()};
}

MatrixTransfer::MatrixTransfer(Device &device, const HostMatrix &prolongation,
                               const HostMatrix &restriction, const Side &fine, const Side &coarse,
                               Precision storage)
    : device_(device), fine_(fine), coarse_(coarse), storage_(storage) {
  require(prolongation.num_rows() == fine.size, "a row of the prolongation for each unknown");
  require(fine.systems == coarse.systems, "vectors of as many systems on both levels");
  const Precision values = device.info().has_f64 ? Precision::f64 : Precision::f32;
  const Vector s_fine = scaling_of(device, fine, values);
  const Vector s_coarse = scaling_of(device, coarse, values);
  prolongation_ = make_direction(prolongation, s_fine, s_coarse, false);
  if (fine.halo) {
    make_restriction_of_ranks(restriction, s_fine, s_coarse);
    fine_.scaling = coarse_.scaling = nullptr;
    return;
  }
  const bool given = restriction.num_rows() > 0;
  const HostMatrix made = given ? HostMatrix{} : transposed(prolongation, coarse.size);
  restriction_ = make_direction(given ? restriction : made, s_coarse, s_fine, true);
  fine_.scaling = coarse_.scaling = nullptr; // not needed any more, and the caller's
}

void MatrixTransfer::make_restriction_of_ranks(const HostMatrix &restriction, const Vector &s_fine,
                                               const Vector &s_coarse) {
  Vector s_rows = s_coarse;
  if (!coarse_.halo) {
    const std::int64_t own = restriction.num_rows();
    gathered_.emplace(device_, *fine_.layout.among, own, coarse_.vectors);
    require(gathered_->size() == coarse_.size, "every rank has the whole coarse level");
    own_coarse_ = make_vector(device_, own, coarse_.vectors, "own part of a level");
    const std::vector<double> all = get_vector(device_, s_coarse);
    const auto first = all.begin() + gathered_->first();
    s_rows = make_vector(device_, own, s_coarse.precision, "scaling of a level");
    set_vector(device_, s_rows, std::span(first, own));
  }
  restriction_ = make_direction(restriction, s_rows, s_fine, true);
}

MatrixTransfer::Direction MatrixTransfer::make_direction(const HostMatrix &matrix,
                                                         const Vector &row_scaling,
                                                         const Vector &column_scaling,
                                                         bool transposed) {
  const Precision real = wider(fine_.vectors, coarse_.vectors);
  const UnscaledSell unscaled = make_unscaled_sell(device_, matrix);
  Direction direction{.layout = unscaled.layout, .num_rows = matrix.num_rows()};
  direction.values = device_.allocate(unscaled.layout.num_values * size_bytes(storage_),
                                      "entries of a transfer between levels");
  LevelFill filling(device_, unscaled, storage_, real, 1, false);
  filling.round_transfer(direction.num_rows, row_scaling, column_scaling, transposed,
                         direction.values);
  direction.program = product_program(device_, direction.layout, storage_,
                                      transposed ? fine_.vectors : coarse_.vectors,
                                      transposed ? coarse_.vectors : fine_.vectors, fine_.systems);
  return direction;
}

std::uint64_t MatrixTransfer::bytes() const {
  return prolongation_.layout.bytes() + prolongation_.values->bytes + restriction_.layout.bytes() +
         restriction_.values->bytes;
}

void MatrixTransfer::apply(const Direction &direction, const Vector &x, Vector &out, bool adds) {
  const WindowLaunch rows = window_launch(device_.info(), direction.layout, direction.num_rows);
  const DeviceSell &layout = direction.layout;
  count_next_launch(device_, [&] {
    const auto bytes = [](const Vector &v) { return static_cast<double>(size_bytes(v.precision)); };
    return level_product_cost(layout, static_cast<double>(size_bytes(storage_)),
                              {.systems = fine_.systems,
                               .rows = static_cast<double>(direction.num_rows),
                               .columns = static_cast<double>(x.size / fine_.systems),
                               .row_bytes = bytes(out),
                               .column_bytes = bytes(x),
                               .reads = adds ? 1.0 : 0.0,
                               .writes = 1},
                              {.additions = adds ? 1.0 : 0.0},
                              device_.info().is_cpu ? layout.slice : 1, rows.launch);
  });
  device_.launch(direction.program, "transfer_apply", rows.launch,
                 {rows.windows_per_group, static_cast<std::int32_t>(direction.num_rows),
                  static_cast<std::int32_t>(layout.num_slices), layout.slices, layout.rows,
                  layout.columns16, layout.columns32, layout.touched, direction.values, x.buffer,
                  out.buffer, static_cast<std::int32_t>(adds ? 1 : 0)});
}

void MatrixTransfer::restrict_to(const Vector &fine, Vector &coarse) {
  require(fine.size == num_fine() && coarse.size == num_coarse() &&
              fine.precision == fine_.vectors && coarse.precision == coarse_.vectors,
          "vectors of these levels");
  if (fine_.halo)
    fine_.halo->exchange(fine.buffer);
  if (!gathered_)
    return apply(restriction_, fine, coarse, false);
  apply(restriction_, fine, own_coarse_, false);
  gathered_->gather(own_coarse_.buffer, coarse.buffer);
}

void MatrixTransfer::prolong_add(const Vector &coarse, Vector &fine) {
  require(fine.size == num_fine() && coarse.size == num_coarse() &&
              fine.precision == fine_.vectors && coarse.precision == coarse_.vectors,
          "vectors of these levels");
  if (coarse_.halo)
    coarse_.halo->exchange(coarse.buffer);
  apply(prolongation_, coarse, fine, true);
}

} // namespace weft
