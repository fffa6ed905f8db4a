// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "unit/device/support.hpp"

namespace halocline::device::test {

/// How to make a backend with at least two devices. The contract reads device memory only through copies to pinned
/// memory, so that it holds for every backend.
struct BackendFactory {
  std::string name;
  std::function<std::shared_ptr<Backend>()> make;
  /// Whether streams that do not wait for a failed stream continue.
  bool failure_is_contained = true;
  /// Why this machine has no such backend; empty if it has one.
  std::function<std::string()> missing = [] { return std::string(); };
};
inline std::ostream& operator<<(std::ostream& out, const BackendFactory& factory) { return out << factory.name; }

class BackendContract : public ::testing::TestWithParam<BackendFactory> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
    backend = GetParam().make();
    reader = GetParam().make();
    receive_buffer = reader->allocate_pinned(8 * most_words);
    reading = reader->create_stream(0);
    awaited_epochs = make_page(*backend);
    awaiting = backend->create_stream(0);
    // In the cases, two devices write flags in each other's memory.
    for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
      const Verdict access = backend->peer_access(from, to);
      if (!access.yes) GTEST_SKIP() << "needs peer access: " << access.why_not;
    }
  }

  void put(std::byte* target, const std::vector<std::uint64_t>& words) {
    const auto pinned = backend->allocate_pinned(8 * words.size());
    std::memcpy(pinned->data(), words.data(), 8 * words.size());
    const auto stream = backend->create_stream(0);
    stream->copy(target, pinned->data(), 8 * words.size());
    stream->synchronize();
  }
  void put(const Buffer& target, const std::vector<std::uint64_t>& words) { put(target.data(), words); }
  void put(std::uint64_t* word, std::uint64_t value) { put(reinterpret_cast<std::byte*>(word), {value}); }
  /// Uses another backend, which works even if the tested one has failed, with a stream and memory allocated in
  /// advance: on GPUs an allocation waits for work that may itself be waiting for the test.
  std::vector<std::uint64_t> get(const std::byte* source, std::size_t count) {
    EXPECT_LE(count, most_words);
    reading->copy(receive_buffer->data(), source, 8 * count);
    reading->synchronize();
    std::vector<std::uint64_t> words(count);
    std::memcpy(words.data(), receive_buffer->data(), 8 * count);
    return words;
  }
  std::uint64_t get(const std::uint64_t* word) { return get(reinterpret_cast<const std::byte*>(word), 1)[0]; }

  /// Blocks until the flag is signalled for the first time. A device may signal it concurrently, so that this is a wait
  /// and not get(), which would race. Stream and memory are allocated in advance, as in get().
  void await_first(const FlagSignal& signal) {
    wait_for(*awaiting, &page(*awaited_epochs).one, signal.flag, signal.token, guard("seen by the test"));
    awaiting->synchronize();
  }

  std::shared_ptr<Backend> backend;
  std::shared_ptr<Backend> reader;

 private:
  static constexpr std::size_t most_words = 1024;
  std::unique_ptr<Buffer> receive_buffer;
  std::unique_ptr<Stream> reading;
  std::unique_ptr<Buffer> awaited_epochs;
  std::unique_ptr<Stream> awaiting;
};

}  // namespace halocline::device::test
