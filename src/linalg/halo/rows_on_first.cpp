#include "linalg/halo/rows_on_first.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "ranks/bytes.h"
#include "ranks/first_numbers.h"
#include "ranks/joined.h"

namespace weft {

RowsOnFirst::RowsOnFirst(Communicator &ranks, std::int64_t own)
    : ranks_(&ranks), first_(first_numbers(ranks, own)) {}

HostMatrix RowsOnFirst::whole_matrix(const HostMatrix &own,
                                     const std::vector<std::int32_t> &numbers) const {
  const std::int64_t entries = sum(ranks_, static_cast<std::int64_t>(own.columns.size()));
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported,
                {.what = "the matrix of all processes is too large for the first of them",
                 .found = fmt::format("{} entries", entries),
                 .allowed = "fewer than 2^31",
                 .remedy = "use a preconditioner that processes share, such as multigrid"});
  std::vector<std::int32_t> lengths, columns, order;
  std::vector<double> values;
  for (std::int32_t row = 0; row < own.num_rows(); ++row) {
    const std::int32_t first = own.row_start[row], length = own.row_start[row + 1] - first;
    lengths.push_back(length);
    order.resize(length);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return numbers[own.columns[a]] < numbers[own.columns[b]];
    });
    for (const std::int32_t entry : order) {
      columns.push_back(numbers[own.columns[entry]]);
      values.push_back(own.values[entry]);
    }
  }
  ByteWriter write;
  write(lengths);
  write(columns);
  write(values);
  std::vector<Parcel> to_first;
  to_first.push_back({0, write.take()});
  HostMatrix whole;
  for (const Parcel &parcel : ranks_->deliver(std::move(to_first))) {
    ByteReader read(parcel.bytes);
    read(lengths);
    read(columns);
    read(values);
    if (whole.row_start.empty())
      whole.row_start.push_back(0);
    for (const std::int32_t length : lengths)
      whole.row_start.push_back(whole.row_start.back() + length);
    whole.columns.insert(whole.columns.end(), columns.begin(), columns.end());
    whole.values.insert(whole.values.end(), values.begin(), values.end());
  }
  return whole;
}

// The parts of other ranks in an array of the first one.
std::vector<Piece> RowsOnFirst::pieces_of(std::vector<double> &whole) const {
  std::vector<Piece> pieces;
  for (int rank = 1; rank < ranks_->size(); ++rank)
    if (const std::int64_t count = first_[rank + 1] - first_[rank]; count > 0)
      pieces.push_back({rank, whole.data() + first_[rank], count * sizeof(double)});
  return pieces;
}

std::vector<double> RowsOnFirst::gather(std::vector<double> &own) const {
  std::vector<double> whole;
  if (is_first(ranks_)) {
    whole.resize(first_.back());
    std::copy(own.begin(), own.end(), whole.begin());
    ranks_->start(pieces_of(whole), {}).wait();
  } else if (!own.empty()) {
    const Piece piece = {0, own.data(), own.size() * sizeof(double)};
    ranks_->start({}, {&piece, 1}).wait();
  }
  return whole;
}

void RowsOnFirst::scatter(std::vector<double> &whole, std::vector<double> &own) const {
  if (is_first(ranks_)) {
    std::copy_n(whole.begin(), own.size(), own.begin());
    ranks_->start({}, pieces_of(whole)).wait();
  } else if (!own.empty()) {
    const Piece piece = {0, own.data(), own.size() * sizeof(double)};
    ranks_->start({&piece, 1}, {}).wait();
  }
}

std::vector<std::int64_t> RowsOnFirst::own_of(const std::vector<std::int64_t> &numbers) const {
  const std::int64_t first = first_[ranks_->rank()], end = first_[ranks_->rank() + 1];
  std::vector<std::int64_t> own;
  for (const std::int64_t number : joined(*ranks_, numbers))
    if (number >= first && number < end)
      own.push_back(number - first);
  return own;
}

} // namespace weft
