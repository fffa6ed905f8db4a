// SPDX-License-Identifier: BSD-3-Clause
// Messages of mpi_staged that travel as one message of MPI, a bundle: one header, then the payloads one after the other, from one
// rank to another (docs/decisions/0069) or from one node to another (docs/decisions/0071).
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/requests.hpp"
#include "core/leak.hpp"
#include "device/flag.hpp"
#include "exchange/transport/mpi_parts.hpp"

namespace halocline::exchange {

/// A bundle at one of its ends. The two ends list the same messages in the same order.
struct BundleSite {
  std::vector<const Channel*> channels;  ///< between nodes also messages of other ranks of the node
  rank_id leader;                        ///< of this end: the rank that calls MPI
  /// Of the other end. Unset between nodes, until the two ends are connected.
  std::optional<rank_id> other_leader = std::nullopt;
  int tag = 0;
  /// In memory of the node, zero-filled, of BundleMemory::bytes(); null if all messages of this end are this rank's.
  std::shared_ptr<std::byte> shared = nullptr;
};

/// What the leader posts for the other ranks of its node: its bundle of an exchange has left, or this much of it is here.
struct alignas(64) LeaderFlag {
  std::uint64_t epoch = 0;
  std::uint64_t bytes = 0;  ///< of the payloads
};

/// What a rank posts for a leader on another rank, in the order of its stream: its part is packed, or may be overwritten.
struct PartFlag {
  alignas(64) std::uint64_t count = 0;  ///< of exchanges, for Stream::advance(); of a subdomain's first part only
  device::Flag done{};
};

/// The memory of a bundle on the host: flags, if ranks share it, then the header and the payloads.
class BundleMemory {
 public:
  /// Of BundleSite::shared; a multiple of 64.
  [[nodiscard]] static std::size_t bytes(const std::vector<const Channel*>& channels);

  BundleMemory(const BundleSite& site, device::Backend& backend);

  [[nodiscard]] std::byte* message() const {
    return shared_ ? shared_.get() + sizeof(LeaderFlag) + parts_ * sizeof(PartFlag) : own_.get();
  }
  /// Null if the memory is not shared.
  [[nodiscard]] LeaderFlag* leader() const { return reinterpret_cast<LeaderFlag*>(shared_.get()); }
  [[nodiscard]] PartFlag& part(std::size_t n) const {
    return reinterpret_cast<PartFlag*>(shared_.get() + sizeof(LeaderFlag))[n];
  }
  void put_header(const Header& header) const;
  [[nodiscard]] Header header() const;
  /// MPI may still use it.
  void keep() noexcept {
    leak(std::move(own_));
    leak(std::move(shared_));
  }

 private:
  std::size_t parts_;
  std::shared_ptr<std::byte> shared_;
  std::shared_ptr<std::byte> own_;  ///< if it is not shared
};

/// Where the payloads of a bundle lie in a selection, and the chunks in which it is sent.
struct BundleLayout {
  std::vector<Payload> payloads;    ///< by message
  std::vector<std::size_t> begins;  ///< of the payloads; then the bytes of all
  std::vector<Chunk> chunks;
  std::vector<std::unique_ptr<comm::PersistentRequest>> requests;  ///< by chunk; the leader's
};

/// What the ends of a bundle on one rank share. The leader calls MPI; it finds in flags what other ranks have packed and unpacked.
class Bundle {
 public:
  using Done = std::function<bool()>;

  [[nodiscard]] const Payload& payload(const ExchangePlan& plan, std::size_t part) const {
    return layouts_.of(plan).payloads[part];
  }
  [[nodiscard]] std::byte* payload_at(const ExchangePlan& plan, std::size_t part) const {
    return memory_.message() + sizeof(Header) + layouts_.of(plan).begins[part];
  }
  [[nodiscard]] const Channel& channel(std::size_t part) const { return *site_.channels[part]; }
  /// The chunk with which a part is complete.
  [[nodiscard]] std::size_t last_chunk(const ExchangePlan& plan, std::size_t part) const;
  /// A part of this rank. done: whether it is packed, or its payload has left the memory since it arrived last.
  void add(std::size_t part, Done done) { own_[part] = std::move(done); }
  /// The first part of this rank.
  [[nodiscard]] std::size_t first() const;
  /// By which a leader on another rank finds that parts of this rank are done, with the word that counts exchanges in the order of a
  /// stream. None if the leader is this rank.
  [[nodiscard]] std::vector<device::FlagSignal> signals(std::span<const std::size_t> parts,
                                                        const ExchangePlan& plan) const;
  [[nodiscard]] std::uint64_t* count_of(std::size_t part) const { return &memory_.part(part).count; }
  /// Between nodes, each end publishes its leader.
  void publish(ByteWriter& writer) const {
    if (between_nodes_) writer.put(site_.leader);
  }
  void connect(ByteReader& reader) {
    if (between_nodes_) site_.other_leader = reader.get<rank_id>();
  }

