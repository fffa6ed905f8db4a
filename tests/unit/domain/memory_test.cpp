// SPDX-License-Identifier: BSD-3-Clause
// The memory of a domain by its use: the parts add up to what the backend has allocated, and explain() states them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/local_ranks.hpp"
#include "device/backend.hpp"
#include "device/host.hpp"
#include "device/memory_account.hpp"
#include "domain/internals.hpp"
#include "halocline/halocline.hpp"
#include "support/forwarding_backend.hpp"

namespace halocline {
namespace {

using device::pinned_host;
using device::Purpose;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// The bytes of buffers that exist, by device.
using Sums = std::map<int, std::int64_t>;

/// Another backend's buffer.
class SummedBuffer final : public device::ShareableBuffer {
 public:
  SummedBuffer(std::unique_ptr<device::Buffer> inner, std::shared_ptr<Sums> sums, int device)
      : inner_(std::move(inner)), sums_(std::move(sums)), device_(device) {
    (*sums_)[device_] += static_cast<std::int64_t>(bytes());
  }
  ~SummedBuffer() override { (*sums_)[device_] -= static_cast<std::int64_t>(bytes()); }
  SummedBuffer(const SummedBuffer&) = delete;
  SummedBuffer& operator=(const SummedBuffer&) = delete;
  [[nodiscard]] std::byte* data() const override { return inner_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return inner_->bytes(); }
  [[nodiscard]] device::MemoryHandle handle() const override {
    return dynamic_cast<const device::ShareableBuffer&>(*inner_).handle();
  }

 private:
  std::unique_ptr<device::Buffer> inner_;
  std::shared_ptr<Sums> sums_;
  int device_;
};

/// A host backend that adds up what it has allocated. One thread allocates and frees.
class SummingBackend final : public test::ForwardingBackend {
 public:
  explicit SummingBackend(const device::HostOptions& host) : ForwardingBackend(device::make_host_backend(host), {}) {}
  [[nodiscard]] std::int64_t bytes(int device) const { return (*sums_)[device]; }

  std::unique_ptr<device::Buffer> allocate(int device, std::size_t bytes) override {
    return summed(ForwardingBackend::allocate(device, bytes), device);
  }
  std::unique_ptr<device::ShareableBuffer> allocate_shareable(int device, std::size_t bytes) override {
    return summed(ForwardingBackend::allocate_shareable(device, bytes), device);
  }
  std::unique_ptr<device::Buffer> allocate_for_messages(int device, std::size_t bytes) override {
    return summed(ForwardingBackend::allocate_for_messages(device, bytes), device);
  }
  std::unique_ptr<device::Buffer> allocate_pinned(std::size_t bytes) override {
    return summed(ForwardingBackend::allocate_pinned(bytes), pinned_host);
  }
  std::unique_ptr<device::FusedExchange> fuse(int device, const device::FusedPlan& plan) override {
    make_table(device);
    return ForwardingBackend::fuse(device, plan);
  }
  std::unique_ptr<device::SumList> prepare_sums(int device, std::span<const device::StridedSum> sums) override {
    make_table(device);
    return ForwardingBackend::prepare_sums(device, sums);
  }
  std::unique_ptr<device::ReductionList> prepare_reductions(
      int device, std::span<const device::StridedReduction> reductions) override {
    make_table(device);
    return ForwardingBackend::prepare_reductions(device, reductions);
  }
  void free_tables() { tables_.clear(); }

 private:
  [[nodiscard]] std::unique_ptr<SummedBuffer> summed(std::unique_ptr<device::Buffer> inner, int device) const {
    return std::make_unique<SummedBuffer>(std::move(inner), sums_, device);
  }
  /// As a backend of GPUs does.
  void make_table(int device) {
    const device::CountMemory counted(Purpose::tables);
    tables_.push_back(allocate(device, 100));
  }
  std::shared_ptr<Sums> sums_ = std::make_shared<Sums>();
  std::vector<std::unique_ptr<device::Buffer>> tables_;
};

constexpr int devices = 2;
constexpr Vec3 extent{16, 12, 16};

/// One rank of two devices.
struct OneRank {
  explicit OneRank(comm::RankGroup& ranks, const std::string& transports = "self,direct") {
    device::HostOptions host;
    host.devices = devices;
    host.ranks_on_node = static_cast<int>(ranks.size());
    backend = std::make_shared<SummingBackend>(host);
    DomainOptions options;
    options.devices.existing.emplace(std::shared_ptr<device::Backend>(backend));
    options.partition.method = partition::Method::given;
    options.partition.device_grid = Vec3{1, 1, devices * ranks.size()};
    options.routing.policy = routing::Policy::parse(transports);
    domain = std::make_unique<Domain>(extent, Stencil::box(1), ranks, options);
    u = domain->add_field<double>("u", {.buffers = 2});
    v = domain->add_field<float>("v");
    sum = domain->add_reduction(u, Reduce::sum);
  }
  [[nodiscard]] std::int64_t counted(int device, Purpose purpose) const {
    return internals(*domain).memory().bytes(device, purpose);
  }
  void expect_all_counted(const char* when) const {
    for (const int device : {0, 1, pinned_host}) {
      EXPECT_EQ(internals(*domain).memory().bytes(device), backend->bytes(device)) << when << ", device " << device;
    }
  }
  /// Of the fields, on one device.
  [[nodiscard]] std::int64_t bytes_of_cells(int device) const {
    std::int64_t bytes = 0;
    for (const Subdomain& s : domain->subdomains()) {
      const Vec3 cells = s.owned().extent() + Vec3::filled(2);
      if (s.device() == device) bytes += cells.volume() * (2 * 8 + 4);
    }
    return bytes;
  }

