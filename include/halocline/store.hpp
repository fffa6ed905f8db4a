// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/communicator.hpp"

#pragma GCC visibility push(default)
namespace halocline::comm {

/// Key-value pairs that all ranks access, such as torch.distributed's stores: how ranks find each other without MPI. Derive from it and
/// make a Communicator by from_store(). One thread of a rank at a time calls it, and any thread may.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// Stores a value of at most 1 MiB under a new key. Once a key is there for another rank, those that this rank set before are, too.
  virtual void set(const std::string& key, std::span<const std::byte> value) = 0;
  /// Removes a key and returns its value; nothing if the key is not there (yet). Does not wait.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> take(const std::string& key) = 0;
};

/// The communicator of `size` processes that share a store, of which this is the rank-th. name: differs between the communicators that
/// are made with one store; the same on all ranks. Does not communicate. Throws InvalidArgument for a rank or size that cannot be.
///
/// Domains use it to be set up, and exchange through shared memory and CUDA IPC only: there is no route between two nodes. Processes
/// that do not see each other (containers with process numbers of their own) count as nodes of their own. What a failed run leaves in the store
/// stays there.
[[nodiscard]] Communicator from_store(std::shared_ptr<Store> store, const std::string& name, int rank, int size,
                                      Duration timeout = std::chrono::seconds(120));

}  // namespace halocline::comm
#pragma GCC visibility pop
