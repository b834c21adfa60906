// Runs the work-items of one group in one thread, one after the other. One that comes to a barrier
// keeps the stack that it runs on, and the next begins on another: without barriers nothing is
// switched. AddressSanitizer is told about the switches where it runs.
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
  struct Stack {
    ucontext_t context;
    char *memory = nullptr;
    void *fake_stack = nullptr; // AddressSanitizer's
    int item = 0;               // that runs on it
    bool at_barrier = false;
  };
  static void begin(unsigned high, unsigned low);
  void run_items(Stack &stack);
  void prepare(Stack &stack);
  void switch_to(Stack &stack);
  void switch_back(Stack &stack, bool ends);

  int size_;
  std::vector<Stack> stacks_; // as many as were ever needed at once, at most `size_`
  ucontext_t main_;
  void *main_fake_stack_ = nullptr;
  const void *main_stack_ = nullptr;
  std::size_t main_stack_bytes_ = 0;
  Stack *running_ = nullptr;
  const std::function<void(int)> *enter_ = nullptr;
  const std::function<void()> *item_ = nullptr;
  bool reverse_ = false;
  int num_begun_ = 0;
};

} // namespace weft
