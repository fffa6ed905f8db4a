// SPDX-License-Identifier: BSD-3-Clause
// mpi_staged in many chunks, with ranks as threads: cells are right whichever operation is late, chunks do not wait for
// later ones, and ends that disagree about a message fail before a halo cell is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "comm/local_ranks.hpp"
#include "contract/exchange/contract.hpp"
#include "contract/exchange/delayed_chunks.hpp"
#include "device/host.hpp"
#include "halocline/session.hpp"
#include "support/effort.hpp"
#include "support/halo_case.hpp"

namespace halocline::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Chunks : public testing::TestWithParam<std::int64_t> {};

TEST_P(Chunks, every_cell_is_as_geometry_says_with_delays_everywhere) {
  expect_right_in_delayed_chunks(GetParam(), exchange::Messages::by_neighbour, 4 * 7919, 4);
}

INSTANTIATE_TEST_SUITE_P(sizes, Chunks, testing::Values(7, 64, 1000, std::int64_t{1} << 40));

/// Delays the n-th copy between device and host, counted from 1 after arm().
class HoldNthCopy final : public device::Injector {
 public:
  explicit HoldNthCopy(int nth) : left_(nth) {}
  void arm() { armed_ = true; }
  device::Injection before(device::Operation operation, int) override {
    device::Injection injection;
    if (armed_ && operation == device::Operation::copy && left_.fetch_sub(1) == 1) injection.delay = 60s;
    return injection;
  }

 private:
  std::atomic<bool> armed_ = false;
  std::atomic<int> left_;
};

/// Two ranks with one slab each: one message in each direction, of 2 faces, 3328 bytes a field.
struct Slabs {
  std::vector<exchange::Tuning> tuning = std::vector<exchange::Tuning>(2);  ///< by rank
  Duration timeout = 5s;
  std::shared_ptr<HoldNthCopy> held;  ///< on rank 0
  int buffers = 1;
  /// The work of a rank with fields a and b; halos hold -1 before.
  std::function<void(Domain&, field_id a, field_id b)> body = [](Domain& domain, field_id, field_id) {
    domain.exchange();
  };
};

struct SlabOutcome {
  ErrorKind kind{};
  std::string text;          ///< empty without an error
  std::int64_t written = 0;  ///< halo cells that are no longer -1
};

std::vector<SlabOutcome> run(const Slabs& slabs) {
  std::vector<SlabOutcome> all(2);
  comm::run_as_threads(2, [&](comm::RankGroup& comm) {
    const std::size_t me = comm.rank().index();
    device::HostOptions host;
    host.ranks_on_node = 2;
    if (me == 0) host.injector = slabs.held;
    DomainOptions options;
    options.devices.existing.emplace(device::make_host_backend(host));
    options.routing.policy.order = {routing::Transport::mpi_staged};
    options.boundaries = {Boundary::open, Boundary::open, Boundary::periodic};
    options.partition.method = partition::Method::given;
    options.partition.node_grid = Vec3{1, 1, 1};
    options.partition.device_grid = Vec3{1, 1, 2};
    options.tuning = slabs.tuning[me];
    options.timeout = slabs.timeout;
    try {
      Domain domain({13, 16, 8}, Stencil::box(1), comm, options);
      const auto a = domain.add_field<double>("a", {.buffers = slabs.buffers});
      const auto b = domain.add_field<double>("b");
      domain.on_open_boundary({});
      domain.realize();
      const Subdomain& s = domain.subdomains().front();
      const auto halos = [&](auto&& f) {
        for (const auto field : {a, b}) {
          const auto view = s.view(field);
          for_each_cell(view.with_halo(), [&](const Vec3& p) {
            if (!view.owned().contains(p)) f(view(p));
          });
        }
      };
      halos([](double& cell) { cell = -1; });
      try {
        domain.plan().comm.barrier();
        slabs.body(domain, a.id, b.id);
        domain.synchronize();
        domain.close();
      } catch (...) {
        halos([&](double& cell) { all[me].written += cell == -1 ? 0 : 1; });
        throw;
      }
    } catch (const Error& error) {
      all[me].kind = error.kind();
      all[me].text = error.what();
    }
  });
  return all;
}

exchange::Tuning chunks_of(std::int64_t bytes, std::int64_t zero_copy_at_most = 0) {
  return {.staging_chunk_bytes = bytes, .zero_copy_at_most_bytes = zero_copy_at_most};
}

class Stalled : public testing::TestWithParam<int> {};

