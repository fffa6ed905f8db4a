// SPDX-License-Identifier: BSD-3-Clause
#include "comm/store/name_of_run.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "comm/agree.hpp"
#include "core/clock.hpp"
#include "core/serialise.hpp"
#include "halocline/error.hpp"

// Each rank greets rank 0 with a number that it has drawn. Rank 0 answers each greeting with that number and the number of the run; what it
// finds first may be the greeting of an earlier run. A rank drops answers with another number than its own, and confirms the run by its number.
// Rank 0 is done when all have confirmed this run.
namespace halocline::comm::store {
namespace {

struct Answer {
  std::uint64_t greeting = 0;
  std::uint64_t run = 0;
};
auto members(MaybeConst<Answer> auto& answer) { return std::tie(answer.greeting, answer.run); }

std::uint64_t drawn() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// The messages of a rank before the run has a name.
class Keys {
 public:
  Keys(Store& store, const std::string& name, int rank)
      : store_(store), prefix_(fmt::format("{}/rank {}/", name, rank)) {}

  template <typename T>
  [[nodiscard]] std::optional<T> take(const char* key) {
    const auto bytes = store_.take(prefix_ + key);
    return bytes ? std::optional(from_bytes<T>(*bytes)) : std::nullopt;
  }
  /// In the place of what an earlier run has left.
  template <typename T>
  void put(const char* key, const T& value) {
    static_cast<void>(store_.take(prefix_ + key));
    store_.set(prefix_ + key, to_bytes(value));
  }

 private:
  Store& store_;
  std::string prefix_;
};

std::uint64_t join(Keys keys, const std::string& what, Duration timeout) {
  const std::uint64_t mine = drawn();
  keys.put("greets", mine);
  std::uint64_t run = 0;
  const auto answered = [&] {
    const auto answer = keys.take<Answer>("is answered");
    if (!answer || answer->greeting != mine) return false;
    run = answer->run;
    return true;
  };
  wait_until(answered, Deadline(Clock::steady(), timeout), what + ", waiting for rank 0,");
  keys.put("confirms", run);
  return run;
}

void admit(Keys keys, std::uint64_t run, const std::string& what, const Deadline& deadline) {
  const auto confirmed = [&] {
    if (const auto greeting = keys.take<std::uint64_t>("greets")) keys.put("is answered", Answer{*greeting, run});
    return keys.take<std::uint64_t>("confirms") == run;
  };
  wait_until(confirmed, deadline, what);
}

}  // namespace

std::string name_of_run(Store& store, const std::string& name, int rank, int size, Duration timeout) {
  const std::string what = fmt::format("the ranks of '{}' in a store (rank {} of {}, timeout {:g} s)", name, rank, size,
                                       std::chrono::duration<double>(timeout).count());
  std::uint64_t run = drawn();
  if (rank != 0) {
    run = join(Keys(store, name, rank), what, timeout);
  } else {
    const Deadline deadline(Clock::steady(), timeout);
    for (int other = 1; other < size; ++other) {
      admit(Keys(store, name, other), run, fmt::format("{}, waiting for rank {},", what, other), deadline);
    }
  }
  return fmt::format("{}/{:016x}", name, run);
}

}  // namespace halocline::comm::store
