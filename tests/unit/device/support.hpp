// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "halocline/error.hpp"

namespace halocline::device::test {

/// Long enough for a busy machine under a sanitizer; reaching it is a failure.
inline Deadline patience() { return {Clock::steady(), std::chrono::seconds(20)}; }

inline std::shared_ptr<Backend> make_host(int devices, int workers) {
  HostOptions options;
  options.devices = devices;
  options.workers = workers;
  return make_host_backend(options);
}

/// A clock that does not advance until the test moves it.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Duration now() const override { return Duration(now_.load()); }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_{0};
};

/// Memory of one device with an epoch and flags, as an exchange uses them.
struct FlagPage {
  Flag flags[8];
  std::uint64_t epoch;
  std::uint64_t one;  ///< always 1: an epoch for flags that are set once
};

inline std::unique_ptr<ShareableBuffer> make_page(Backend& backend, int device = 0) {
  auto memory = backend.allocate_shareable(device, sizeof(FlagPage));
  const auto stream = backend.create_stream(device);
  stream->advance(&reinterpret_cast<FlagPage*>(memory->data())->one);
  stream->synchronize();
  return memory;
}
inline FlagPage& page(const Buffer& buffer) { return *reinterpret_cast<FlagPage*>(buffer.data()); }
inline FlagPage& page(const Mapping& mapping) { return *reinterpret_cast<FlagPage*>(mapping.data()); }

inline std::shared_ptr<const WaitGuard> guard(const std::string& label, Duration timeout = std::chrono::seconds(60),
                                              const std::atomic<std::uint32_t>* abort = nullptr) {
  return std::make_shared<const WaitGuard>(WaitGuard{label, timeout, abort});
}

/// Waits for one flag at the stream's epoch.
inline void wait_for(Stream& stream, const std::uint64_t* epoch, const Flag* flag, std::uint64_t token,
                     const std::shared_ptr<const WaitGuard>& with) {
  const FlagWait wait{flag, token, with, nullptr};
  stream.wait(epoch, {&wait, 1});
}
inline void signal_to(Stream& stream, const std::uint64_t* epoch, Flag* flag, std::uint64_t token) {
  const FlagSignal signal{flag, token};
  stream.signal(epoch, {&signal, 1});
}

/// The error that f throws, as "<kind>: <message>"; empty if it throws none.
inline std::string thrown(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(to_string(e.kind())) + ": " + e.what();
  }
  return {};
}

/// The stream's error; empty if it has not failed.
inline std::string failure(Stream& stream) {
  return thrown([&] { stream.synchronize(); });
}

}  // namespace halocline::device::test
