#include "device/host/work_group.h"

#include <algorithm>
#include <cstdint>
#include <dlfcn.h>
#include <sys/mman.h>

#include "base/error.h"

namespace weft {

namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// AddressSanitizer's functions, found in the process: null where it does not run.
using StartSwitch = void(void **fake_stack, const void *bottom, std::size_t size);
using FinishSwitch = void(void *fake_stack, const void **bottom, std::size_t *size);
StartSwitch *const start_switch =
    reinterpret_cast<StartSwitch *>(dlsym(RTLD_DEFAULT, "__sanitizer_start_switch_fiber"));
FinishSwitch *const finish_switch =
    reinterpret_cast<FinishSwitch *>(dlsym(RTLD_DEFAULT, "__sanitizer_finish_switch_fiber"));

} // namespace

// Stacks stay where they are: contexts point into themselves.
WorkGroup::WorkGroup(int size) : size_(size) {
  stacks_.reserve(size);
}

WorkGroup::~WorkGroup() {
  for (Stack &stack : stacks_)
    munmap(stack.memory, stack_bytes);
}

// makecontext() passes ints only: the pointer comes in halves.
void WorkGroup::prepare(Stack &stack) {
  if (!stack.memory) {
    void *memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(memory != MAP_FAILED, "stacks of work-items");
    stack.memory = static_cast<char *>(memory);
  }
  getcontext(&stack.context);
  stack.context.uc_stack.ss_sp = stack.memory;
  stack.context.uc_stack.ss_size = stack_bytes;
  stack.context.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&stack.context, reinterpret_cast<void (*)()>(&WorkGroup::begin), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void WorkGroup::begin(unsigned high, unsigned low) {
  auto *group = reinterpret_cast<WorkGroup *>((static_cast<std::uintptr_t>(high) << 32) | low);
  if (finish_switch)
    finish_switch(nullptr, &group->main_stack_, &group->main_stack_bytes_);
  Stack &stack = *group->running_;
  group->run_items(stack);
  group->switch_back(stack, true);
}

// Those not begun yet: all, unless one comes to a barrier.
void WorkGroup::run_items(Stack &stack) {
  while (num_begun_ < size_) {
    stack.item = reverse_ ? size_ - 1 - num_begun_ : num_begun_;
    ++num_begun_;
    (*enter_)(stack.item);
    (*item_)();
  }
}

void WorkGroup::switch_to(Stack &stack) {
  running_ = &stack;
  stack.at_barrier = false;
  if (start_switch)
    start_switch(&main_fake_stack_, stack.memory, stack_bytes);
  swapcontext(&main_, &stack.context);
  if (finish_switch)
    finish_switch(main_fake_stack_, nullptr, nullptr);
}

void WorkGroup::switch_back(Stack &stack, bool ends) {
  if (start_switch)
    start_switch(ends ? nullptr : &stack.fake_stack, main_stack_, main_stack_bytes_);
  swapcontext(&stack.context, &main_);
  if (finish_switch)
    finish_switch(stack.fake_stack, &main_stack_, &main_stack_bytes_);
}

void WorkGroup::barrier() {
  running_->at_barrier = true;
  switch_back(*running_, false);
}

bool WorkGroup::run(const std::function<void(int)> &enter, const std::function<void()> &item,
                    bool reverse) {
  enter_ = &enter;
  item_ = &item;
  reverse_ = reverse;
  num_begun_ = 0;
  std::size_t num_used = 0;
  while (num_begun_ < size_) {
    if (num_used == stacks_.size())
      stacks_.emplace_back();
    Stack &stack = stacks_[num_used++];
    prepare(stack);
    switch_to(stack);
  }
  const auto first = stacks_.begin(), last = first + static_cast<std::ptrdiff_t>(num_used);
  const auto num_waiting = [&] {
    return std::count_if(first, last, [](const Stack &stack) { return stack.at_barrier; });
  };
  if (num_waiting() == 0) // nobody met one
    return true;
  // Every round takes each item to its next barrier, or to its end.
  while (num_waiting() == size_)
    std::for_each(first, last, [&](Stack &stack) {
      enter(stack.item);
      switch_to(stack);
    });
  return num_waiting() == 0;
}

} // namespace weft
