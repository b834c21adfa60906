#include "ranks/communicator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

// Adds the seconds that a call takes.
template <typename Call> void timed(double &seconds, Call call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename T> std::vector<T> gathered(Communicator &ranks, T value) {
  std::vector<T> all(ranks.size());
  ranks.gather(&value, sizeof value, all.data());
  return all;
}

// An error as bytes: its kind, and the parts of its message with their lengths.
std::string packed(const Error &error) {
  const Diagnostic &d = error.diagnostic();
  std::string text(1, static_cast<char>(error.kind()));
  for (const std::string *part : {&d.what, &d.where, &d.found, &d.allowed, &d.remedy}) {
    const auto length = static_cast<std::uint32_t>(part->size());
    text.append(reinterpret_cast<const char *>(&length), sizeof length);
    text += *part;
  }
  return text;
}

Error unpacked(const char *text, int rank) {
  const auto kind = static_cast<ErrorKind>(*text++);
  std::array<std::string, 5> parts;
  for (std::string &part : parts) {
    std::uint32_t length = 0;
    std::memcpy(&length, text, sizeof length);
    part.assign(text + sizeof length, length);
    text += sizeof length + length;
  }
  parts[1] += fmt::format("{}(on rank {})", parts[1].empty() ? "" : " ", rank);
  return Error(kind, {.what = parts[0],
                      .where = parts[1],
                      .found = parts[2],
                      .allowed = parts[3],
                      .remedy = parts[4]});
}

} // namespace

void Exchange::wait() {
  require(messages_ != nullptr, "an exchange is waited for once");
  timed(ranks_->counts_.waited_s, [&] { messages_->wait(); });
  messages_.reset();
}

Exchange Communicator::start(std::span<const Piece> receive, std::span<const Piece> send) {
  for (const auto &pieces : {receive, send})
    for (const Piece &piece : pieces)
      require(piece.rank >= 0 && piece.rank < size() && piece.rank != rank(),
              "pieces go to other ranks");
  for (const Piece &piece : send)
    counts_.bytes += static_cast<std::int64_t>(piece.bytes);
  counts_.messages += static_cast<std::int64_t>(send.size());
  return {*this, start_messages(receive, send)};
}

void Communicator::gather(const void *mine, std::size_t bytes, void *all) {
  ++counts_.gathers;
  timed(counts_.waited_s, [&] { gather_all(mine, bytes, all); });
}

std::vector<Parcel> Communicator::deliver(std::vector<Parcel> to) {
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> sizes(size(), none);
  for (const Parcel &parcel : to) {
    require(sizes.at(parcel.rank) == none, "one parcel to a rank");
    sizes[parcel.rank] = static_cast<std::int64_t>(parcel.bytes.size());
  }
  std::vector<std::int64_t> all_sizes(static_cast<std::size_t>(size()) * size()); // [from][to]
  gather(sizes.data(), sizes.size() * sizeof(std::int64_t), all_sizes.data());
  std::vector<Parcel> arrived;
  for (int from = 0; from < size(); ++from)
    if (const std::int64_t bytes = all_sizes[static_cast<std::size_t>(from) * size() + rank()];
        bytes != none)
      arrived.push_back({from, std::vector<std::byte>(bytes)});
  std::vector<Piece> receive, send;
  for (Parcel &parcel : arrived)
    if (parcel.rank != rank())
      receive.push_back({parcel.rank, parcel.bytes.data(), parcel.bytes.size()});
  for (Parcel &parcel : to)
    if (parcel.rank != rank())
      send.push_back({parcel.rank, parcel.bytes.data(), parcel.bytes.size()});
  start(receive, send).wait();
  for (Parcel &parcel : to)
    if (parcel.rank == rank())
      std::find_if(arrived.begin(), arrived.end(), [&](const Parcel &own) {
        return own.rank == parcel.rank;
      })->bytes = std::move(parcel.bytes);
  return arrived;
}

double sum(Communicator *ranks, double value) {
  if (!ranks)
    return value;
  const std::vector<double> all = gathered(*ranks, value);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

std::int64_t sum(Communicator *ranks, std::int64_t value) {
  if (!ranks)
    return value;
  const std::vector<std::int64_t> all = gathered(*ranks, value);
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

double largest(Communicator *ranks, double value) {
  if (!ranks)
    return value;
  const std::vector<double> all = gathered(*ranks, value);
  return *std::max_element(all.begin(), all.end());
}

double smallest(Communicator *ranks, double value) {
  return -largest(ranks, -value);
}

bool any(Communicator *ranks, bool value) {
  return sum(ranks, std::int64_t{value}) > 0;
}

std::vector<double> sum(Communicator *ranks, std::vector<double> values) {
  if (!ranks)
    return values;
  std::vector<double> all(ranks->size() * values.size());
  ranks->gather(values.data(), values.size() * sizeof(double), all.data());
  for (std::size_t place = 0; place < values.size(); ++place) {
    values[place] = 0;
    for (int rank = 0; rank < ranks->size(); ++rank)
      values[place] += all[rank * values.size() + place];
  }
  return values;
}

void together(Communicator *ranks, const std::function<void()> &body) {
  if (!ranks)
    return body();
  std::string failure;
  try {
    body();
  } catch (const std::exception &exception) {
    failure = packed(error_of(exception));
  }
  const std::vector<std::int64_t> lengths =
      gathered(*ranks, static_cast<std::int64_t>(failure.size()));
  const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  if (longest == 0)
    return;
  failure.resize(longest);
  std::string all(longest * ranks->size(), '\0');
  ranks->gather(failure.data(), longest, all.data());
  const auto first =
      std::find_if(lengths.begin(), lengths.end(), [](std::int64_t length) { return length > 0; });
  const auto rank = static_cast<int>(first - lengths.begin());
  throw unpacked(all.data() + rank * longest, rank);
}

} // namespace weft
