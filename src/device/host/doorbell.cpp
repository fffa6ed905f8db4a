// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#include <new>

namespace halocline::device::host {
namespace {

/// Not FUTEX_PRIVATE: the kernel identifies the word by its file, so that processes with different mappings can use it.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  // The caller checks again in all cases: woken, rung before, interrupted, timed out.
  (void)::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

// The file is zero-filled, which is the initial state: a second mapping must not reset the values of the first.
Doorbell::Doorbell() : file_(sizeof(Page)), page_(new (file_.data()) Page) {}

Doorbell::Doorbell(const AnonymousFileHandle& handle)
    : file_(AnonymousFile::open(handle)), page_(std::launder(reinterpret_cast<Page*>(file_.data()))) {}

void Doorbell::ring() {
  // Either this sees the sleeper, or the sleeper's futex call sees the new word: both are sequentially consistent.
  page_->word.fetch_add(1, std::memory_order_seq_cst);
  if (page_->sleepers.load(std::memory_order_seq_cst) != 0) futex(page_->word, FUTEX_WAKE, INT_MAX, nullptr);
}

void Doorbell::sleep(std::uint32_t seen, Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = (timeout - seconds).count();
  page_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  futex(page_->word, FUTEX_WAIT, seen, &time);
  page_->sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace halocline::device::host
