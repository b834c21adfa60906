#include "solve/aggregation/rows_of_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "ranks/bytes.h"
#include "ranks/first_numbers.h"
#include "ranks/joined.h"

namespace weft {

namespace {

// Rows on their way: their lengths, and the numbers of columns.
struct TravellingRows {
  std::vector<std::int64_t> rows; // their numbers, where that is asked for
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> columns;
  std::vector<double> values;

  void append(const BlockView &matrix, std::int64_t row, const MetNumbers &numbers) {
    const std::int32_t first = matrix.start[row], length = matrix.start[row + 1] - first;
    lengths.push_back(length);
    for (std::int32_t k = 0; k < length; ++k)
      columns.push_back(numbers.number(matrix.columns[first + k]));
    const double *entries = matrix.entries(row, 0);
    values.insert(values.end(), entries,
                  entries + std::int64_t{length} * matrix.height * matrix.width);
  }
  template <typename Visitor> static void visit(Visitor &visitor, auto &rows) {
    visitor(rows.rows);
    visitor(rows.lengths);
    visitor(rows.columns);
    visitor(rows.values);
  }
};

Parcel parcel_of(int rank, const TravellingRows &rows) {
  ByteWriter write;
  TravellingRows::visit(write, rows);
  return {rank, write.take()};
}

TravellingRows rows_of(const Parcel &parcel) {
  TravellingRows rows;
  ByteReader read(parcel.bytes);
  TravellingRows::visit(read, rows);
  return rows;
}

} // namespace

MetNumbers::MetNumbers(Communicator &ranks, std::int64_t own)
    : ranks_(&ranks), first_(first_numbers(ranks, own)), own_(own) {}

std::int32_t MetNumbers::place(std::int64_t number) {
  if (number >= first() && number < first() + own_)
    return static_cast<std::int32_t>(number - first());
  const auto [found, is_new] = places_.emplace(number, static_cast<std::int32_t>(num_met()));
  if (is_new)
    others_.push_back(number);
  return found->second;
}

std::int64_t MetNumbers::number(std::int64_t place) const {
  return place < own_ ? first() + place : others_[place - own_];
}

int MetNumbers::owner(std::int64_t number) const {
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin()) -
         1;
}

BlockMatrix with_rows_of_ghosts(const SharedRows &rows, const BlockMatrix &own,
                                MetNumbers &columns) {
  const BlockView view = own.view();
  const std::int64_t block_size = std::int64_t{own.height} * own.width;
  std::vector<Parcel> parcels;
  for (const HaloPlaces::Peer &peer : rows.halo.peers) {
    TravellingRows sent;
    for (const std::int32_t row : peer.send)
      sent.append(view, row, columns);
    parcels.push_back(parcel_of(peer.rank, sent));
  }
  std::map<int, TravellingRows> received;
  for (const Parcel &parcel : rows.ranks->deliver(std::move(parcels)))
    received.emplace(parcel.rank, rows_of(parcel));
  // Where the row of each ghost is.
  struct Source {
    const TravellingRows *rows;
    std::size_t row, block;
  };
  std::vector<Source> of_ghost(rows.ghosts.size());
  for (const HaloPlaces::Peer &peer : rows.halo.peers) {
    std::size_t block = 0;
    for (std::size_t i = 0; i < peer.receive.size(); ++i) {
      const TravellingRows &from = received.at(peer.rank);
      of_ghost[peer.receive[i] - rows.num_own()] = {&from, i, block};
      block += from.lengths[i];
    }
  }
  BlockMatrix all = {.height = own.height, .width = own.width};
  all.start.assign(own.start.begin(), own.start.end());
  for (const Source &source : of_ghost)
    all.start.push_back(all.start.back() + source.rows->lengths[source.row]);
  all.columns.resize(all.start.back());
  all.values.resize(all.start.back() * block_size);
  const std::int64_t own_blocks = own.start.back();
  std::copy_n(own.columns.begin(), own_blocks, all.columns.begin());
  std::copy_n(own.values.begin(), own_blocks * block_size, all.values.begin());
  std::int64_t block = own_blocks;
  for (const Source &source : of_ghost) {
    const std::int64_t length = source.rows->lengths[source.row];
    for (std::int64_t k = 0; k < length; ++k)
      all.columns[block + k] = columns.place(source.rows->columns[source.block + k]);
    std::copy_n(source.rows->values.begin() +
                    static_cast<std::ptrdiff_t>(source.block * block_size),
                length * block_size, all.values.begin() + block * block_size);
    block += length;
  }
  return all;
}

ReturnedRows return_rows(const BlockView &matrix, MetNumbers &numbers) {
  std::map<int, TravellingRows> sent;
  for (std::int64_t row = numbers.num_own(); row < matrix.num_rows; ++row)
    if (matrix.start[row + 1] > matrix.start[row]) {
      const std::int64_t number = numbers.number(row);
      TravellingRows &rows = sent[numbers.owner(number)];
      rows.rows.push_back(number);
      rows.append(matrix, row, numbers);
    }
  std::vector<Parcel> parcels;
  for (const auto &[rank, rows] : sent)
    parcels.push_back(parcel_of(rank, rows));
  ReturnedRows returned = {.height = matrix.height, .width = matrix.width, .start = {0}};
  for (const Parcel &parcel : numbers.ranks().deliver(std::move(parcels))) {
    const TravellingRows rows = rows_of(parcel);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      returned.rows.push_back(numbers.place(rows.rows[i]));
      returned.start.push_back(returned.start.back() + rows.lengths[i]);
    }
    for (const std::int64_t column : rows.columns)
      returned.columns.push_back(numbers.place(column));
    returned.values.insert(returned.values.end(), rows.values.begin(), rows.values.end());
  }
  return returned;
}

