// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda_backend.hpp"
#include "unit/device/support.hpp"

namespace halocline::device::test {

/// Why a case that needs `needed` GPUs cannot run here; empty if it can.
inline std::string missing_gpus(int needed) {
  const std::size_t seen = cuda_devices().size();
  if (seen == 0) return "no GPU";
  if (seen >= static_cast<std::size_t>(needed)) return {};
  return "needs " + std::to_string(needed) + " GPUs, sees " + std::to_string(seen);
}

/// A backend of the first GPUs, which have peer access.
class Gpus : public ::testing::Test {
 protected:
  explicit Gpus(int needed = 1) : needed_(needed) {}
  void SetUp() override {
    if (const std::string why = missing_gpus(needed_); !why.empty()) GTEST_SKIP() << why;
    backend = make();
    for (int from = 0; from < needed_; ++from) {
      for (int to = 0; to < needed_; ++to) {
        const Verdict access = backend->peer_access(from, to);
        if (!access.yes) GTEST_SKIP() << "needs peer access: " << access.why_not;
      }
    }
  }
  [[nodiscard]] std::shared_ptr<Backend> make() const {
    CudaOptions options;
    for (int i = 0; i < needed_; ++i) options.devices.push_back(i);
    return make_cuda_backend(options);
  }

  /// With a separate backend, because the tested one may have failed.
  [[nodiscard]] std::vector<std::byte> read(const std::byte* source, std::size_t bytes) const {
    const auto reader = make();
    const auto pinned = reader->allocate_pinned(bytes);
    const auto stream = reader->create_stream(0);
    stream->copy(pinned->data(), source, bytes);
    stream->synchronize();
    return {pinned->data(), pinned->data() + bytes};
  }
  [[nodiscard]] std::uint64_t read(const std::uint64_t* word) const {
    std::uint64_t value = 0;
    std::memcpy(&value, read(reinterpret_cast<const std::byte*>(word), sizeof value).data(), sizeof value);
    return value;
  }
  void write(std::byte* target, const std::vector<std::byte>& bytes) const {
    const auto pinned = backend->allocate_pinned(bytes.size());
    std::memcpy(pinned->data(), bytes.data(), bytes.size());
    const auto stream = backend->create_stream(0);
    stream->copy(target, pinned->data(), bytes.size());
    stream->synchronize();
  }

  std::shared_ptr<Backend> backend;

 private:
  int needed_;
};

class OneGpu : public Gpus {};
class TwoGpus : public Gpus {
 protected:
  TwoGpus() : Gpus(2) {}
};

}  // namespace halocline::device::test
