#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "support.hpp"

namespace halocline::device::test {

/// How to make a backend with at least two devices. The contract looks at device memory only through copies to pinned
/// memory, so that it holds for every backend.
struct BackendFactory {
  std::string name;
  std::function<std::shared_ptr<Backend>()> make;
};
inline std::ostream& operator<<(std::ostream& out, const BackendFactory& factory) { return out << factory.name; }

class BackendContract : public ::testing::TestWithParam<BackendFactory> {
 protected:
  void SetUp() override { backend = GetParam().make(); }

  void put(const Buffer& target, const std::vector<std::uint64_t>& words) {
    const auto pinned = backend->allocate_pinned(8 * words.size());
    std::memcpy(pinned->data(), words.data(), 8 * words.size());
    const auto stream = backend->create_stream(0);
    stream->copy(target.data(), pinned->data(), 8 * words.size());
    stream->synchronize();
  }
  std::vector<std::uint64_t> get(const std::byte* source, std::size_t count) {
    const auto pinned = backend->allocate_pinned(8 * count);
    const auto stream = backend->create_stream(0);
    stream->copy(pinned->data(), source, 8 * count);
    stream->synchronize();
    std::vector<std::uint64_t> words(count);
    std::memcpy(words.data(), pinned->data(), 8 * count);
    return words;
  }
  std::uint64_t get(const std::uint64_t* word) { return get(reinterpret_cast<const std::byte*>(word), 1)[0]; }

  std::shared_ptr<Backend> backend;
};

}  // namespace halocline::device::test
