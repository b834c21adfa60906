#include "device/host/work_group.h"

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

WorkGroup::WorkGroup(int size) : items_(size) {
  for (Item &item : items_) {
    void *stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(stack != MAP_FAILED, "stacks of work-items");
    item.stack = static_cast<char *>(stack);
  }
}

WorkGroup::~WorkGroup() {
  for (Item &item : items_)
    munmap(item.stack, stack_bytes);
}

// makecontext() passes ints only: the pointer comes in halves.
void WorkGroup::begin(unsigned high, unsigned low) {
  auto *group = reinterpret_cast<WorkGroup *>((static_cast<std::uintptr_t>(high) << 32) | low);
  if (finish_switch)
    finish_switch(nullptr, &group->main_stack_, &group->main_stack_bytes_);
  (*group->item_)();
  group->running_->finished = true;
  group->switch_back(*group->running_, true);
}

void WorkGroup::switch_to(Item &item) {
  running_ = &item;
  if (start_switch)
    start_switch(&main_fake_stack_, item.stack, stack_bytes);
  swapcontext(&main_, &item.context);
  if (finish_switch)
    finish_switch(main_fake_stack_, nullptr, nullptr);
}

void WorkGroup::switch_back(Item &item, bool ends) {
  if (start_switch)
    start_switch(ends ? nullptr : &item.fake_stack, main_stack_, main_stack_bytes_);
  swapcontext(&item.context, &main_);
  if (finish_switch)
    finish_switch(item.fake_stack, &main_stack_, &main_stack_bytes_);
}

void WorkGroup::barrier() {
  switch_back(*running_, false);
}

bool WorkGroup::run(const std::function<void(int)> &enter, const std::function<void()> &item,
                    bool reverse) {
  item_ = &item;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  for (Item &entry : items_) {
    entry.finished = false;
    getcontext(&entry.context);
    entry.context.uc_stack.ss_sp = entry.stack;
    entry.context.uc_stack.ss_size = stack_bytes;
    entry.context.uc_link = nullptr;
    makecontext(&entry.context, reinterpret_cast<void (*)()>(&WorkGroup::begin), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  const int size = static_cast<int>(items_.size());
  // Every round takes each item to its next barrier, or to its end.
  for (;;) {
    int num_finished = 0;
    for (int i = 0; i < size; ++i) {
      const int index = reverse ? size - 1 - i : i;
      enter(index);
      switch_to(items_[index]);
      num_finished += items_[index].finished;
    }
    if (num_finished > 0)
      return num_finished == size;
  }
}

} // namespace weft
