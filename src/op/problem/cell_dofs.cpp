#include "op/problem/cell_dofs.h"

#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "ranks/bytes.h"
#include "ranks/first_numbers.h"

namespace weft {

// Calls body(set, cell, whether it is this rank's, field, its first dof, their number).
template <typename Body> void CellDofs::for_each_cell(const Body &body) const {
  for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
    const int components = d_.form.fields[f].components();
    std::int64_t first = d_.field_offset[f];
    for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s) {
      const std::int64_t count =
          std::int64_t{d_.map_of_field(static_cast<int>(f)).sets[s].element.num_nodes()} *
          components;
      for (std::int64_t cell = 0; cell < d_.mesh->sets[s].num_cells(); ++cell, first += count)
        body(s, cell, cell < d_.mesh->share->sets[s].num_owned, f, first, count);
    }
  }
}

CellDofs::CellDofs(const Discretisation &d) : d_(d) {
  if (!d.ranks)
    return;
  entry_.resize(d.num_local);
  std::int32_t own = 0, other = static_cast<std::int32_t>(d.num_owned);
  for_each_cell([&](std::size_t, std::int64_t, bool is_own, std::size_t, std::int64_t first,
                    std::int64_t count) {
    for (std::int64_t dof = first; dof < first + count; ++dof)
      entry_[dof] = is_own ? own++ : other++;
  });
}

std::vector<double> CellDofs::own_entries(const std::vector<double> &state) const {
  if (entry_.empty())
    return state;
  std::vector<double> entries(num_owned());
  for (std::size_t dof = 0; dof < entry_.size(); ++dof)
    if (entry_[dof] < num_owned())
      entries[entry_[dof]] = state[dof];
  return entries;
}

std::vector<double> CellDofs::state(const std::vector<double> &entries) const {
  if (entry_.empty())
    return entries;
  std::vector<double> state(entry_.size(), 0);
  for (std::size_t dof = 0; dof < entry_.size(); ++dof)
    if (entry_[dof] < num_owned())
      state[dof] = entries[entry_[dof]];
  return state;
}

std::vector<std::int32_t> CellDofs::numbers_of_entries() const {
  if (entry_.empty())
    return {};
  Communicator &ranks = *d_.ranks;
  const std::int64_t first_number = first_numbers(ranks, num_owned())[ranks.rank()];
  std::vector<std::int32_t> numbers(entry_.size());
  std::iota(numbers.begin(), numbers.begin() + num_owned(),
            static_cast<std::int32_t>(first_number));

  // Owners are asked for the first number of each field in the cells that they have.
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> of_own_cell; // by whole number
  std::map<int, std::vector<std::int32_t>> wanted;
  for_each_cell([&](std::size_t s, std::int64_t cell, bool is_own, std::size_t f,
                    std::int64_t first, std::int64_t) {
    const MeshShare::Cells &share = d_.mesh->share->sets[s];
    if (is_own)
      of_own_cell[share.whole[cell]].push_back(numbers[entry_[first]]);
    else if (f == 0)
      wanted[share.owner[cell - share.num_owned]].push_back(share.whole[cell]);
  });
  const auto parcels_of = [](const std::map<int, std::vector<std::int32_t>> &lists) {
    std::vector<Parcel> parcels;
    for (const auto &[rank, list] : lists) {
      ByteWriter write;
      write(list);
      parcels.push_back({rank, write.take()});
    }
    return parcels;
  };
  const auto list_of = [](const Parcel &parcel) {
    std::vector<std::int32_t> list;
    ByteReader read(parcel.bytes);
    read(list);
    return list;
  };
  std::map<int, std::vector<std::int32_t>> answers;
  for (const Parcel &parcel : ranks.deliver(parcels_of(wanted)))
    for (const std::int32_t cell : list_of(parcel)) {
      const std::vector<std::int32_t> &of_fields = of_own_cell.at(cell);
      answers[parcel.rank].insert(answers[parcel.rank].end(), of_fields.begin(), of_fields.end());
    }
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> of_other_cell;
  const std::size_t num_fields = d_.form.fields.size();
  for (const Parcel &parcel : ranks.deliver(parcels_of(answers))) {
    const std::vector<std::int32_t> list = list_of(parcel);
    const std::vector<std::int32_t> &cells = wanted.at(parcel.rank);
    for (std::size_t i = 0; i < cells.size(); ++i)
      of_other_cell[cells[i]].assign(list.begin() + std::ptrdiff_t(i * num_fields),
                                     list.begin() + std::ptrdiff_t((i + 1) * num_fields));
  }
  for_each_cell([&](std::size_t s, std::int64_t cell, bool is_own, std::size_t f,
                    std::int64_t first, std::int64_t count) {
    if (is_own)
      return;
    const std::int32_t number = of_other_cell.at(d_.mesh->share->sets[s].whole[cell])[f];
    for (std::int64_t i = 0; i < count; ++i)
      numbers[entry_[first + i]] = number + static_cast<std::int32_t>(i);
  });
  return numbers;
}

} // namespace weft
