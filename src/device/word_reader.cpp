// SPDX-License-Identifier: BSD-3-Clause
#include "device/word_reader.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "core/leak.hpp"
#include "halocline/error.hpp"

namespace halocline::device {
namespace {

constexpr auto pause_of_reader = std::chrono::milliseconds(1);

/// Streams of the host store the words while they are read.
std::uint64_t word_at(const std::uint64_t* word) {
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
}

}  // namespace

WordReader::WordReader(Backend& backend, int device, std::vector<const std::uint64_t*> words)
    : words_(std::move(words)), loads_(backend.kind() == DeviceKind::host) {
  if (loads_ || words_.empty()) return;
  copies_ = backend.allocate_pinned(words_.size() * sizeof(std::uint64_t));
  stream_ = backend.create_stream(device, Priority::high, "halocline recorder");
  copied_ = backend.create_event(device);
}

WordReader::~WordReader() {
  if (!under_way_) return;
  leak(std::move(copied_));
  leak(std::move(stream_));
  leak(std::move(copies_));
}

std::vector<std::uint64_t> WordReader::copied(Duration patience) {
  if (!under_way_) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      stream_->copy(copies_->data() + i * sizeof(std::uint64_t), reinterpret_cast<const std::byte*>(words_[i]),
                    sizeof(std::uint64_t));
    }
    stream_->record(*copied_);
    under_way_ = true;
  }
  const Deadline deadline(Clock::steady(), patience);
  while (!copied_->query()) {
    if (deadline.expired()) {
      throw DeadlineError(fmt::format("the device has not copied its flags within {} s",
                                      std::chrono::duration<double>(patience).count()));
    }
    std::this_thread::sleep_for(pause_of_reader);
  }
  under_way_ = false;
  std::vector<std::uint64_t> values(words_.size());
  std::memcpy(values.data(), copies_->data(), values.size() * sizeof(std::uint64_t));
  return values;
}

std::optional<std::vector<std::uint64_t>> WordReader::read(Duration patience, std::string& why_not) noexcept {
  try {
    if (stream_) return copied(patience);
    std::vector<std::uint64_t> values;
    for (const std::uint64_t* word : words_) values.push_back(word_at(word));
    return values;
  } catch (const std::exception& error) {
    try {
      why_not = error.what();
    } catch (...) {  // out of memory: without the reason
    }
    return std::nullopt;
  }
}

}  // namespace halocline::device