  std::shared_ptr<SummingBackend> backend;
  std::unique_ptr<Domain> domain;
  Field<double> u;
  Field<float> v;
  reduction_id sum;
};

class MemoryBy : public testing::TestWithParam<const char*> {};

TEST_P(MemoryBy, AddsUpToWhatTheBackendHasAllocated) {
  comm::run_as_threads(2, [](comm::RankGroup& ranks) {
    const OneRank here(ranks, GetParam());
    here.domain->realize();
    here.expect_all_counted("realized");
    for (int device = 0; device < devices; ++device) {
      const std::int64_t cells = here.bytes_of_cells(device);
      EXPECT_GE(here.counted(device, Purpose::cells), cells);
      EXPECT_LT(here.counted(device, Purpose::cells), 4 * cells) << "rows of 20 cells, padded to cache lines";
      EXPECT_GT(here.counted(device, Purpose::messages), 0);
      EXPECT_GT(here.counted(device, Purpose::other), 0) << "the reduction's numbers";
    }
    const bool staged = std::string(GetParam()).ends_with("mpi_staged");
    EXPECT_EQ(here.counted(pinned_host, Purpose::messages) > 0, staged);
    here.domain->exchange();
    here.expect_all_counted("exchanged");
    here.domain->reduce(here.sum);
    here.expect_all_counted("reduced");
    here.domain->accumulate();
    here.expect_all_counted("accumulated");
    EXPECT_GT(here.counted(0, Purpose::tables), 0);
    here.domain->synchronize();
    const std::vector<double> speeds(here.domain->subdomains().size(), ranks.rank() == rank_id(0) ? 1. : 3.);
    here.domain->rebalance(speeds);
    here.expect_all_counted("rebalanced");
    here.domain->close();
    here.backend->free_tables();
    here.expect_all_counted("closed");
    for (const int device : {0, 1, pinned_host}) EXPECT_EQ(here.backend->bytes(device), 0);
  });
}
INSTANTIATE_TEST_SUITE_P(transports, MemoryBy,
                         testing::Values("self,direct", "self,peer_copy,ipc_copy", "self,mpi_staged"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace(name, ',', '_');
                           return name;
                         });

TEST(DomainMemory, IsExplained) {
  comm::run_as_threads(2, [](comm::RankGroup& ranks) {
    const OneRank here(ranks);
    here.domain->realize();
    const std::string text = here.domain->explain();
    EXPECT_THAT(text, HasSubstr(ranks.rank() == rank_id(0)
                                    ? "\nmemory     of rank 0              device 0     device 1  pinned host\n"
                                    : "\nmemory     of rank 1              device 2     device 3  pinned host\n"));
    // Subdomains of 16 x 12 x 4 cells: 18 x 14 x 6 with halos, of 20 bytes.
    EXPECT_EQ(here.bytes_of_cells(0), 30240);
    EXPECT_THAT(text, ContainsRegex("\n           cells with halos +29.5 KiB +29.5 KiB +0 B\n"));
    EXPECT_THAT(text, ContainsRegex("\n           padding .* KiB +0 B\n           messages .*\n           tables .*\n"
                                    "           other .*\n           all .* 8 B\n"));
    EXPECT_THAT(text, Not(HasSubstr("own arrays")));
    EXPECT_THAT(text, Not(HasSubstr("CUDA")));
    here.domain->close();
  });
}

TEST(DomainMemory, HasNoCellsForArraysOfTheUser) {
  comm::run_as_threads(1, [](comm::RankGroup& ranks) {
    const OneRank here(ranks);
    here.domain->plan();
    std::vector<std::vector<double>> arrays;
    for (const Subdomain& s : here.domain->subdomains()) {
      const Vec3 cells = s.owned().extent() + Vec3::filled(2);
      for (int buffer = 0; buffer < 2; ++buffer) {
        arrays.emplace_back(static_cast<std::size_t>(cells.volume()));
        const std::int64_t row = 8 * cells.x;
        here.domain->use_array(here.u.id, s.id(), buffer,
                               UserArray{arrays.back().data(), cells, {8, row, row * cells.y}, {1, 1, 1}, {1, 1, 1}});
      }
    }
    here.domain->realize();
    here.expect_all_counted("realized");
    // Subdomains of 16 x 12 x 8 cells: 18 x 14 x 10 with halos, of 4 bytes here and 16 bytes in the user's arrays.
    EXPECT_THAT(here.domain->explain(), ContainsRegex("\n           cells with halos +9.8 KiB +9.8 KiB +0 B\n"));
    EXPECT_THAT(here.domain->explain(), ContainsRegex("\n           user's own arrays +39.4 KiB +39.4 KiB +0 B\n"));
    here.domain->close();
  });
}

TEST(DomainMemory, IsItsOwnWhereDomainsShareABackend) {
  comm::run_as_threads(1, [](comm::RankGroup& ranks) {
    const OneRank first(ranks);
    first.domain->realize();
    first.domain->exchange();
    const std::int64_t of_first = first.backend->bytes(0);
    DomainOptions options;
    options.devices.existing.emplace(std::shared_ptr<device::Backend>(first.backend));
    Domain second(extent, Stencil::box(2), ranks, options);
    second.add_field<double>("w");
    second.realize();
    second.exchange();
    first.domain->exchange();
    EXPECT_EQ(internals(*first.domain).memory().bytes(0), of_first);
    EXPECT_EQ(internals(second).memory().bytes(0), first.backend->bytes(0) - of_first);
    second.close();
    EXPECT_EQ(internals(second).memory().bytes(0), internals(second).memory().bytes(0, Purpose::tables));
    EXPECT_EQ(internals(*first.domain).memory().bytes(0), of_first);
    first.domain->close();
  });
}

}  // namespace
}  // namespace halocline
