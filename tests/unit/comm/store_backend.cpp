// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/rank_group.hpp"
#include "contract/comm/comm_contract.hpp"
#include "halocline/session.hpp"

// The contract's suite on ranks that share a store, here as threads; python/tests/test_without_mpi.py has processes.
namespace halocline::test {
namespace {

/// What a server of key-value pairs does, in memory.
class MemoryStore : public comm::Store {
 public:
  void set(const std::string& key, std::span<const std::byte> value) override {
    const std::lock_guard lock(mutex_);
    EXPECT_LE(value.size(), std::size_t{1} << 20);
    EXPECT_TRUE(values_.emplace(key, std::vector<std::byte>(value.begin(), value.end())).second)
        << key << " is set twice";
  }
  std::optional<std::vector<std::byte>> take(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    const auto found = values_.extract(key);
    return found.empty() ? std::nullopt : std::optional(found.mapped());
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::byte>> values_;
};

CommBackend store_backend(int ranks) {
  return {"store" + std::to_string(ranks), [ranks](const auto& body) {
            const auto store = std::make_shared<MemoryStore>();
            std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(ranks));
            {
              std::vector<std::jthread> threads;
              for (int rank = 0; rank < ranks; ++rank) {
                threads.emplace_back([&, rank] {
                  try {
                    auto made = comm::from_store(store, "test", rank, ranks, std::chrono::seconds(20));
                    comm::RankGroup& comm = made;
                    EXPECT_EQ(comm.backend(), comm::CommBackend::store);
                    EXPECT_EQ(comm.size(), ranks);
                    body(comm);
                    made.close();
                  } catch (...) {
                    thrown[static_cast<std::size_t>(rank)] = std::current_exception();
                  }
                });
              }
            }
            for (const auto& one : thrown) {
              if (one) std::rethrow_exception(one);
            }
          }};
}

INSTANTIATE_TEST_SUITE_P(Store, CommContract,
                         testing::Values(store_backend(1), store_backend(2), store_backend(3), store_backend(5)),
                         [](const auto& instance) { return instance.param.name; });

TEST(Store, LeavesNothingBehind) {
  const auto store = std::make_shared<MemoryStore>();
  const auto body = [&](int rank) {
    auto comm = comm::from_store(store, "a", rank, 2);
    EXPECT_EQ(comm.all_reduce(std::int64_t{rank + 1}, comm::Reduction::sum), 3);
    EXPECT_EQ(comm.all_gather(std::vector<std::byte>(std::size_t{3} << 20)).at(1).size(), std::size_t{3} << 20);
    comm.close();
  };
  {
    const std::jthread other([&] { body(1); });
    body(0);
  }
  EXPECT_EQ(store->size(), 0U);
}

/// Loses the second value of each message that has several.
class LossyStore final : public MemoryStore {
 public:
  void set(const std::string& key, std::span<const std::byte> value) override {
    if (!key.ends_with("/1") || value.size() < 1000) MemoryStore::set(key, value);
  }
};

TEST(Store, ThatHasLostAPartOfAMessageIsAnError) {
  const auto store = std::make_shared<LossyStore>();
  std::vector<std::string> texts(2);
  const auto body = [&](int rank) {
    auto comm = comm::from_store(store, "a", rank, 2, std::chrono::seconds(20));
    texts[static_cast<std::size_t>(rank)] =
        message_of<CommunicationError>([&] { (void)comm.all_gather(std::vector<std::byte>(std::size_t{3} << 20)); });
  };
  {
    const std::jthread other([&] { body(1); });
    body(0);
  }
  EXPECT_THAT(texts[0], testing::MatchesRegex("the store has lost a part of 'a/.*/1>0/.*' .1048320 of 3145728 bytes."));
  EXPECT_THAT(texts[1], testing::MatchesRegex("the store has lost a part of 'a/.*/0>1/.*' .1048320 of 3145728 bytes."));
}

TEST(Store, RanksThatCannotBeAreRefused) {
  const auto store = std::make_shared<MemoryStore>();
  for (const auto& [rank, size] : {std::pair(2, 2), std::pair(-1, 2), std::pair(0, 0)}) {
    EXPECT_THROW((void)comm::from_store(store, "a", rank, size), InvalidArgument);
  }
  EXPECT_THROW((void)comm::from_store(nullptr, "a", 0, 1), InvalidArgument);
}

}  // namespace
}  // namespace halocline::test
