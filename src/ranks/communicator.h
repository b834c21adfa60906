// The ranks that share a problem: processes that a launcher started, or threads of one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft {

// Of host memory, to or from a rank.
struct Piece {
  int rank = 0;
  void *data = nullptr;
  std::size_t bytes = 0;
};

// Bytes to or from a rank, as many as there are.
struct Parcel {
  int rank = 0;
  std::vector<std::byte> bytes;
};

// What a rank has sent, and how long it has waited for others.
struct CommunicationCounts {
  std::int64_t messages = 0, bytes = 0;
  std::int64_t gathers = 0;
  double waited_s = 0;
};

// Messages on their way.
class PendingMessages {
public:
  virtual ~PendingMessages() = default;
  virtual void wait() = 0; // once
};

class Communicator;

// What Communicator::start() began: the memory of its pieces is to be left alone until it has been
// waited for.
class Exchange {
public:
  Exchange(Communicator &ranks, std::unique_ptr<PendingMessages> messages)
      : ranks_(&ranks), messages_(std::move(messages)) {}
  void wait();

private:
  Communicator *ranks_;
  std::unique_ptr<PendingMessages> messages_; // null once it has been waited for
};

// Calls are those of one thread of each rank. What says "all" is called by all ranks, in the same
// order.
class Communicator {
public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Among the ranks of this machine.
  virtual int machine_rank() const = 0;
  virtual int machine_size() const = 0;
  // Ranks are processes of MPI, in the order of MPI_COMM_WORLD: libraries may speak among them too.
  virtual bool is_mpi() const { return false; }

  // Posts the receives, then the sends. Pieces between two ranks arrive in the order in which they
  // are sent, and have the bytes that they are received with. No rank sends to itself.
  Exchange start(std::span<const Piece> receive, std::span<const Piece> send);
  // All: what every rank has, of the same size, on every rank; all[rank]. Throws what together()
  // throws where a rank failed and is there instead.
  void gather(const void *mine, std::size_t bytes, void *all);
  // All: parcels to ranks, this one among them where it sends to itself; those for this rank,
  // ordered by sender. One to a rank at most.
  std::vector<Parcel> deliver(std::vector<Parcel> to);
  // Ends all ranks: what they have is lost.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  const CommunicationCounts &counts() const { return counts_; }
  // This rank failed and the others did not come to agree on it: abort() is all that is left.
  bool lost() const { return lost_; }
  // An error is on its way to an outer together(): whoever catches it throws it on.
  bool unwinds() const { return lost_ || agreed_depth_ > 0; }

protected:
  virtual std::unique_ptr<PendingMessages> start_messages(std::span<const Piece> receive,
                                                          std::span<const Piece> send) = 0;
  // `limit_s`: how long to wait for the others, 0: for ever. Returns whether all came.
  virtual bool gather_all(const void *mine, std::size_t bytes, void *all, double limit_s) = 0;

private:
  friend class Exchange;
  friend void together(Communicator *ranks, const std::function<void()> &body);
  struct Packet;
  std::vector<Packet> exchange(const Packet &mine);
  [[noreturn]] void throw_failure(const std::vector<Packet> &packets);
  void agree(const std::string &failure);

  CommunicationCounts counts_;
  int depth_ = 0;        // calls of together() that this rank is in
  std::string failure_;  // of this rank, while ranks agree on one
  int agreed_depth_ = 0; // of the call that throws what was agreed; 0: there is nothing
  bool lost_ = false;
};

// Over all ranks, in their order, so that every rank has the same bits; null: this rank is alone.
// All.
double sum(Communicator *ranks, double value);
std::int64_t sum(Communicator *ranks, std::int64_t value);
double largest(Communicator *ranks, double value);
double smallest(Communicator *ranks, double value);
bool any(Communicator *ranks, bool value);
// [place]: each place by itself; as many places on every rank.
std::vector<double> sum(Communicator *ranks, std::vector<double> values);

// [rank][place]: the values of all ranks; as many on every rank. All.
std::vector<std::vector<double>> gathered(Communicator *ranks, const std::vector<double> &values);
// The text of the lowest rank that has one, on every rank; empty where none has. All.
std::string first_text(Communicator *ranks, const std::string &text);

// Whether this rank is the one that writes files and speaks to the user.
bool is_first(const Communicator *ranks);

// All: runs body on every rank; where it throws on some, all throw the error of the lowest of them,
// with its rank unless all failed alike, or Interrupted where one did. A rank that fails while
// others wait for it in a gather of the body is heard there. Where others wait for its messages it
// throws alone after ten seconds, and is lost(). May be nested.
void together(Communicator *ranks, const std::function<void()> &body);
// All: together(), body being run on the first rank alone.
void on_first(Communicator *ranks, const std::function<void()> &body);

} // namespace weft
