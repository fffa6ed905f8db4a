// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in the caller's streams are ordered with the work before and after them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/captured.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class UserStreams : public testing::TestWithParam<routing::Transport> {
 protected:
  static constexpr Vec3 extent{12, 10, 8};
  void SetUp() override {
    DomainOptions options;
    options.devices.per_rank = 3;
    options.routing.policy.order = {GetParam(), routing::Transport::self, routing::Transport::mpi_staged};
    domain = std::make_unique<Domain>(extent, Stencil::box(1), options);
    u = domain->add_field<double>("u", {.buffers = 2});
    domain->realize();
    for (int set = 0; set < 2; ++set) {
      std::vector<Stream*>& streams = set == 0 ? first : second;
      for (const Subdomain& s : domain->subdomains()) {
        owned.push_back(internals(*domain).backend().create_stream(s.device()));
        streams.push_back(owned.back().get());
      }
    }
  }
  void TearDown() override { domain->close(); }

  static double value(const Vec3& p, int step) {
    Vec3 q = p;
    for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
    return static_cast<double>(q.x + 100 * q.y + 10000 * q.z) + step / 8.;
  }
  /// Writes in the current streams of the subdomains, after a delay.
  void write_slowly(int step) {
    for (const Subdomain& s : domain->subdomains()) {
      s.stream().launch(s.owned(), [step, view = s.view(u)](const Box& part) {
        std::this_thread::sleep_for(2ms);
        for_each_cell(part, [&](const Vec3& p) { view(p) = value(p, step); });
      });
    }
  }
  void expect_all(int step) {
    for (const Subdomain& s : domain->subdomains()) {
      s.stream().launch(Box{{0, 0, 0}, {1, 1, 1}}, [step, this, view = s.view(u)](const Box&) {
        for_each_cell(view.with_halo(), [&](const Vec3& p) { wrong += view(p) == value(p, step) ? 0 : 1; });
      });
    }
  }

  std::unique_ptr<Domain> domain;
  Field<double> u;
  std::vector<std::unique_ptr<Stream>> owned;
  std::vector<Stream*> first;
  std::vector<Stream*> second;
  std::atomic<int> wrong = 0;
};

TEST_P(UserStreams, an_exchange_is_ordered_with_work_before_and_after) {
  domain->use_streams(first);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(&domain->subdomains()[i].stream(), first[i]);
  for (int step = 0; step < 20; ++step) {
    write_slowly(step);
    domain->use_streams(first);
    domain->exchange();
    expect_all(step);
    if (step % 3 == 0) domain->swap(u);
  }
  domain->synchronize();
  EXPECT_EQ(wrong, 0);
}

TEST_P(UserStreams, what_is_in_the_earlier_streams_comes_first) {
  for (int step = 0; step < 20; ++step) {
    write_slowly(step);  // in the streams of the previous step
    domain->use_streams(step % 2 == 0 ? first : second);
    domain->exchange();
    expect_all(step);
  }
  domain->synchronize();
  EXPECT_EQ(wrong, 0);
}

TEST_P(UserStreams, captured_steps_replay_in_them) {
  domain->use_streams(second);
  if (GetParam() == routing::Transport::mpi_staged) {
    EXPECT_THROW((void)test::captured(*domain, [&] { domain->exchange(); }), CapabilityError);
    return;
  }
  write_slowly(1);
  domain->synchronize();
  auto recording = std::make_unique<Graph>(test::captured(*domain, [&] { domain->exchange(); }));
  for (int step = 2; step < 6; ++step) {
    write_slowly(step);
    recording->launch();
    expect_all(step);
  }
  domain->synchronize();
  recording.reset();
  EXPECT_EQ(wrong, 0);
}

TEST_P(UserStreams, streams_that_do_not_fit_are_refused) {
  const auto refusal = [&](std::span<Stream* const> streams) -> std::string {
    return test::error_of<InvalidArgument>([&] { domain->use_streams(streams); });
  };
  EXPECT_THAT(refusal(std::span(first).first(1)),
              HasSubstr("number of streams is 1; allowed is one for each of the 3"));
  std::vector<Stream*> others = first;
  others[1] = nullptr;
  EXPECT_THAT(refusal(others), HasSubstr("stream of subdomain 1 is null; allowed are those of its device, 1"));
  others[1] = first[0];
  EXPECT_THAT(refusal(others), HasSubstr("stream of subdomain 1 is of device 0"));
  auto exchange = domain->start_exchange();
  EXPECT_THAT(refusal(first), HasSubstr("while an exchange is under way"));
  exchange.finish();
  EXPECT_EQ(refusal(first), "(no error)");
  EXPECT_THROW((void)internals(*domain).backend().borrow_stream(0, nullptr), CapabilityError);
}

INSTANTIATE_TEST_SUITE_P(routes, UserStreams,
                         testing::Values(routing::Transport::direct, routing::Transport::peer_copy,
                                         routing::Transport::mpi_staged),
                         [](const auto& param) { return std::string(routing::to_string(param.param)); });

}  // namespace
}  // namespace halocline
