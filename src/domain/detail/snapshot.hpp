// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "domain/detail/host_copy.hpp"
#include "halocline/domain.hpp"
#include "halocline/error.hpp"
#include "partition/halo.hpp"

namespace halocline {

/// The cells that a subdomain owns of a field, and its halo beyond open ends: of all subdomains together, each cell once.
[[nodiscard]] Box cells_with_open_ends(const partition::Geometry& geometry, field_id field, subdomain_id subdomain);

/// Owned cells of a rank's subdomains in pinned host memory: x fastest, components one after another. The memory is allocated once.
/// Refers to the domain. Copies throw InvalidArgument after Domain::rebalance, of which call names the owner.
class Snapshot {
 public:
  /// A buffer of a field: the current one after `ahead` swaps.
  struct Item {
    field_id field;
    int ahead = 0;
  };
  /// The owned cells of one subdomain in one buffer of a field.
  struct Part {
    std::size_t item = 0;
    std::size_t position = 0;  ///< of the subdomain in Domain::subdomains()
    Box box;
    std::int64_t element_bytes = 0;
    int components = 1;
    std::unique_ptr<device::Buffer> memory{};

    [[nodiscard]] std::int64_t component_bytes() const { return element_bytes * box.volume(); }
    /// Throws DeviceError after copies that could not be ended.
    [[nodiscard]] std::span<std::byte> bytes() const {
      if (memory == nullptr) throw DeviceError("the host memory of a copy was given up with copies under way");
      return {memory->data(), static_cast<std::size_t>(component_bytes() * components)};
    }
  };

  /// The fields that are asked for, or all fields if there are none. call: for errors. Throws InvalidArgument for a field
  /// that the domain does not have, or has twice in the list, and unless the domain is realized.
  [[nodiscard]] static std::vector<field_id> fields_of(const Domain& domain, const std::vector<field_id>& asked,
                                                       std::string_view call);

  /// within: cells elsewhere are left out.
  Snapshot(const Domain& domain, std::vector<Item> items, const Box& within);
  Snapshot(const Domain& domain, std::vector<Item> items);
  /// Of cells_with_open_ends().
  [[nodiscard]] static std::unique_ptr<Snapshot> with_open_ends(const Domain& domain, std::vector<Item> items);
  /// With all halos.
  [[nodiscard]] static std::unique_ptr<Snapshot> with_halos(const Domain& domain, std::vector<Item> items);
  Snapshot(const Snapshot&) = delete;  // streams may be writing into its memory
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();  ///< waits for copies

  /// By item, then by subdomain.
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

  /// Throws InvalidArgument after rebalance(), and within a capture. call: for errors.
  void check_usable(std::string_view call) const;
  /// Enqueues copies to this, after the work in the subdomains' streams. Throws as check_usable() does.
  void download(std::string_view call);
  /// Whether the copies are done. Any thread may call it. Throws the error of a failed stream.
  [[nodiscard]] bool done() const;
  /// Blocks until the copies are done. Throws the error of a failed stream.
  void wait();
  /// Enqueues copies from this to the current buffers, and waits for them.
  void upload(std::string_view call);

 private:
  using BoxOf = std::function<Box(field_id, const Subdomain&)>;
  Snapshot(const Domain& domain, std::vector<Item> items, const BoxOf& box_of);
  void copy(CopyTo to, std::string_view call);
  /// For use when copies were enqueued without an event after them: waits for them, or leaks the memory.
  void end_copies() noexcept;

  const Domain* domain_;
  device::Backend* backend_;
  std::vector<Item> items_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<device::Event>> copied_;  ///< by subdomain
  bool under_way_ = false;
  std::int64_t rebalanced_;  ///< when the snapshot was made
};

}  // namespace halocline
