// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/log.hpp"
#include "measure/detail/cuda_support.cuh"
#include "measure/detail/kernels.hpp"

// The paths of the driver that the device interface does not have. On streams and events of their own.
namespace halocline::machine::measuring::cuda {
namespace {

/// A stream with timed marks, of the device that is current when it is made.
class TimedStream {
 public:
  explicit TimedStream(int marks) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    marks_.resize(static_cast<std::size_t>(marks), nullptr);
    for (cudaEvent_t& mark : marks_) check(cudaEventCreate(&mark), "cudaEventCreate");
  }
  ~TimedStream() {
    for (cudaEvent_t mark : marks_) {
      if (mark != nullptr) cudaEventDestroy(mark);
    }
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  TimedStream(const TimedStream&) = delete;
  TimedStream& operator=(const TimedStream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void record(std::size_t mark) { check(cudaEventRecord(marks_.at(mark), stream_), "cudaEventRecord"); }
  void synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  /// From one mark to the next one, both reached.
  [[nodiscard]] double seconds_after(std::size_t mark) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, marks_.at(mark), marks_.at(mark + 1)), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<cudaEvent_t> marks_;
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Both sizes, the first of each not counted. once(bytes): seconds.
Times repeated(std::size_t bytes, int repeats, const std::function<double(std::size_t bytes)>& once) {
  Times times;
  for (const std::size_t size : {bytes, std::size_t{8}}) {
    for (int i = 0; i <= repeats; ++i) {
      const double seconds = once(size);
      if (i > 0) (size == bytes ? times.large : times.small).push_back(seconds);
    }
  }
  return times;
}

// CUDA 12's call names the place by a number, that of 13 by a location. Only the one that is there is compiled.
template <typename Pointer>
auto prefetch(Pointer memory, std::size_t bytes, cudaMemLocation place, cudaStream_t stream, int)
    -> decltype(cudaMemPrefetchAsync(memory, bytes, place, 0u, stream)) {
  return cudaMemPrefetchAsync(memory, bytes, place, 0u, stream);
}
template <typename Pointer>
auto prefetch(Pointer memory, std::size_t bytes, cudaMemLocation place, cudaStream_t stream, long)
    -> decltype(cudaMemPrefetchAsync(memory, bytes, place.id, stream)) {
  return cudaMemPrefetchAsync(memory, bytes, place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : place.id,
                              stream);
}

class ManagedMemory {
 public:
  explicit ManagedMemory(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
    data_ = static_cast<std::byte*>(memory);
  }
  ~ManagedMemory() { cudaFree(data_); }
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

  void to_host_by_writing() { std::memset(data_, 1, bytes_); }
  void prefetch_to(cudaMemLocationType type, int number, std::size_t bytes, cudaStream_t stream) {
    cudaMemLocation place{};
    place.type = type;
    place.id = number;
    check(prefetch(static_cast<const void*>(data_), bytes, place, stream, 0), "cudaMemPrefetchAsync");
  }
  /// One word of each page, by the calling thread.
  void read_by_host(std::size_t bytes) const {
    constexpr std::size_t page = 4096;
    for (std::size_t at = 0; at < bytes; at += page)
      static_cast<void>(static_cast<const volatile std::byte*>(data_)[at]);
  }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

/// Peer access between two devices is off until the end of its scope.
class PeerAccessOff {
 public:
  PeerAccessOff(int a, int b) : ways_{{a, b, false}, {b, a, false}} {
    for (Way& way : ways_) {
      const CurrentDevice current(way.from);
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      const cudaError_t code = cudaDeviceDisablePeerAccess(way.to);
      way.was_on = code == cudaSuccess;
      if (code == cudaErrorPeerAccessNotEnabled) {
        cudaGetLastError();
      } else if (code != cudaSuccess) {
        restore();
        check(code, "cudaDeviceDisablePeerAccess");
      }
    }
  }
  ~PeerAccessOff() { restore(); }
  PeerAccessOff(const PeerAccessOff&) = delete;
  PeerAccessOff& operator=(const PeerAccessOff&) = delete;

 private:
  struct Way {
    int from;
    int to;
    bool was_on;
  };
  void restore() {
    for (Way& way : ways_) {
      if (!way.was_on) continue;
      way.was_on = false;
      int before = 0;
      cudaGetDevice(&before);
      cudaSetDevice(way.from);
      const cudaError_t code = cudaDeviceEnablePeerAccess(way.to, 0);
      if (code != cudaSuccess) {
        cudaGetLastError();
        log(LogLevel::error, "peer access from CUDA device " + std::to_string(way.from) + " to " +
                                 std::to_string(way.to) + " cannot be switched on again: " + cudaGetErrorString(code));
      }
      cudaSetDevice(before);
    }
  }
  Way ways_[2];
};

constexpr int small_copies = 16;

/// A row of copies in one direction, with a mark after each of the large ones and after every few small ones.
class CopyRow {
 public:
  CopyRow(const PeerCopy& copy, int repeats) : copy_(copy), repeats_(repeats) {
    const CurrentDevice current(copy.from);
    stream_ = std::make_unique<TimedStream>(repeats + 2);
  }
  void enqueue(std::size_t bytes, int row) {
    const CurrentDevice current(copy_.from);
    row_ = row;
    stream_->record(0);
    for (int i = 0; i <= repeats_; ++i) {
      for (int j = 0; j < row; ++j) {
        check(cudaMemcpyPeerAsync(copy_.target, copy_.to, copy_.source, copy_.from, bytes, stream_->get()),
              "cudaMemcpyPeerAsync");
      }
      stream_->record(static_cast<std::size_t>(i) + 1);
    }
  }
  /// Without the first one.
  [[nodiscard]] std::vector<double> seconds() {
    stream_->synchronize();
    std::vector<double> all;
    for (int i = 1; i <= repeats_; ++i) all.push_back(stream_->seconds_after(static_cast<std::size_t>(i)) / row_);
    return all;
  }
  [[nodiscard]] TimedStream& stream() { return *stream_; }

 private:
  PeerCopy copy_;
  int repeats_;
  int row_ = 1;
  std::unique_ptr<TimedStream> stream_;
};

}  // namespace

Result pageable(int number, std::byte* on_device, std::byte* on_host, std::size_t bytes, int repeats) {
  const CurrentDevice current(number);
  TimedStream stream(0);
  const auto once = [&](void* target, const void* source, std::size_t size) {
    return seconds_of([&] {
      check(cudaMemcpyAsync(target, source, size, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
      stream.synchronize();
    });
  };
  Result result;
  result.there = repeated(bytes, repeats, [&](std::size_t size) { return once(on_device, on_host, size); });
  result.back = repeated(bytes, repeats, [&](std::size_t size) { return once(on_host, on_device, size); });
  return result;
}

Result managed(int number, std::byte* on_device, std::size_t bytes, int repeats, Managed how) {
  if (bytes > most_managed_bytes) {
    throw InternalError("managed bytes are " + std::to_string(bytes) + "; allowed are at most " +
                        std::to_string(most_managed_bytes));
  }
  const CurrentDevice current(number);
  int concurrent = 0;
  check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, number), "cudaDeviceGetAttribute");
  if (concurrent == 0) return {{}, {}, "host and device cannot use managed memory at the same time here"};
  ManagedMemory memory(std::max(bytes, std::size_t{8}));
  TimedStream stream(2);
  const auto timed = [&](const std::function<void()>& work) {
    stream.record(0);
    work();
    stream.record(1);
    stream.synchronize();
    return stream.seconds_after(0);
  };
  const auto to_device = [&](std::size_t size) {
    memory.prefetch_to(cudaMemLocationTypeDevice, number, size, stream.get());
  };
  Result result;
  result.there = repeated(bytes, repeats, [&](std::size_t size) {
    memory.to_host_by_writing();
    return timed([&] {
      if (how == Managed::prefetch) return to_device(size);
      check(launch_copy(on_device, memory.data(), size, stream.get()), "the launch of a reading kernel");
    });
  });
  result.back = repeated(bytes, repeats, [&](std::size_t size) {
    to_device(bytes);
    stream.synchronize();
    if (how == Managed::demand) return seconds_of([&] { memory.read_by_host(size); });
    return timed([&] { memory.prefetch_to(cudaMemLocationTypeHost, 0, size, stream.get()); });
  });
  return result;
}

Result managed_between(int a, std::byte* on_a, int b, std::byte* on_b, std::size_t bytes, int repeats, Managed how) {
  if (bytes > most_managed_bytes) {
    throw InternalError("managed bytes are " + std::to_string(bytes) + "; allowed are at most " +
                        std::to_string(most_managed_bytes));
  }
  for (const int number : {a, b}) {
    int concurrent = 0;
    check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, number), "cudaDeviceGetAttribute");
    if (concurrent == 0) return {{}, {}, "a device cannot use managed memory at the same time as others here"};
  }
  ManagedMemory memory(std::max(bytes, std::size_t{8}));
  const auto one_direction = [&](int from, int to, std::byte* on_to) {
    return repeated(bytes, repeats, [&](std::size_t size) {
      {
        const CurrentDevice current(from);
        TimedStream stream(0);
        memory.prefetch_to(cudaMemLocationTypeDevice, from, std::max(bytes, std::size_t{8}), stream.get());
        stream.synchronize();
      }
      const CurrentDevice current(to);
      TimedStream stream(2);
      stream.record(0);
      if (how == Managed::prefetch) {
        memory.prefetch_to(cudaMemLocationTypeDevice, to, size, stream.get());
      } else {
        check(launch_copy(on_to, memory.data(), size, stream.get()), "the launch of a reading kernel");
      }
      stream.record(1);
      stream.synchronize();
      return stream.seconds_after(0);
    });
  };
  Result result;
  result.there = one_direction(a, b, on_b);
  result.back = one_direction(b, a, on_a);
  return result;
}

Result copy_without_peer(const PeerCopy& there, const PeerCopy& back, std::size_t bytes, int repeats, bool together) {
  CopyRow rows[2] = {{there, repeats}, {back, repeats}};
  Result result;
  Times* const times[2] = {&result.there, &result.back};
  const PeerAccessOff off(there.from, there.to);
  for (const bool large : {true, false}) {
    const std::size_t size = large ? bytes : 8;
    const int row = large ? 1 : small_copies;
    if (together) {
      OpenAtOnce gate(there.from, rows[0].stream().get(), there.to, rows[1].stream().get());
      for (CopyRow& one : rows) one.enqueue(size, row);
      gate.open();
      for (int way = 0; way < 2; ++way) (large ? times[way]->large : times[way]->small) = rows[way].seconds();
    } else {
      for (int way = 0; way < 2; ++way) {
        rows[way].enqueue(size, row);
        (large ? times[way]->large : times[way]->small) = rows[way].seconds();
      }
    }
  }
  return result;
}

}  // namespace halocline::machine::measuring::cuda
