// SPDX-License-Identifier: BSD-3-Clause
// User arrays in every kind of memory: exchanged correctly by the route that the reason names, or refused.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "halocline/halocline.hpp"
#include "plan/plan.hpp"
#include "support/error_of.hpp"

namespace halocline::test {
namespace {

using testing::HasSubstr;

enum class From { malloc, pinned, device, pool, managed };

/// Memory of one kind, on one device by CUDA's ordinal.
class Memory {
 public:
  Memory(From from, int ordinal, std::size_t bytes) : from_(from) {
    EXPECT_EQ(cudaSetDevice(ordinal), cudaSuccess);
    switch (from) {
      case From::malloc: data_ = std::malloc(bytes); break;
      case From::pinned: EXPECT_EQ(cudaMallocHost(&data_, bytes), cudaSuccess); break;
      case From::device: EXPECT_EQ(cudaMalloc(&data_, bytes), cudaSuccess); break;
      case From::managed: EXPECT_EQ(cudaMallocManaged(&data_, bytes), cudaSuccess); break;
      case From::pool:
        EXPECT_EQ(cudaMallocAsync(&data_, bytes, cudaStreamPerThread), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
        break;
    }
  }
  Memory(Memory&& other) noexcept : from_(other.from_), data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (data_ == nullptr) return;
    switch (from_) {
      case From::malloc: std::free(data_); break;
      case From::pinned: EXPECT_EQ(cudaFreeHost(data_), cudaSuccess); break;
      default: EXPECT_EQ(cudaFree(data_), cudaSuccess);  // also for memory of a pool
    }
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  From from_;
  void* data_ = nullptr;
};

class GpuUserMemory : public testing::Test {
 protected:
  static constexpr Vec3 extent{24, 20, 32};

  /// One rank with the first `devices` GPUs; arrays in memory of the given kind, of the next GPU if `shifted`.
  void plan(From from, int devices, bool shifted = false) {
    DomainOptions options;
    options.devices.existing.emplace(gpus_of_rank(0, devices));
    domain = std::make_unique<Domain>(extent, Stencil::box(2), options);
    u = domain->add_field<float>("u");
    const Plan& made = internals(*domain).plan();
    for (const subdomain_id id : made.placement.of_rank(rank_id(0))) {
      const Vec3 cells = internals(*domain).geometry().with_halo(u.id, id).extent();
      const int device = made.placement.of(id).ordinal;
      const int ordinal = internals(*domain).backend().info(shifted ? (device + 1) % devices : device).native_ordinal;
      memory.emplace_back(from, ordinal, static_cast<std::size_t>(cells.volume()) * sizeof(float));
      const auto row = static_cast<std::int64_t>(sizeof(float)) * cells.x;
      const auto element = static_cast<std::int64_t>(sizeof(float));
      domain->use_array(u.id, id, 0,
                        UserArray{memory.back().data(), cells, {element, row, row * cells.y}, {2, 2, 2}, {2, 2, 2}});
    }
  }
  void TearDown() override {
    if (domain) domain->close();
    memory.clear();
  }

  static float value(const Vec3& p, int step) {
    Vec3 q = p;
    for (int dim = 0; dim < 3; ++dim) q[dim] = (p[dim] + extent[dim]) % extent[dim];
    return static_cast<float>(q.x + 24 * (q.y + 20 * q.z)) + static_cast<float>(step) / 8;
  }
  void expect_exchanged() {
    for (int step = 0; step < 3; ++step) {
      for (const Subdomain& s : domain->subdomains()) {
        const auto cells = to_host(s, u);
        for_each_cell(cells.view().with_halo(),
                      [&](const Vec3& p) { cells(p) = s.owned().contains(p) ? value(p, step) : -1; });
        cells.upload(s, u);
      }
      domain->exchange();
      domain->synchronize();
      for (const Subdomain& s : domain->subdomains()) {
        const auto cells = to_host(s, u);
        int wrong = 0;
        for_each_cell(cells.view().with_halo(), [&](const Vec3& p) { wrong += cells(p) == value(p, step) ? 0 : 1; });
        EXPECT_EQ(wrong, 0) << "subdomain " << s.id().value() << ", step " << step;
      }
    }
  }
  [[nodiscard]] std::string reason() const {
    for (const RoutedMessage& message : internals(*domain).routes()) {
      if (message.route.from != message.route.to) return message.route.reason;
    }
    return "no message between two subdomains";
  }

  std::vector<Memory> memory;
  std::unique_ptr<Domain> domain;
  Field<float> u;
};

TEST_F(GpuUserMemory, OfTheDeviceIsExchanged) {
  HALOCLINE_NEEDS_GPUS(1);
  for (const From from : {From::device, From::pool, From::managed, From::pinned}) {
    plan(from, 1);
    domain->realize();
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}

TEST_F(GpuUserMemory, OfPlainAllocationsIsStoredToByOtherGpus) {
  HALOCLINE_NEEDS_GPUS(2);
  plan(From::device, 2);
  domain->realize();
  const Verdict access = internals(*domain).backend().peer_access(0, 1);
  if (!access.yes) GTEST_SKIP() << "no peer access: " << access.why_not;
  EXPECT_THAT(reason(), HasSubstr("direct: same process, peer access yes"));
  expect_exchanged();
}

TEST_F(GpuUserMemory, ThatPeerAccessDoesNotCoverIsNotStoredToByOtherGpus) {
  HALOCLINE_NEEDS_GPUS(2);
  for (const From from : {From::pool, From::managed, From::pinned}) {
    plan(from, 2);
    domain->realize();
    EXPECT_THAT(reason(), HasSubstr("peer_copy: "));
    EXPECT_THAT(reason(), HasSubstr("other devices do not store to the receiver's arrays: field 'u' is in "));
    expect_exchanged();
    TearDown();
    domain.reset();
  }
}

TEST_F(GpuUserMemory, OfTheHostIsRefused) {
  HALOCLINE_NEEDS_GPUS(1);
  plan(From::malloc, 1);
  EXPECT_THAT(
      error_of<InvalidArgument>([&] { domain->realize(); }),
      HasSubstr("array of field 'u' of subdomain 0 begins in memory of the host that CUDA does not know (malloc); "
                "allowed are memory of device 0 ("));
}

TEST_F(GpuUserMemory, OfAnotherGpuIsRefused) {
  HALOCLINE_NEEDS_GPUS(2);
  for (const From from : {From::device, From::pool}) {
    plan(from, 2, true);
    EXPECT_THAT(error_of<InvalidArgument>([&] { domain->realize(); }),
                HasSubstr("of device 1; allowed are memory of device 0 ("));
    domain.reset();
    memory.clear();
  }
}

}  // namespace
}  // namespace halocline::test