 protected:
  using MakeRequest = std::function<std::unique_ptr<comm::PersistentRequest>(std::span<std::byte>)>;

  Bundle(BundleSite site, Context& context, rank_id me);

  /// Once for each plan.
  void prepare(const ExchangePlan& plan, const MakeRequest& make_request);
  void begin(const ExchangePlan& plan);
  /// False if the ends of the bundle have asked in this pass before.
  [[nodiscard]] bool new_pass() { return std::exchange(pass_, context_->pass) != context_->pass; }
  /// On the leader: whether a part was done in exchange `in`. Throws ProtocolError if its rank exchanges something else in the present
  /// exchange.
  [[nodiscard]] bool part_done(std::size_t part, std::uint64_t in) const;
  /// By the leader, for the other ranks.
  void post(std::size_t bytes) const;
  /// The bytes that the leader has posted in this exchange, or in a later one.
  [[nodiscard]] std::optional<std::size_t> posted() const;
  /// The leader's operation of the host for all messages.
  [[nodiscard]] std::size_t describe_transfer(device::Work work, const char* verb) const;
  [[nodiscard]] std::string chunk_text(std::size_t chunk) const;
  /// What another rank than the leader waits for.
  [[nodiscard]] std::string leader_text(const char* verb) const;
  void ran(std::size_t transfer) {
    if (context_->tracer != nullptr) context_->tracer->ran(transfer, begun_, device::Tracer::now());
  }
  void note_begin() {
    if (context_->tracer != nullptr) begun_ = device::Tracer::now();
  }

  Context* context_;
  BundleSite site_;
  rank_id me_;
  bool between_nodes_;
  bool leads_;
  BundleMemory memory_;
  std::vector<Done> own_;  ///< by part; empty for parts of other ranks
  Prepared<BundleLayout> layouts_;
  const BundleLayout* layout_ = nullptr;
  Header expected_;  ///< in the present exchange
  std::uint64_t epoch_ = 0;
  std::uint64_t pass_ = 0;
  Duration begun_{};  ///< for the tracer
};

/// A chunk is sent as soon as all messages that it has bytes of are packed.
class OutgoingBundle final : public Bundle {
 public:
  OutgoingBundle(BundleSite site, Context& context, rank_id me);
  OutgoingBundle(const OutgoingBundle&) = delete;
  OutgoingBundle& operator=(const OutgoingBundle&) = delete;
  /// After a failure: a message that is under way is still read.
  ~OutgoingBundle();

  void prepare(const ExchangePlan& plan);
  void start(const ExchangePlan& plan);
  /// Of all ends, once in a pass. True if the whole bundle has left.
  [[nodiscard]] bool progress();
  [[nodiscard]] std::string state(std::size_t part) const;

 private:
  [[nodiscard]] bool all_sent() const;
  [[nodiscard]] bool proceed();

  bool left_ = false;        ///< the whole bundle
  std::size_t packed_ = 0;   ///< messages that are packed, without a gap
  std::size_t started_ = 0;  ///< chunks whose send was started
  std::size_t done_ = 0;     ///< chunks whose send is complete
  std::size_t transfer_;     ///< for the tracer
};

/// A message is unpacked as soon as all its chunks are here.
class IncomingBundle final : public Bundle {
 public:
  IncomingBundle(BundleSite site, Context& context, rank_id me);
  IncomingBundle(const IncomingBundle&) = delete;
  IncomingBundle& operator=(const IncomingBundle&) = delete;
  /// After a failure: a message that is under way may still arrive.
  ~IncomingBundle();

  void prepare(const ExchangePlan& plan);
  void start(const ExchangePlan& plan);
  void progress();
  /// Whether this rank has to go on receiving for others of its node.
  [[nodiscard]] bool receives_for_others() const { return memory_.leader() != nullptr && phase_ != Phase::idle; }
  [[nodiscard]] bool has(std::size_t part) const { return here_ && layout_->begins[part + 1] <= *here_; }
  [[nodiscard]] std::string state() const;

 private:
  enum class Phase { idle, emptying, receiving };

  void receive();
  [[nodiscard]] bool all_emptied() const;
  [[nodiscard]] bool next_is_here();
  void check_header(const std::exception_ptr& failed = nullptr) const;

  Phase phase_ = Phase::idle;        ///< the leader's
  std::size_t arrived_ = 0;          ///< chunks; the leader's
  std::optional<std::size_t> here_;  ///< bytes of the payloads; nothing before the header was compared
  std::size_t transfer_;             ///< for the tracer
};

}  // namespace halocline::exchange
