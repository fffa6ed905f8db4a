// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/transport/bundled/bundle.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::exchange {
namespace {

/// A word in memory that ranks of a node share.
using SharedWord = std::atomic_ref<std::uint64_t>;

std::size_t capacity(const std::vector<const Channel*>& channels) {
  std::size_t bytes = sizeof(Header);
  for (const Channel* channel : channels) bytes += static_cast<std::size_t>(payload_capacity(channel->message));
  return bytes;
}

}  // namespace

std::size_t BundleMemory::bytes(const std::vector<const Channel*>& channels) {
  return sizeof(LeaderFlag) + channels.size() * sizeof(PartFlag) + (capacity(channels) + 63) / 64 * 64;
}

BundleMemory::BundleMemory(const BundleSite& site, device::Backend& backend)
    : parts_(site.channels.size()), shared_(site.shared) {
  if (shared_) return;
  const std::shared_ptr<device::Buffer> buffer = backend.allocate_pinned(capacity(site.channels));
  own_ = {buffer, buffer->data()};
  // Memory that a failed receive leaves unwritten must not look like a header of the first exchange.
  put_header({});
}

void BundleMemory::put_header(const Header& header) const { std::memcpy(message(), &header, sizeof header); }

Header BundleMemory::header() const {
  Header header;
  std::memcpy(&header, message(), sizeof header);
  return header;
}

Bundle::Bundle(BundleSite site, Context& context, rank_id me)
    : context_(&context),
      site_(std::move(site)),
      me_(me),
      between_nodes_(!site_.other_leader),
      leads_(site_.leader == me),
      memory_(site_, *context.backend),
      own_(site_.channels.size()) {}

void Bundle::prepare(const ExchangePlan& plan, const MakeRequest& make_request) {
  layouts_.make(plan, [&] {
    BundleLayout layout;
    layout.begins.push_back(0);
    for (const Channel* channel : site_.channels) {
      layout.payloads.push_back(payload_of(channel->message, plan.selection));
      layout.begins.push_back(layout.begins.back() + static_cast<std::size_t>(layout.payloads.back().bytes));
    }
    layout.chunks = chunks_of(static_cast<std::int64_t>(layout.begins.back()), context_->tuning.staging_chunk_bytes);
    for (const Chunk& chunk : layout.chunks) {
      if (leads_) layout.requests.push_back(make_request(place_of(chunk, memory_.message())));
    }
    return layout;
  });
}

void Bundle::begin(const ExchangePlan& plan) {
  layout_ = &layouts_.of(plan);
  expected_ = {plan.token, ++epoch_};
}

std::size_t Bundle::last_chunk(const ExchangePlan& plan, std::size_t part) const {
  const BundleLayout& layout = layouts_.of(plan);
  std::size_t chunk = 0;
  while (layout.chunks[chunk].end < layout.begins[part + 1]) ++chunk;
  return chunk;
}

std::size_t Bundle::first() const {
  const auto mine = std::ranges::find_if(own_, [](const Done& done) { return done != nullptr; });
  return static_cast<std::size_t>(mine - own_.begin());
}

std::vector<device::FlagSignal> Bundle::signals(std::span<const std::size_t> parts, const ExchangePlan& plan) const {
  std::vector<device::FlagSignal> signals;
  if (leads_) return signals;
  for (const std::size_t part : parts) signals.push_back({&memory_.part(part).done, plan.token});
  return signals;
}

bool Bundle::part_done(std::size_t part, std::uint64_t in) const {
  if (own_[part]) return own_[part]();
  device::Flag& flag = memory_.part(part).done;
  const std::uint64_t epoch = SharedWord(flag.epoch).load(std::memory_order_acquire);
  if (epoch < in) return false;
  if (in == epoch_) {
    const std::uint64_t token = SharedWord(flag.token).load(std::memory_order_relaxed);
    compare({token, epoch}, expected_, nullptr, *site_.channels[part]);
  }
  return true;
}

void Bundle::post(std::size_t bytes) const {
  LeaderFlag* flag = memory_.leader();
  if (flag == nullptr) return;
  // A rank that reads this epoch reads these bytes, or those of a later chunk.
  SharedWord(flag->bytes).store(bytes, std::memory_order_release);
  SharedWord(flag->epoch).store(epoch_, std::memory_order_release);
}

std::optional<std::size_t> Bundle::posted() const {
  LeaderFlag* flag = memory_.leader();
  if (SharedWord(flag->epoch).load(std::memory_order_acquire) < epoch_) return std::nullopt;
  return SharedWord(flag->bytes).load(std::memory_order_acquire);
}

std::size_t Bundle::describe_transfer(device::Work work, const char* verb) const {
  if (context_->tracer == nullptr || !leads_) return 0;
  std::int64_t bytes = 0;
  std::vector<std::size_t> numbers;  // of this rank's messages: a trace has no others
  const Channel* first = nullptr;
  for (const Channel* channel : site_.channels) {
    bytes += channel->bytes();
    if (channel->sender != me_ && channel->receiver != me_) continue;
    if (first == nullptr) first = channel;
    numbers.push_back(channel->number);
  }
  return context_->tracer->add({work, -1, first->track(verb), std::move(numbers), 0, bytes});
}