/// The third chunk's copy to the host is delayed: the first two have been sent, received, and unpacked before.
TEST_P(Stalled, chunks_do_not_wait_for_later_ones_and_the_late_one_is_named) {
  const auto impatient = static_cast<std::size_t>(GetParam());
  Slabs slabs;
  slabs.tuning = {chunks_of(1000), chunks_of(1000)};
  slabs.timeout = 3s;
  slabs.held = std::make_shared<HoldNthCopy>(3);
  slabs.body = [&](Domain& domain, field_id, field_id) {
    slabs.held->arm();
    // The other rank's deadline is later, and it still takes part.
    if (domain.plan().comm.rank().index() != impatient) std::this_thread::sleep_for(1500ms);
    domain.exchange();
  };
  const auto all = run(slabs);
  EXPECT_EQ(all[impatient].kind, ErrorKind::deadline);
  EXPECT_THAT(all[impatient].text, HasSubstr("subdomain 0 -> 1 (mpi_staged, rank 0 -> rank 1): " +
                                             std::string(impatient == 0 ? "copying chunk 3 of 7 to the host"
                                                                        : "MPI receive of chunk 3 of 7 under way")));
  EXPECT_THAT(all[1 - impatient].text, HasSubstr("rank " + std::to_string(impatient))) << "told by the other";
}

INSTANTIATE_TEST_SUITE_P(impatient_rank, Stalled, testing::Values(0, 1));

constexpr std::array ways{"in_chunks", "in_one_chunk", "without_copies"};
class Disagreeing : public testing::TestWithParam<exchange::Tuning> {};

TEST_P(Disagreeing, other_fields_on_one_rank_are_an_error_before_a_cell_is_written) {
  Slabs slabs;
  slabs.tuning = {GetParam(), GetParam()};
  slabs.body = [](Domain& domain, field_id a, field_id b) {
    const bool both = domain.plan().comm.rank() == rank_id(0);
    auto exchange = both ? domain.start_exchange({{a}, {b}}) : domain.start_exchange({{a}});
    exchange.finish();
  };
  const auto all = run(slabs);
  for (const SlabOutcome& outcome : all) {
    EXPECT_NE(outcome.text, "");
    EXPECT_EQ(outcome.written, 0) << outcome.text;
  }
  const std::string texts = all[0].text + all[1].text;
  if (GetParam().staging_chunk_bytes == 1000) {
    // The first chunks have equal lengths, so the headers are compared.
    EXPECT_THAT(texts,
                HasSubstr("the two sides disagree on which fields, buffers, directions and depths are exchanged"));
    EXPECT_TRUE(all[0].kind == ErrorKind::protocol || all[1].kind == ErrorKind::protocol) << texts;
  } else {
    EXPECT_THAT(texts, HasSubstr("bytes; expected were"));
  }
}

TEST_P(Disagreeing, a_swap_on_one_rank_only_is_an_error_before_a_cell_is_written) {
  Slabs slabs;
  slabs.tuning = {GetParam(), GetParam()};
  slabs.buffers = 2;
  slabs.body = [](Domain& domain, field_id a, field_id) {
    if (domain.plan().comm.rank() == rank_id(1)) domain.swap(a);
    domain.exchange();
    domain.synchronize();
  };
  const auto all = run(slabs);
  EXPECT_TRUE(all[0].kind == ErrorKind::protocol || all[1].kind == ErrorKind::protocol)
      << all[0].text << " | " << all[1].text;
  EXPECT_EQ(all[0].written, 0) << "rank 0 still sees the set that was to be exchanged";
}

INSTANTIATE_TEST_SUITE_P(all, Disagreeing,
                         testing::Values(chunks_of(1000), chunks_of(std::int64_t{1} << 30),
                                         chunks_of(std::int64_t{1} << 30, std::int64_t{1} << 30)),
                         [](const auto& param) { return std::string(ways[param.index]); });

TEST(StagedTuning, chunk_sizes_that_differ_are_one_error_on_all_ranks) {
  Slabs slabs;
  slabs.tuning = {chunks_of(1000), chunks_of(2000)};
  const auto all = run(slabs);
  EXPECT_EQ(all[0].text, all[1].text);
  EXPECT_EQ(all[0].kind, ErrorKind::invalid_argument);
  EXPECT_THAT(all[0].text, HasSubstr("tuning.staging_chunk_bytes: rank 0 has 1000, rank 1 has 2000"));
}

TEST(StagedTuning, chunks_of_nothing_are_refused) {
  Slabs slabs;
  slabs.tuning = {chunks_of(0), chunks_of(0)};
  const auto all = run(slabs);
  EXPECT_EQ(all[1].kind, ErrorKind::invalid_argument);
  EXPECT_THAT(all[1].text, HasSubstr("staging_chunk_bytes is 0; allowed is 1 or more"));
}

}  // namespace
}  // namespace halocline::test
