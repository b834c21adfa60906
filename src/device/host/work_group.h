// Runs the work-items of one group in one thread, each on a stack of its own, so that a barrier can
// leave one and go on with the next. AddressSanitizer is told about the switches where it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <ucontext.h>

namespace weft {

class WorkGroup {
public:
  explicit WorkGroup(int size);
  ~WorkGroup();
  WorkGroup(const WorkGroup &) = delete;
  WorkGroup &operator=(const WorkGroup &) = delete;

  // Calls item() for each work-item; before any of its parts runs, enter(i) says whose it is.
  // `reverse` takes the last item first. False when some items waited at a barrier that others
  // had passed by.
  bool run(const std::function<void(int)> &enter, const std::function<void()> &item, bool reverse);

  // Called inside item(): returns when all items of the group have called it.
  void barrier();

private:
  struct Item {
    ucontext_t context;
    char *stack = nullptr;
    bool finished = false;
    void *fake_stack = nullptr; // AddressSanitizer's
  };
  static void begin(unsigned high, unsigned low);
  void switch_to(Item &item);
  void switch_back(Item &item, bool ends);

  std::vector<Item> items_;
  ucontext_t main_;
  void *main_fake_stack_ = nullptr;
  const void *main_stack_ = nullptr;
  std::size_t main_stack_bytes_ = 0;
  Item *running_ = nullptr;
  const std::function<void()> *item_ = nullptr;
};

} // namespace weft