BlockMatrix moved_rows(const BlockView &matrix, std::int64_t num_rows, const ReturnedRows &returned,
                       const std::vector<std::int32_t> &column_of) {
  const int height = matrix.height, width = matrix.width;
  // Returned rows by the row they are of; stable, so that sums follow the order of ranks.
  std::vector<std::int32_t> order(returned.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return returned.rows[a] < returned.rows[b];
  });
  struct Block {
    std::int32_t column;
    const double *values; // of its first row
    std::int64_t stride;  // to its next
  };
  BlockMatrix result = {.height = height, .width = width};
  const std::size_t most = matrix.start[num_rows] + returned.columns.size();
  result.start.reserve(num_rows + 1);
  result.start.push_back(0);
  result.columns.resize(most);
  result.values.resize(most * height * width);
  std::vector<Block> blocks;
  std::size_t next = 0;
  std::int64_t end = 0;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    blocks.clear();
    const auto append = [&](const std::int32_t *columns, std::int32_t length,
                            const double *values) {
      for (std::int32_t k = 0; k < length; ++k)
        blocks.push_back({column_of[columns[k]], values + std::int64_t{k} * width,
                          std::int64_t{length} * width});
    };
    append(matrix.columns + matrix.start[row], matrix.start[row + 1] - matrix.start[row],
           matrix.entries(row, 0));
    for (; next < order.size() && returned.rows[order[next]] == row; ++next) {
      const std::int32_t first = returned.start[order[next]];
      append(returned.columns.data() + first, returned.start[order[next] + 1] - first,
             returned.values.data() + std::int64_t{first} * height * width);
    }
    const auto lower = [](const Block &a, const Block &b) { return a.column < b.column; };
    if (!std::is_sorted(blocks.begin(), blocks.end(), lower))
      std::stable_sort(blocks.begin(), blocks.end(), lower);
    std::int32_t length = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k)
      length += k == 0 || blocks[k].column != blocks[k - 1].column;
    double *values = result.values.data() + end * height * width;
    std::int32_t place = -1;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const bool is_new = k == 0 || blocks[k].column != blocks[k - 1].column;
      place += is_new;
      result.columns[end + place] = blocks[k].column;
      for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c) {
          double &to = values[(std::int64_t{r} * length + place) * width + c];
          const double value = blocks[k].values[r * blocks[k].stride + c];
          to = is_new ? value : to + value;
        }
    }
    end += length;
    result.start.push_back(static_cast<std::int32_t>(end));
  }
  result.columns.resize(end);
  result.values.resize(end * height * width);
  return result;
}

void move_columns(BlockMatrix &matrix, std::int64_t num_rows,
                  const std::vector<std::int32_t> &column_of) {
  const int height = matrix.height, width = matrix.width;
  matrix.start.resize(num_rows + 1);
  std::vector<std::int32_t> order, columns;
  std::vector<double> values;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int32_t first = matrix.start[row], length = matrix.start[row + 1] - first;
    std::int32_t *of_row = matrix.columns.data() + first;
    for (std::int32_t k = 0; k < length; ++k)
      of_row[k] = column_of[of_row[k]];
    if (std::is_sorted(of_row, of_row + length))
      continue;
    double *entries = matrix.values.data() + std::int64_t{first} * height * width;
    order.resize(length);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return of_row[a] < of_row[b]; });
    columns.assign(of_row, of_row + length);
    values.assign(entries, entries + std::int64_t{length} * height * width);
    for (std::int32_t k = 0; k < length; ++k) {
      of_row[k] = columns[order[k]];
      for (int r = 0; r < height; ++r)
        std::copy_n(&values[(std::int64_t{r} * length + order[k]) * width], width,
                    entries + (std::int64_t{r} * length + k) * width);
    }
  }
  matrix.columns.resize(matrix.start[num_rows]);
  matrix.values.resize(std::int64_t{matrix.start[num_rows]} * height * width);
}

LookedAt find_looked_at(const MetNumbers &met, const std::vector<std::uint8_t> &is_looked_at) {
  LookedAt result;
  std::vector<std::pair<std::int64_t, std::int32_t>> others; // number, met place
  result.place_of.assign(met.num_met(), -1);
  for (std::int64_t place = 0; place < met.num_met(); ++place)
    if (place < met.num_own())
      result.place_of[place] = static_cast<std::int32_t>(place);
    else if (is_looked_at[place])
      others.emplace_back(met.number(place), static_cast<std::int32_t>(place));
  std::sort(others.begin(), others.end());
  for (const auto &[number, place] : others) {
    result.place_of[place] = static_cast<std::int32_t>(met.num_own() + result.ghosts.size());
    result.ghosts.push_back(number);
  }
  return result;
}

BlockMatrix joined_rows(Communicator &ranks, const BlockMatrix &own) {
  std::vector<std::int32_t> lengths;
  for (std::size_t row = 0; row + 1 < own.start.size(); ++row)
    lengths.push_back(own.start[row + 1] - own.start[row]);
  BlockMatrix all = {.height = own.height, .width = own.width};
  all.start.push_back(0);
  for (const std::int32_t length : joined(ranks, lengths))
    all.start.push_back(all.start.back() + length);
  const std::vector<std::int32_t> columns =
      joined(ranks, std::vector<std::int32_t>(own.columns.begin(), own.columns.end()));
  const std::vector<double> values =
      joined(ranks, std::vector<double>(own.values.begin(), own.values.end()));
  all.columns.assign(columns.begin(), columns.end());
  all.values.assign(values.begin(), values.end());
  return all;
}

} // namespace weft