std::string Bundle::chunk_text(std::size_t chunk) const {
  return fmt::format("chunk {} of {}, in one message with {} more", chunk + 1, layout_->chunks.size(),
                     site_.channels.size() - 1);
}

std::string Bundle::leader_text(const char* verb) const {
  return fmt::format("waiting for rank {}, which {} it in one message with {} more of the node", site_.leader.value(),
                     verb, site_.channels.size() - 1);
}

OutgoingBundle::OutgoingBundle(BundleSite site, Context& context, rank_id me)
    : Bundle(std::move(site), context, me), transfer_(describe_transfer(device::Work::send, "send")) {}

OutgoingBundle::~OutgoingBundle() {
  if (done_ < started_) memory_.keep();
}

void OutgoingBundle::prepare(const ExchangePlan& plan) {
  Bundle::prepare(plan, [&](std::span<std::byte> bytes) {
    return context_->comm->persistent_send(bytes, *site_.other_leader, site_.tag);
  });
}

void OutgoingBundle::start(const ExchangePlan& plan) {
  begin(plan);
  packed_ = started_ = done_ = 0;
  left_ = false;
  if (leads_) memory_.put_header(expected_);
}

bool OutgoingBundle::progress() {
  if (!left_ && new_pass()) left_ = proceed();
  return left_;
}

bool OutgoingBundle::proceed() {
  if (!leads_) return posted().has_value();
  const std::size_t chunks = layout_->chunks.size();
  while (packed_ < site_.channels.size() && part_done(packed_, epoch_)) ++packed_;
  while (started_ < chunks && layout_->chunks[started_].end <= layout_->begins[packed_]) {
    if (started_ == 0) note_begin();
    layout_->requests[started_++]->start();
  }
  while (done_ < started_ && layout_->requests[done_]->test()) ++done_;
  if (!all_sent()) return false;
  ran(transfer_);
  post(layout_->begins.back());
  return true;
}

/// Parts without bytes count, too, so that each rank's token was compared.
bool OutgoingBundle::all_sent() const { return done_ == layout_->chunks.size() && packed_ == site_.channels.size(); }

std::string OutgoingBundle::state(std::size_t part) const {
  if (!leads_) return own_[part]() ? leader_text("sends") : "packing";
  if (all_sent()) return "sent";
  if (done_ < started_) return fmt::format("MPI send of {} under way", chunk_text(done_));
  if (packed_ == part || (packed_ < part && !part_done(part, epoch_))) return "packing";
  const Channel& late = *site_.channels[packed_];
  return fmt::format("packing subdomain {} -> {}{}, which {} has bytes of", late.message.from.value(),
                     late.message.to.value(), late.sender == me_ ? "" : fmt::format(" on rank {}", late.sender.value()),
                     chunk_text(started_));
}

IncomingBundle::IncomingBundle(BundleSite site, Context& context, rank_id me)
    : Bundle(std::move(site), context, me), transfer_(describe_transfer(device::Work::receive, "receive")) {}

IncomingBundle::~IncomingBundle() {
  if (phase_ == Phase::receiving) memory_.keep();
}

void IncomingBundle::prepare(const ExchangePlan& plan) {
  Bundle::prepare(plan, [&](std::span<std::byte> bytes) {
    return context_->comm->persistent_receive(bytes, *site_.other_leader, site_.tag);
  });
}

void IncomingBundle::start(const ExchangePlan& plan) {
  begin(plan);
  arrived_ = 0;
  here_.reset();
  phase_ = leads_ ? Phase::emptying : Phase::idle;
}

void IncomingBundle::progress() {
  if (!new_pass()) return;
  if (leads_) {
    receive();
    return;
  }
  const auto bytes = posted();
  if (bytes && !here_) check_header();
  here_ = bytes;
}

void IncomingBundle::receive() {
  if (phase_ == Phase::emptying && all_emptied()) {
    note_begin();
    for (const auto& request : layout_->requests) request->start();
    phase_ = Phase::receiving;
  }
  while (phase_ == Phase::receiving && next_is_here()) {
    if (arrived_ == 0) check_header();
    here_ = layout_->chunks[arrived_].end;
    post(*here_);
    if (++arrived_ < layout_->chunks.size()) continue;
    ran(transfer_);
    phase_ = Phase::idle;
  }
}

bool IncomingBundle::all_emptied() const {
  for (std::size_t part = 0; part < site_.channels.size(); ++part) {
    if (!part_done(part, epoch_ - 1)) return false;
  }
  return true;
}

std::string IncomingBundle::state() const {
  if (!leads_) return leader_text("receives");
  if (phase_ == Phase::emptying) return "last message not unpacked yet";
  return fmt::format("MPI receive of {} under way", chunk_text(arrived_));
}

/// A first chunk of another length is a symptom; its header, if it arrived, contains the cause.
bool IncomingBundle::next_is_here() {
  try {
    return layout_->requests[arrived_]->test();
  } catch (const CommunicationError&) {
    if (arrived_ > 0) throw;
    check_header(std::current_exception());
    throw;
  }
}

void IncomingBundle::check_header(const std::exception_ptr& failed) const {
  compare(memory_.header(), expected_, failed, *site_.channels[first()]);
}

}  // namespace halocline::exchange
