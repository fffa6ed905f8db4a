// SPDX-License-Identifier: BSD-3-Clause
#include "device/word_reader.hpp"

#include <atomic>
#include <utility>

namespace halocline::device {
namespace {

class LoadingReader final : public WordReader {
 public:
  explicit LoadingReader(std::vector<const std::uint64_t*> words) : words_(std::move(words)) {}

  [[nodiscard]] std::optional<std::vector<std::uint64_t>> read(Duration, std::string& why_not) noexcept override {
    try {
      std::vector<std::uint64_t> values;
      // Streams of the host store the words while they are read.
      for (const std::uint64_t* word : words_) {
        values.push_back(std::atomic_ref(*const_cast<std::uint64_t*>(word)).load(std::memory_order_acquire));
      }
      return values;
    } catch (...) {
      why_not = "out of memory";
      return std::nullopt;
    }
  }

 private:
  std::vector<const std::uint64_t*> words_;
};

}  // namespace

std::unique_ptr<WordReader> make_loading_reader(std::vector<const std::uint64_t*> words) {
  return std::make_unique<LoadingReader>(std::move(words));
}

}  // namespace halocline::device
