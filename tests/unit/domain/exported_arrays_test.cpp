// SPDX-License-Identifier: BSD-3-Clause
// The user's own arrays that other ranks map: two ranks of host devices, whose backends export arrays in shareable buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "plan/plan.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using device::MemoryHandle;
using testing::HasSubstr;
using testing::Not;

constexpr Vec3 extent{8, 6, 12};

float value(const Vec3& p, int field) {
  const auto wrapped = [&](int dim) { return static_cast<float>((p[dim] + extent[dim]) % extent[dim]); };
  return wrapped(0) + 10 * wrapped(1) + 100 * wrapped(2) + 10000 * static_cast<float>(field);
}

/// One rank with two buffers of field u in its user's memory, 256 bytes after the begin of a shareable buffer each, and field v in the
/// library's.
class OneRank {
 public:
  explicit OneRank(comm::RankGroup& ranks) {
    device::HostOptions host;
    host.ranks_on_node = 2;
    host.always_remap = true;
    inner = device::make_host_backend(host);
    test::Said said;
    said.export_range = [this](int, const std::byte* first, std::size_t) { return exported(first); };
    backend = std::make_shared<test::ForwardingBackend>(inner, said);
    DomainOptions options;
    options.devices.existing.emplace(std::shared_ptr<device::Backend>(backend));
    options.tuning.packets_at_most_bytes = 0;  // cells are stored where they belong
    domain = std::make_unique<Domain>(extent, Stencil::box(1), ranks, options);
    u = domain->add_field<float>("u", {.buffers = 2});
    v = domain->add_field<float>("v");
    const subdomain_id id = internals(*domain).plan().placement.of_rank(ranks.rank()).front();
    const Vec3 cells = internals(*domain).geometry().with_halo(u.id, id).extent();
    const std::int64_t row = 4 * cells.x;
    for (int b = 0; b < 2; ++b) {
      buffers.push_back(inner->allocate_shareable(0, offset + static_cast<std::size_t>(4 * cells.volume())));
      domain->use_array(
          u.id, id, b,
          UserArray{buffers.back()->data() + offset, cells, {4, row, row * cells.y}, {1, 1, 1}, {1, 1, 1}});
    }
  }

  void expect_exchanged() {
    for (int step = 0; step < 2; ++step) {
      for (const Subdomain& s : domain->subdomains()) {
        for_each_cell(s.owned(), [&](const Vec3& p) {
          s.view(u)(p) = value(p, step);
          s.view(v)(p) = value(p, 5);
        });
      }
      domain->exchange();
      domain->synchronize();
      for (const Subdomain& s : domain->subdomains()) {
        const Box all = internals(*domain).geometry().with_halo(u.id, s.id());
        for_each_cell(all, [&](const Vec3& p) {
          ASSERT_EQ(s.view(u)(p), value(p, step)) << to_string(p);
          ASSERT_EQ(s.view(v)(p), value(p, 5)) << to_string(p);
        });
      }
      domain->swap(u);
    }
  }
  /// Of the message to the other rank.
  [[nodiscard]] std::string reason() const {
    for (const RoutedMessage& message : internals(*domain).routes()) {
      if (message.route.from != message.route.to) return message.route.reason;
    }
    return "none";
  }

  static constexpr std::size_t offset = 256;
  std::shared_ptr<device::Backend> inner;
  std::shared_ptr<test::ForwardingBackend> backend;
  std::vector<std::unique_ptr<device::ShareableBuffer>> buffers;
  std::unique_ptr<Domain> domain;
  Field<float> u;
  Field<float> v;
  std::vector<std::weak_ptr<const void>> held;
  std::string refused;  ///< why nothing is exported

 private:
  device::ExportedRange exported(const std::byte* first) {
    if (!refused.empty()) throw CapabilityError(refused);
    for (const auto& buffer : buffers) {
      if (buffer->data() + offset != first) continue;
      auto open = std::make_shared<const int>(0);
      held.push_back(open);
      return {{buffer->handle()}, offset, std::move(open)};
    }
    throw InternalError("an array that begins elsewhere");
  }
};

TEST(ExportedArrays, AreStoredToByTheOtherRank) {
  comm::run_as_threads(2, [](comm::RankGroup& ranks) {
    OneRank here(ranks);
    here.domain->realize();
    EXPECT_THAT(here.reason(), Not(HasSubstr("receive buffer")));
    EXPECT_EQ(here.held.size(), 2u);
    for (const auto& held : here.held) EXPECT_TRUE(held.expired()) << "the other rank has mapped it";
    here.expect_exchanged();
    here.domain->close();
  });
}

TEST(ExportedArrays, ThatTheirOwnersBackendRefusesAreFilledThroughAReceiveBuffer) {
  comm::run_as_threads(2, [](comm::RankGroup& ranks) {
    OneRank here(ranks);
    if (ranks.rank() == rank_id(1)) here.refused = "no handles";
    here.domain->realize();
    const std::vector<RoutedMessage>& routes = internals(*here.domain).routes();
    for (const RoutedMessage& message : routes) {
      if (message.route.from == message.route.to) continue;
      const bool to_first = internals(*here.domain).plan().placement.of(message.route.to).rank == rank_id(0);
      const char* const why =
          "through a receive buffer: the receiver's arrays cannot be exported: field 'u' is the user's own array, "
          "which others cannot map: no handles";
      if (to_first) {
        EXPECT_THAT(message.route.reason, Not(HasSubstr("receive buffer")));
      } else {
        EXPECT_THAT(message.route.reason, HasSubstr(why));
      }
    }
    here.expect_exchanged();
    here.domain->close();
  });
}

/// The result is the same at both ends.
TEST(ExportedArrays, ThatTheOtherRankCannotMapAreFilledThroughAReceiveBuffer) {
  comm::run_as_threads(2, [](comm::RankGroup& ranks) {
    OneRank here(ranks);
    int maps = 0;
    here.backend->before_map = [&maps](int, const MemoryHandle&) {
      if (++maps == 3) throw CapabilityError("no room");  // after the probe's own memory and one array
    };
    here.domain->realize();
    EXPECT_THAT(here.reason(), HasSubstr("through a receive buffer: the receiver's arrays cannot be exported: an array "
                                         "of rank "));
    EXPECT_THAT(here.reason(), HasSubstr("'s user: no room"));
    here.expect_exchanged();
    here.domain->close();
  });
}

}  // namespace
}  // namespace halocline
