// SPDX-License-Identifier: BSD-3-Clause
// The parts of a bundle that one subdomain sends or receives: how its device packs and unpacks them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exchange/transport/bundled/bundle.hpp"

namespace halocline::exchange {

/// The parts of a bundle that one subdomain sends, or receives. Those that are complete with the same chunk are one operation of its
/// device: all of them in a bundle of one chunk. Operations are in one stream, in the order of the bundle. Large payloads are packed
/// on the device and copied, each as a whole.
class BundleParts {
 public:
  BundleParts(const BundleParts&) = delete;
  BundleParts& operator=(const BundleParts&) = delete;

  /// The place in the bundle of the first one.
  [[nodiscard]] std::size_t first() const { return places_.front(); }
  void visit_stream(const VisitStream& visit) { visit(stream_); }
  /// Orders later work in a user's stream after the operation that a part is in.
  void join(std::size_t place, device::Stream& user);

 protected:
  /// bundle must outlive the stream, whose work uses it.
  BundleParts(Context& context, std::shared_ptr<Bundle> bundle, std::vector<std::size_t> places, SubdomainState& state);
  ~BundleParts() = default;

  /// A copy between the bundle and payloads_.
  struct Run {
    std::byte* in_bundle;
    std::size_t offset;
    std::size_t bytes;
  };
  struct Operation {
    std::span<const std::size_t> places;       ///< of its parts
    std::unique_ptr<device::CopyList> copies;  ///< packs or unpacks
    std::vector<Run> runs;                     ///< of payloads that are copied
    bool all_copied = false;                   ///< and none is packed into, or unpacked from, the bundle
    std::vector<device::FlagSignal> done;      ///< for a leader on another rank
    std::size_t packing = 0, copying = 0;      ///< for the tracer
  };
  /// make_copies(payload, packed): the copies that pack or unpack a part.
  using MakeCopies = std::function<std::vector<device::StridedCopy>(const Payload&, std::byte*)>;

  void prepare(const ExchangePlan& plan, device::Work work, const char* verb, const MakeCopies& make_copies);
  void begin(const ExchangePlan& plan);
  void pack_or_unpack(const Operation& operation);
  template <typename Copy>
  void copy_runs(const Operation& operation, Copy&& copy) {
    if (operation.runs.empty()) return;
    traced(context_->tracer, operation.copying, *stream_, [&] {
      for (const Run& run : operation.runs) copy(run);
    });
  }
  /// Enqueues that its parts are packed, or have left the bundle's memory, for a leader on another rank.
  void post(const Operation& operation);
  /// In the present exchange.
  [[nodiscard]] std::size_t operation_of(std::size_t place) const;

  Context* context_;
  std::shared_ptr<Bundle> bundle_;
  std::vector<std::size_t> places_;  ///< in the bundle, in its order
  SubdomainState* state_;
  std::unique_ptr<device::Buffer> payloads_;  ///< on the device; null if no selection's are copied
  Prepared<std::vector<Operation>> prepared_;
  const std::vector<Operation>* operations_ = nullptr;  ///< of the present exchange
  std::vector<std::unique_ptr<device::Event>> done_;    ///< by operation
  std::unique_ptr<device::Stream> stream_;

 private:
  [[nodiscard]] Operation operation(const ExchangePlan& plan, std::span<const std::size_t> places, device::Work work,
                                    const char* verb, const MakeCopies& make_copies);

  std::pair<std::size_t, const device::Stream*> joined_{};  ///< the last operation, and the stream that waits for it
};

class PackedParts final : public BundleParts {
 public:
  PackedParts(Context& context, const std::shared_ptr<OutgoingBundle>& bundle, std::vector<std::size_t> places);

  void prepare(const ExchangePlan& plan);
  void start(const ExchangePlan& plan);
};

class UnpackedParts final : public BundleParts {
 public:
  UnpackedParts(Context& context, const std::shared_ptr<IncomingBundle>& bundle, std::vector<std::size_t> places);

  void prepare(const ExchangePlan& plan);
  void start(const ExchangePlan& plan);
  /// Enqueues what can be unpacked.
  void progress();
  /// Whether a part is unpacked in the order of the stream.
  [[nodiscard]] bool taken(std::size_t place) const { return operation_of(place) < taken_; }

 private:
  void take(const Operation& operation);

  IncomingBundle& incoming_;
  std::size_t taken_ = 0;                   ///< operations
  std::unique_ptr<device::Event> emptied_;  ///< after the last operation's payloads have left the bundle
};

}  // namespace halocline::exchange
