#include "ranks/thread_ranks.h"

#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

struct Message {
  std::vector<std::byte> bytes;
  Clock::time_point arrives;
};

// A rank that sleeps until something is there.
struct Waiting {
  std::function<bool()> is_there; // empty: it does not wait
  std::string what;
};

// That ranks wait for one another in vain: not their own fault.
class WaitedInVain : public Error {
public:
  explicit WaitedInVain(const std::string &who)
      : Error(ErrorKind::invariant, {.what = "ranks wait for one another in vain", .found = who}) {}
};

// What the threads share, under one lock.
class SharedMemory {
public:
  SharedMemory(int ranks, const SimulatedNetwork &network)
      : network_(network), waiting_(ranks), link_free_(ranks, Clock::now()), mine_(ranks) {}

  int size() const { return static_cast<int>(waiting_.size()); }

  void send(int from, const Piece &piece) {
    const std::lock_guard lock(mutex_);
    const auto *data = static_cast<const std::byte *>(piece.data);
    Clock::time_point &link = link_free_[from];
    link = std::max(link, Clock::now()) + seconds(transfer_s(piece.bytes));
    mail_[{from, piece.rank}].push_back(
        {{data, data + piece.bytes}, link + seconds(network_.latency_s)});
    changed_.notify_all();
  }

  void receive(int to, const Piece &piece) {
    std::unique_lock lock(mutex_);
    std::deque<Message> &mail = mail_[{piece.rank, to}];
    wait(
        lock, to, [&] { return !mail.empty(); }, fmt::format("a message of rank {}", piece.rank));
    const Message message = std::move(mail.front());
    mail.pop_front();
    lock.unlock();
    std::this_thread::sleep_until(message.arrives);
    require(message.bytes.size() == piece.bytes, "a message has the size that is received");
    std::copy(message.bytes.begin(), message.bytes.end(), static_cast<std::byte *>(piece.data));
  }

  void gather(int rank, const void *mine, std::size_t bytes, void *all) {
    std::unique_lock lock(mutex_);
    // Nobody leaves the last gather's results before all have them.
    wait(
        lock, rank, [&] { return leaving_ == 0; }, "the end of a gather");
    const auto *data = static_cast<const std::byte *>(mine);
    mine_[rank].assign(data, data + bytes);
    const std::int64_t number = num_gathers_;
    if (++arrived_ == size()) {
      arrived_ = 0;
      leaving_ = size();
      ++num_gathers_;
      changed_.notify_all();
    }
    wait(
        lock, rank, [&] { return num_gathers_ > number; }, "a gather");
    for (int from = 0; from < size(); ++from) {
      require(mine_[from].size() == bytes, "ranks gather as many bytes");
      std::copy(mine_[from].begin(), mine_[from].end(),
                static_cast<std::byte *>(all) + from * bytes);
    }
    if (--leaving_ == 0)
      changed_.notify_all();
    lock.unlock();
    const auto doublings = std::bit_width(static_cast<unsigned>(size() - 1));
    std::this_thread::sleep_for(
        seconds(doublings * network_.latency_s + transfer_s(bytes * size())));
  }

  bool in_vain() {
    const std::lock_guard lock(mutex_);
    return in_vain_;
  }

  // A rank's body has returned or thrown.
  void end() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    look_for_the_end();
  }

private:
  static Clock::duration seconds(double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  }
  double transfer_s(std::size_t bytes) const {
    return network_.bytes_per_s > 0 ? static_cast<double>(bytes) / network_.bytes_per_s : 0;
  }

  void wait(std::unique_lock<std::mutex> &lock, int rank, const std::function<bool()> &is_there,
            const std::string &what) {
    if (is_there())
      return;
    waiting_[rank] = {is_there, what};
    look_for_the_end();
    changed_.wait(lock, [&] { return in_vain_ || is_there(); });
    waiting_[rank] = {};
    if (!is_there())
      throw WaitedInVain(who_waits_);
  }

  // Wakes all where all that have not ended wait for what is not there.
  void look_for_the_end() {
    int num_waiting = 0;
    std::string who;
    for (int rank = 0; rank < size(); ++rank)
      if (const Waiting &waiting = waiting_[rank]; waiting.is_there) {
        if (waiting.is_there())
          return;
        ++num_waiting;
        who += fmt::format("{}rank {} for {}", who.empty() ? "" : ", ", rank, waiting.what);
      }
    if (num_waiting == 0 || num_waiting + ended_ < size() || in_vain_)
      return;
    in_vain_ = true;
    who_waits_ = who;
    changed_.notify_all();
  }

  const SimulatedNetwork network_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Message>> mail_; // [from, to]
  std::vector<Waiting> waiting_;                            // [rank]
  std::vector<Clock::time_point> link_free_;                // [rank]
  int ended_ = 0;
  bool in_vain_ = false;
  std::string who_waits_;
  // The gather that is on.
  std::vector<std::vector<std::byte>> mine_; // [rank]
  int arrived_ = 0, leaving_ = 0;
  std::int64_t num_gathers_ = 0;
};

class ThreadMessages : public PendingMessages {
public:
  ThreadMessages(SharedMemory &memory, int rank, std::span<const Piece> receive)
      : memory_(memory), rank_(rank), receive_(receive.begin(), receive.end()) {}
  void wait() override {
    for (const Piece &piece : receive_)
      memory_.receive(rank_, piece);
  }

private:
  SharedMemory &memory_;
  int rank_;
  std::vector<Piece> receive_;
};

class ThreadCommunicator : public Communicator {
public:
  ThreadCommunicator(SharedMemory &memory, int rank) : memory_(memory), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return memory_.size(); }
  int machine_rank() const override { return rank_; }
  int machine_size() const override { return memory_.size(); }
  [[noreturn]] void abort(int exit_code) override {
    throw Error(ErrorKind::invariant, {.what = fmt::format("rank {} ends all ranks", rank_),
                                       .found = fmt::format("exit code {}", exit_code)});
  }

protected:
  std::unique_ptr<PendingMessages> start_messages(std::span<const Piece> receive,
                                                  std::span<const Piece> send) override {
    for (const Piece &piece : send)
      memory_.send(rank_, piece);
    return std::make_unique<ThreadMessages>(memory_, rank_, receive);
  }
  // A limit is reached when ranks wait in vain.
  bool gather_all(const void *mine, std::size_t bytes, void *all, double limit_s) override {
    if (limit_s > 0 && memory_.in_vain())
      return false;
    try {
      memory_.gather(rank_, mine, bytes, all);
    } catch (const WaitedInVain &) {
      if (limit_s > 0)
        return false;
      throw;
    }
    return true;
  }

private:
  SharedMemory &memory_;
  int rank_;
};

} // namespace

void run_thread_ranks(int ranks, const std::function<void(Communicator &)> &body,
                      const SimulatedNetwork &network) {
  require(ranks >= 1, "there is a rank");
  SharedMemory memory(ranks, network);
  std::vector<std::exception_ptr> failures(ranks), in_vain(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        ThreadCommunicator communicator(memory, rank);
        body(communicator);
      } catch (const WaitedInVain &) {
        in_vain[rank] = std::current_exception();
      } catch (...) {
        failures[rank] = std::current_exception();
      }
      memory.end();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto *thrown : {&failures, &in_vain})
    for (const std::exception_ptr &failure : *thrown)
      if (failure)
        std::rethrow_exception(failure);
}

} // namespace weft
