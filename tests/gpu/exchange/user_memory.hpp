// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "gpu/exchange/gpus.hpp"
#include "gpu/mapped_memory.hpp"
#include "halocline/halocline.hpp"
#include "plan/plan.hpp"

namespace halocline::test {

/// exportable_*: with file descriptors, as PyTorch's expandable segments and pools that are made for it.
enum class From { malloc, pinned, device, pool, managed, mapped, exportable_pool, exportable_mapped };

/// Whether the GPUs have memory of a kind.
[[nodiscard]] inline bool have(From from) {
  switch (from) {
    case From::mapped: return maps_memory(0);
    case From::exportable_pool:
    case From::exportable_mapped: return exports_descriptors(0);
    default: return true;
  }
}

/// Memory of one kind, on one device by CUDA's number.
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
      case From::mapped:
        mapped_ = std::make_unique<MappedMemory>(ordinal, bytes);
        data_ = mapped_->data();
        break;
      case From::exportable_pool:
        pool_ = std::make_unique<ExportablePool>(ordinal);
        data_ = pool_->allocate(bytes);
        break;
      case From::exportable_mapped: {
        mapped_ = std::make_unique<MappedMemory>(ordinal, bytes + (std::size_t{4} << 20), 3,
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        // It begins inside the first piece and ends in another.
        data_ = static_cast<std::byte*>(mapped_->data()) + mapped_->piece_bytes() - bytes / 512 * 256;
        break;
      }
    }
  }
  Memory(Memory&& other) noexcept
      : from_(other.from_),
        data_(std::exchange(other.data_, nullptr)),
        mapped_(std::move(other.mapped_)),
        pool_(std::move(other.pool_)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (data_ == nullptr) return;
    switch (from_) {
      case From::malloc: std::free(data_); break;
      case From::pinned: EXPECT_EQ(cudaFreeHost(data_), cudaSuccess); break;
      case From::mapped:
      case From::exportable_mapped: break;
      default: EXPECT_EQ(cudaFree(data_), cudaSuccess);  // of a pool, too
    }
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  From from_;
  void* data_ = nullptr;
  std::unique_ptr<MappedMemory> mapped_;
  std::unique_ptr<ExportablePool> pool_;  // goes after its memory
};

/// Exchanges of a field in arrays of the user's.
class UserMemoryCase : public testing::Test {
 protected:
  static constexpr Vec3 extent{24, 20, 32};

  /// This rank with `devices` GPUs; arrays in memory of the given kind, of the rank's next GPU where `shifted`.
  void plan(comm::RankGroup& ranks, From from, int devices, std::vector<routing::Transport> order = {},
            bool shifted = false) {
    const rank_id rank = ranks.rank();
    DomainOptions options;
    options.devices.existing.emplace(gpus_of_rank(static_cast<int>(rank.value()) * devices, devices));
    if (!order.empty()) options.routing.policy.order = std::move(order);
    options.tuning = tuning;
    domain = std::make_unique<Domain>(extent, Stencil::box(2), ranks, options);
    u = domain->add_field<float>("u");
    const Plan& made = internals(*domain).plan();
    for (const subdomain_id id : made.placement.of_rank(rank)) {
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

  exchange::Tuning tuning;
  std::vector<Memory> memory;
  std::unique_ptr<Domain> domain;
  Field<float> u;
};

}  // namespace halocline::test
