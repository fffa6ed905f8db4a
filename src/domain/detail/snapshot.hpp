// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "halocline/domain.hpp"

namespace halocline {

/// Owned cells of a rank's subdomains in pinned host memory: x fastest, the components of a cell together. The memory is allocated
/// once. Refers to the domain.
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
    std::int64_t cell_bytes = 0;
    std::unique_ptr<device::Buffer> memory{};

    [[nodiscard]] std::span<std::byte> bytes() const {
      return {memory->data(), static_cast<std::size_t>(cell_bytes * box.volume())};
    }
  };

  /// The fields that are asked for, or all fields if there are none. call: for errors. Throws InvalidArgument for a field
  /// that the domain does not have, or has twice in the list, and unless the domain is realized.
  [[nodiscard]] static std::vector<field_id> fields_of(const Domain& domain, const std::vector<field_id>& asked,
                                                       std::string_view call);

  /// within: cells elsewhere are left out.
  Snapshot(const Domain& domain, std::vector<Item> items, const Box& within);
  Snapshot(const Domain& domain, std::vector<Item> items);
  Snapshot(const Snapshot&) = delete;  // streams may be writing into its memory
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();  ///< waits for copies

  /// By item, then by subdomain.
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

  /// Enqueues copies to this, after the work in the subdomains' streams. call: for errors. Throws InvalidArgument within a capture.
  void download(std::string_view call);
  /// Whether the copies are done. Any thread may call it. Throws the error of a failed stream.
  [[nodiscard]] bool done() const;
  /// Blocks until the copies are done. Throws the error of a failed stream.
  void wait();
  /// Enqueues copies from this to the current buffers, and waits for them.
  void upload(std::string_view call);

 private:
  void copy(bool up, std::string_view call);

  const Domain* domain_;
  device::Backend* backend_;
  std::vector<Item> items_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<device::Event>> copied_;  ///< by subdomain
  bool under_way_ = false;
};

}  // namespace halocline
