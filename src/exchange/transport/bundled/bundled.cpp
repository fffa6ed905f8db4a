// SPDX-License-Identifier: BSD-3-Clause
// The ends of messages that travel in bundles. What the ends of a bundle on one rank share is a Bundle, and what the ends of a
// subdomain there share are its BundleParts: the first of such ends prepares and starts it for all.
#include <map>

#include "exchange/transport/bundled/parts.hpp"
#include "exchange/transport/factory.hpp"

namespace halocline::exchange {
namespace {

/// An end of one message of a bundle.
template <typename Shared, typename Parts>
class BundledEnd : public HostEndpoint {
 public:
  BundledEnd(std::size_t place, std::shared_ptr<Shared> bundle, std::shared_ptr<Parts> parts)
      : place_(place), bundle_(std::move(bundle)), parts_(std::move(parts)) {}

  void each_stream(const VisitStream& visit) final {
    if (place_ == parts_->first()) parts_->visit_stream(visit);
  }
  void publish(ByteWriter& writer) final { bundle_->publish(writer); }
  void connect(ByteReader& reader) final { bundle_->connect(reader); }
  void prepare(const ExchangePlan& plan) final {
    if (place_ == bundle_->first()) bundle_->prepare(plan);
    if (place_ == parts_->first()) parts_->prepare(plan);
  }
  void start(const ExchangePlan& plan, device::Stream* /*in_order*/) final {
    if (place_ == bundle_->first()) bundle_->start(plan);
    if (place_ == parts_->first()) parts_->start(plan);
  }
  void join(device::Stream& user) final { parts_->join(place_, user); }

 protected:
  std::size_t place_;  ///< in the bundle
  std::shared_ptr<Shared> bundle_;
  std::shared_ptr<Parts> parts_;
};

class BundledSender final : public BundledEnd<OutgoingBundle, PackedParts> {
 public:
  using BundledEnd::BundledEnd;
  bool progress() override { return bundle_->progress(); }
  [[nodiscard]] std::string state() const override { return bundle_->state(place_); }
};

class BundledReceiver final : public BundledEnd<IncomingBundle, UnpackedParts> {
 public:
  using BundledEnd::BundledEnd;
  bool progress() override {
    bundle_->progress();
    parts_->progress();
    return parts_->taken(place_) && !bundle_->receives_for_others();
  }
  [[nodiscard]] std::string state() const override { return bundle_->state(); }
};

/// A bundle's ends on this rank by place. here: the subdomain of a message that is at this end.
template <typename End, typename Shared, typename Parts>
std::map<std::size_t, std::unique_ptr<Endpoint>> ends_of(const BundleSite& site, Context& context, rank_id me,
                                                         rank_id Channel::*rank,
                                                         subdomain_id partition::Message::*here) {
  std::map<subdomain_id, std::vector<std::size_t>> places;
  for (std::size_t place = 0; place < site.channels.size(); ++place) {
    const Channel& channel = *site.channels[place];
    if (channel.*rank == me) places[channel.message.*here].push_back(place);
  }
  std::map<std::size_t, std::unique_ptr<Endpoint>> ends;
  if (places.empty()) return ends;
  const auto bundle = std::make_shared<Shared>(site, context, me);
  for (const auto& [subdomain, of] : places) {
    const auto parts = std::make_shared<Parts>(context, bundle, of);
    for (const std::size_t place : of) ends[place] = std::make_unique<End>(place, bundle, parts);
  }
  return ends;
}

}  // namespace

std::vector<std::pair<const Channel*, Ends>> make_bundled(const BundleSite& site, Context& context, rank_id me) {
  auto senders = ends_of<BundledSender, OutgoingBundle, PackedParts>(site, context, me, &Channel::sender,
                                                                     &partition::Message::from);
  auto receivers = ends_of<BundledReceiver, IncomingBundle, UnpackedParts>(site, context, me, &Channel::receiver,
                                                                           &partition::Message::to);
  std::vector<std::pair<const Channel*, Ends>> made;
  for (std::size_t place = 0; place < site.channels.size(); ++place) {
    Ends ends;
    if (const auto found = senders.find(place); found != senders.end()) ends.sender = std::move(found->second);
    if (const auto found = receivers.find(place); found != receivers.end()) ends.receiver = std::move(found->second);
    if (ends.sender || ends.receiver) made.emplace_back(site.channels[place], std::move(ends));
  }
  return made;
}

}  // namespace halocline::exchange
