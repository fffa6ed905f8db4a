// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/rank_group.hpp"
#include "comm/requests.hpp"
#include "comm/shared_file.hpp"

namespace halocline::test {

/// Forwards to another RankGroup, with properties and message faults set by a test.
class ForwardingCommunicator : public comm::RankGroup {
 public:
  /// inner must outlive it.
  explicit ForwardingCommunicator(comm::RankGroup& inner) : inner_(&inner) {}

  comm::DeviceSupport support;
  bool fail_to_send = false;
  bool spoil_large = false;  ///< changes a byte in the middle of messages of at least 1024 bytes
  int sent = 0;
  std::int64_t* sent_bytes = nullptr;      ///< counts what is sent here and in groups that split() makes
  bool hold_messages = false;              ///< no message is sent or received
  std::vector<std::span<std::byte>> held;  ///< the buffers of held receives
  /// Persistent sends are complete at once, and leave with a later call of make_progress() or of a collective, as an MPI may have them in
  /// a queue of its own. Also in groups that split() makes.
  bool late_writes = false;
  /// What a roll call gives. Also in groups that split() makes.
  std::string found_missing;

  [[nodiscard]] comm::DeviceSupport device_support() const override { return support; }
  [[nodiscard]] std::unique_ptr<comm::Request> send(std::span<const std::byte> bytes, rank_id to, int tag) override {
    if (fail_to_send) throw CommunicationError("planted");
    ++sent;
    if (sent_bytes != nullptr) *sent_bytes += std::ssize(bytes);
    if (hold_messages) return std::make_unique<Held>();
    if (!spoil_large || bytes.size() < 1024) return inner_->send(bytes, to, tag);
    std::vector<std::byte> spoiled(bytes.begin(), bytes.end());
    spoiled[bytes.size() / 2] ^= std::byte{1};
    return inner_->send(spoiled, to, tag);  // a local send is copied at once
  }

  [[nodiscard]] comm::CommBackend backend() const override { return inner_->backend(); }
  [[nodiscard]] rank_id rank() const override { return inner_->rank(); }
  [[nodiscard]] int size() const override { return inner_->size(); }
  [[nodiscard]] const Clock& clock() const override { return inner_->clock(); }
  [[nodiscard]] std::unique_ptr<comm::Request> receive(std::span<std::byte> bytes, rank_id from, int tag) override {
    if (hold_messages) {
      held.push_back(bytes);
      return std::make_unique<Held>();
    }
    return inner_->receive(bytes, from, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_send(std::span<const std::byte> bytes, rank_id to,
                                                                         int tag) override {
    if (late_writes) return std::make_unique<Late>(*this, bytes, to, tag);
    return inner_->persistent_send(bytes, to, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_receive(std::span<std::byte> bytes, rank_id from,
                                                                            int tag) override {
    return inner_->persistent_receive(bytes, from, tag);
  }
  [[nodiscard]] std::unique_ptr<comm::PersistentRequest> persistent_receive_at_most(std::span<std::byte> bytes,
                                                                                    rank_id from, int tag) override {
    return inner_->persistent_receive_at_most(bytes, from, tag);
  }
  [[nodiscard]] Verdict concurrent() const override { return inner_->concurrent(); }
  [[nodiscard]] std::unique_ptr<comm::ConcurrentCaller> concurrent_caller() override {
    return inner_->concurrent_caller();
  }
  void make_progress() override { writing()->make_progress(); }
  void barrier() override { writing()->barrier(); }
  void broadcast(std::vector<std::byte>& bytes, rank_id root) override { writing()->broadcast(bytes, root); }
  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) override {
    return writing()->all_gather(bytes);
  }
  void all_reduce(std::span<double> values, comm::Reduction reduction) override {
    writing()->all_reduce(values, reduction);
  }
  void all_reduce(std::span<std::int64_t> values, comm::Reduction reduction) override {
    writing()->all_reduce(values, reduction);
  }
  using RankGroup::all_reduce;
  [[nodiscard]] std::unique_ptr<comm::RankGroup> split(int colour, int key) override {
    auto group = inner_->split(colour, key);
    if (sent_bytes == nullptr && !late_writes && found_missing.empty()) return group;
    auto made = std::make_unique<ForwardingCommunicator>(*group);
    made->owned_ = std::move(group);
    made->sent_bytes = sent_bytes;
    made->late_writes = late_writes;
    made->found_missing = found_missing;
    return made;
  }
  [[nodiscard]] std::unique_ptr<comm::RankGroup> split_by_node(std::optional<int> ranks_per_node) override {
    return inner_->split_by_node(ranks_per_node);
  }
  [[nodiscard]] std::unique_ptr<comm::SharedWindow> shared_window(std::size_t bytes) override {
    return inner_->shared_window(bytes);
  }
  [[nodiscard]] std::unique_ptr<comm::SharedFile> open_shared_file(const std::string& path, const std::string& what,
                                                                   std::int64_t bytes) override {
    return inner_->open_shared_file(path, what, bytes);
  }
  void close() override { inner_->close(); }
  void poison() noexcept override { inner_->poison(); }
  [[nodiscard]] std::string missing() override { return found_missing.empty() ? inner_->missing() : found_missing; }
  [[nodiscard]] std::string lost() override { return inner_->lost(); }
  [[nodiscard]] bool poisoned() const noexcept override { return inner_->poisoned(); }

 protected:
  [[nodiscard]] comm::RankGroup& inner() const { return *inner_; }

 private:
  class Held final : public comm::Request {
    [[nodiscard]] bool test() override { return false; }
  };
  class Late final : public comm::PersistentRequest {
   public:
    Late(ForwardingCommunicator& comm, std::span<const std::byte> bytes, rank_id to, int tag)
        : comm_(&comm), bytes_(bytes), copy_(bytes.size()), request_(comm.inner_->persistent_send(copy_, to, tag)) {}
    ~Late() override { std::erase(comm_->queue_, this); }
    void start() override {
      if (std::ranges::find(comm_->queue_, this) != comm_->queue_.end()) static_cast<void>(comm_->writing());
      while (!request_->test()) std::this_thread::yield();
      std::ranges::copy(bytes_, copy_.begin());
      comm_->queue_.push_back(this);
    }
    [[nodiscard]] bool test() override { return true; }
    void write() { request_->start(); }

   private:
    ForwardingCommunicator* comm_;
    std::span<const std::byte> bytes_;
    std::vector<std::byte> copy_;
    std::unique_ptr<comm::PersistentRequest> request_;
  };
  comm::RankGroup* writing() {
    for (Late* late : std::exchange(queue_, {})) late->write();
    return inner_;
  }

  std::vector<Late*> queue_;
  comm::RankGroup* inner_;
  std::unique_ptr<comm::RankGroup> owned_;
};

}  // namespace halocline::test
