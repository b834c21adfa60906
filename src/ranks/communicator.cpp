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
#include "base/system/interruption.h"

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

// What a failing rank sends: an error's kind and the parts of its message with their lengths, or a
// signal that asked for an end.
constexpr char interruption_mark = 'i';

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

std::string packed(const Interrupted &interruption) {
  return {interruption_mark, static_cast<char>(interruption.signal)};
}

Error unpacked(const char *text, const std::string &rank) {
  const auto kind = static_cast<ErrorKind>(*text++);
  std::array<std::string, 5> parts;
  for (std::string &part : parts) {
    std::uint32_t length = 0;
    std::memcpy(&length, text, sizeof length);
    part.assign(text + sizeof length, length);
    text += sizeof length + length;
  }
  if (!rank.empty())
    parts[1] += (parts[1].empty() ? "" : " ") + rank;
  return Error(kind, {.what = parts[0],
                      .where = parts[1],
                      .found = parts[2],
                      .allowed = parts[3],
                      .remedy = parts[4]});
}

} // namespace

// The first message of every gather: whether the rank failed, else what it gathers. Few bytes are
// in it already.
struct Communicator::Packet {
  enum class Kind : std::int32_t { values, agreement };
  Kind kind = Kind::values;
  std::int32_t failed = 0; // the depth of together() at which it did; 0: it did not
  std::uint64_t bytes = 0; // of values, or of a failure
  std::array<std::byte, 48> values = {};
};

std::vector<Communicator::Packet> Communicator::exchange(const Packet &mine) {
  constexpr double longest_s = 10; // that a rank that failed waits for others
  std::vector<Packet> all(size());
  if (!gather_all(&mine, sizeof mine, all.data(), mine.failed ? longest_s : 0)) {
    lost_ = true;
    return {};
  }
  if (std::any_of(all.begin(), all.end(), [](const Packet &packet) { return packet.failed != 0; }))
    throw_failure(all);
  for (const Packet &packet : all)
    require(packet.kind == mine.kind && packet.bytes == mine.bytes,
            "all ranks call the same, with as many bytes");
  return all;
}

void Communicator::throw_failure(const std::vector<Packet> &packets) {
  // All go back to the outermost call that one of them has left.
  std::size_t longest = 0;
  agreed_depth_ = depth_;
  for (const Packet &packet : packets)
    if (packet.failed) {
      longest = std::max<std::size_t>(longest, packet.bytes);
      agreed_depth_ = std::min(agreed_depth_, packet.failed);
    }
  std::string mine = std::exchange(failure_, {}), all(longest * packets.size(), '\0');
  mine.resize(longest);
  gather_all(mine.data(), longest, all.data(), 0);
  const auto text = [&](std::size_t rank) {
    return packets[rank].failed ? all.substr(rank * longest, packets[rank].bytes) : std::string();
  };
  std::size_t first = 0;
  while (!packets[first].failed)
    ++first;
  bool alike = true;
  for (std::size_t rank = 0; rank < packets.size(); ++rank) {
    if (packets[rank].failed && text(rank).front() == interruption_mark)
      throw Interrupted{text(rank).back()};
    alike = alike && text(rank) == text(first);
  }
  throw unpacked(text(first).data(), alike ? "" : fmt::format("(on rank {})", first));
}

void Communicator::agree(const std::string &failure) {
  failure_ = failure;
  exchange({.kind = Packet::Kind::agreement,
            .failed = failure.empty() ? 0 : depth_,
            .bytes = failure.size()});
}

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
  timed(counts_.waited_s, [&] {
    Packet packet{.bytes = bytes};
    const bool fits = bytes <= packet.values.size();
    if (fits)
      std::memcpy(packet.values.data(), mine, bytes);
    const std::vector<Packet> packets = exchange(packet);
    if (!fits)
      gather_all(mine, bytes, all, 0);
    else
      for (std::size_t rank = 0; rank < packets.size(); ++rank)
        std::memcpy(static_cast<std::byte *>(all) + rank * bytes, packets[rank].values.data(),
                    bytes);
  });
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
  const std::vector<std::vector<double>> all = gathered(ranks, values);
  for (std::size_t place = 0; place < values.size(); ++place) {
    values[place] = 0;
    for (const std::vector<double> &of_rank : all)
      values[place] += of_rank[place];
  }
  return values;
}

std::vector<std::vector<double>> gathered(Communicator *ranks, const std::vector<double> &values) {
  if (!ranks)
    return {values};
  std::vector<double> all(ranks->size() * values.size());
  ranks->gather(values.data(), values.size() * sizeof(double), all.data());
  std::vector<std::vector<double>> result;
  for (int rank = 0; rank < ranks->size(); ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * values.size());
    result.emplace_back(first, first + static_cast<std::ptrdiff_t>(values.size()));
  }
  return result;
}

std::string first_text(Communicator *ranks, const std::string &text) {
  if (!ranks)
    return text;
  const std::vector<std::int64_t> lengths =
      gathered(*ranks, static_cast<std::int64_t>(text.size()));
  const auto first =
      std::find_if(lengths.begin(), lengths.end(), [](std::int64_t length) { return length > 0; });
  if (first == lengths.end())
    return {};
  const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::string mine = text, all(longest * ranks->size(), '\0');
  mine.resize(longest);
  ranks->gather(mine.data(), longest, all.data());
  return all.substr((first - lengths.begin()) * longest, *first);
}

bool is_first(const Communicator *ranks) {
  return !ranks || ranks->rank() == 0;
}

void together(Communicator *ranks, const std::function<void()> &body) {
  if (!ranks)
    return body();
  require(!ranks->unwinds(), "an error is thrown on");
  ++ranks->depth_;
  std::string failure;
  std::exception_ptr thrown;
  try {
    body();
  } catch (const std::exception &exception) {
    failure = packed(error_of(exception));
    thrown = std::current_exception();
  } catch (const Interrupted &interruption) {
    failure = packed(interruption);
    thrown = std::current_exception();
  }
  try {
    if (!ranks->unwinds())
      ranks->agree(failure);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (ranks->agreed_depth_ == ranks->depth_) // it is thrown here
    ranks->agreed_depth_ = 0;
  --ranks->depth_;
  if (thrown)
    std::rethrow_exception(thrown);
}

void on_first(Communicator *ranks, const std::function<void()> &body) {
  together(ranks, [&] {
    if (is_first(ranks))
      body();
  });
}

} // namespace weft
