#include "halocline/exchange/exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "exchange/abort_word.hpp"
#include "exchange/connections.hpp"
#include "exchange/tags.hpp"
#include "exchange/transport/factory.hpp"
#include "halocline/core/leak.hpp"
#include "halocline/core/log.hpp"

namespace halocline::exchange {

/// Set-up, steps and shutdown. An endpoint belongs to a site: the one whose stream joins it.
class Exchange::Impl {
 public:
  explicit Impl(Setup setup);
  ~Impl();

  void start(std::span<device::Stream* const> streams, const Selection& selection);
  bool progress();
  void finish();
  void check();
  void close();
  [[nodiscard]] device::Access capturable() const;
  [[nodiscard]] std::vector<Traffic> traffic() const;

 private:
  struct End {
    const Channel* channel;
    Site* site;
    std::unique_ptr<Endpoint> endpoint;
    bool done = true;
  };

  void abandon();
  void make_sites(std::vector<LocalSubdomain> subdomains);
  void make_channels(const std::vector<routing::Route>& routes);
  void connect();
  const Program& program_for(const Selection& selection);
  void check_selection(const Selection& selection) const;
  [[nodiscard]] std::string late() const;
  /// Runs a step; where it throws, the exchange is poisoned and the node is told before the error goes on.
  template <typename Step>
  void guarded(Step&& step);

  Setup setup_;
  rank_id me_;
  Context context_;
  std::unique_ptr<Mappings> mappings_;
  std::unique_ptr<AbortWord> abort_;
  std::vector<Site*> sites_;  // in Setup's order
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<End> ends_;
  std::vector<Program> programs_;
  std::vector<device::Stream*> streams_;
  const Program* running_ = nullptr;
  std::uint64_t step_ = 0;
  std::exception_ptr failure_;
  bool closed_ = false;
};

Exchange::Impl::Impl(Setup setup) : setup_(std::move(setup)), me_(setup_.comm->rank()) {
  mappings_ = std::make_unique<Mappings>(*setup_.backend);
  abort_ = std::make_unique<AbortWord>(*setup_.node_comm);
  context_.comm = setup_.comm;
  context_.backend = setup_.backend;
  context_.geometry = setup_.geometry;
  context_.mappings = mappings_.get();
  context_.timeout = setup_.timeout;
  context_.abort = abort_->word();
  comm::agree_on(*setup_.comm, [&] {
    make_sites(std::move(setup_.subdomains));
    make_channels(setup_.routes);
    for (End& end : ends_) end.endpoint->reserve();
    for (Site* site : sites_) site->mailbox.allocate(*setup_.backend, site->device());
  });
  connect();
}

Exchange::Impl::~Impl() {
  if (closed_) return;
  if (!failure_) log(LogLevel::warning, "an exchange was destroyed without close(); its memory is leaked");
  abandon();
}

void Exchange::Impl::abandon() {
  // This rank's streams stop here; other ranks may still write into its mailboxes.
  ends_.clear();
  leak(std::make_shared<decltype(context_.sites)>(std::move(context_.sites)));
  context_.sites.clear();
}

void Exchange::Impl::make_sites(std::vector<LocalSubdomain> subdomains) {
  for (LocalSubdomain& subdomain : subdomains) {
    const subdomain_id id = subdomain.id;
    Site& site = context_.sites[id];
    site.subdomain = std::move(subdomain);
    site.memory = {setup_.geometry, id, &site.subdomain.arrays};
    site.begun = setup_.backend->create_event(site.device());
    sites_.push_back(&site);
  }
}

void Exchange::Impl::make_channels(const std::vector<routing::Route>& routes) {
  std::map<std::pair<subdomain_id, subdomain_id>, partition::Message> messages;
  for (const Site* site : sites_) {
    for (auto& message : partition::outgoing(*setup_.geometry, site->subdomain.id)) {
      messages[{message.from, message.to}] = std::move(message);
    }
    for (auto& message : partition::incoming(*setup_.geometry, site->subdomain.id)) {
      messages[{message.from, message.to}] = std::move(message);
    }
  }
  std::map<std::pair<subdomain_id, subdomain_id>, routing::Transport> transports;
  for (const routing::Route& route : routes) transports[{route.from, route.to}] = route.transport;

  // Tags count the messages from one rank to another in this order, which is the same at both ends.
  std::map<std::pair<rank_id, rank_id>, int> counts;
  for (auto& [pair, message] : messages) {
    const auto transport = transports.find(pair);
    if (transport == transports.end()) {
      throw InternalError(fmt::format("no route for subdomain {} -> {}", pair.first.value(), pair.second.value()));
    }
    auto channel = std::make_unique<Channel>();
    channel->transport = transport->second;
    channel->sender = setup_.placement->of(pair.first).rank;
    channel->receiver = setup_.placement->of(pair.second).rank;
    channel->tag = tags::message(counts[{channel->sender, channel->receiver}]++);
    channel->message = std::move(message);
    Ends made = make_ends(*channel, context_, me_);
    if (made.sender) {
      ends_.push_back({channel.get(), &context_.site(pair.first), std::move(made.sender)});
    }
    if (made.receiver) {
      ends_.push_back({channel.get(), &context_.site(pair.second), std::move(made.receiver)});
    }
    channels_.push_back(std::move(channel));
  }
}

void Exchange::Impl::connect() {
  // Each end writes what its other end reads; ends_ is in the order of (from, to) on both ranks, sender before receiver.
  const auto other_rank = [&](const End& end) {
    return end.channel->sender == me_ ? end.channel->receiver : end.channel->sender;
  };
  const auto is_sender = [&](const End& end, std::size_t i) {
    if (end.channel->sender != end.channel->receiver) return end.channel->sender == me_;
    return i == 0 || ends_[i - 1].channel != end.channel;
  };
  std::map<rank_id, Writer> writers[2];
  std::map<rank_id, std::vector<std::byte>> outgoing;
  comm::agree_on(*setup_.comm, [&] {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      ends_[i].endpoint->publish(writers[is_sender(ends_[i], i) ? 0 : 1][other_rank(ends_[i])]);
    }
    for (const End& end : ends_) outgoing[other_rank(end)];
    for (auto& [rank, bytes] : outgoing) {
      Writer length;
      length.put(std::uint64_t{writers[0][rank].bytes().size()});
      for (const auto* part : {&length, &writers[0][rank], &writers[1][rank]}) {
        bytes.insert(bytes.end(), part->bytes().begin(), part->bytes().end());
      }
    }
  });
  const auto incoming = exchange_blobs(*setup_.comm, outgoing);
  comm::agree_on(*setup_.comm, [&] {
    // What the other side's senders wrote is for this side's receivers.
    std::map<rank_id, Reader> for_receivers;
    std::map<rank_id, Reader> for_senders;
    for (const auto& [rank, bytes] : incoming) {
      Reader whole(bytes);
      const auto length = whole.get<std::uint64_t>();
      const auto rest = std::span(bytes).subspan(sizeof length);
      for_receivers.emplace(rank, Reader(rest.first(length)));
      for_senders.emplace(rank, Reader(rest.subspan(length)));
    }
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      auto& readers = is_sender(ends_[i], i) ? for_senders : for_receivers;
      ends_[i].endpoint->connect(readers.at(other_rank(ends_[i])));
    }
    for (const auto* readers : {&for_receivers, &for_senders}) {
      for (const auto& [rank, reader] : *readers) {
        if (!reader.empty()) {
          throw InternalError(fmt::format("rank {} published more than rank {} reads", rank.value(), me_.value()));
        }
      }
    }
  });
}

template <typename Step>
void Exchange::Impl::guarded(Step&& step) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    step();
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    abort_->raise(fmt::format("rank {}: {}", me_.value(), error.what()));
    setup_.comm->poison();
    setup_.node_comm->poison();
    throw;
  }
}

void Exchange::Impl::check_selection(const Selection& selection) const {
  field_id last{-1};
  for (const Selection::Item& item : selection.items) {
    const auto fields = static_cast<std::int64_t>(setup_.geometry->fields.size());
    if (item.field.value() < 0 || item.field.value() >= fields || item.field <= last) {
      throw InvalidArgument(fmt::format("field is {}; allowed are 0 to {}, each once and in order", item.field.value(),
                                        fields - 1));
    }
    const int sets = setup_.geometry->fields[item.field.index()].buffers;
    if (item.set < 0 || item.set >= sets) {
      throw InvalidArgument(fmt::format("set of field '{}' is {}; allowed are 0 to {}",
                                        setup_.geometry->fields[item.field.index()].name, item.set, sets - 1));
    }
    last = item.field;
  }
}

const Program& Exchange::Impl::program_for(const Selection& selection) {
  for (const Program& program : programs_) {
    if (program.selection == selection) return program;
  }
  check_selection(selection);
  // Programs are few: one for each combination of fields and sets that a code uses. Pointers to them are kept only
  // between start() and finish(), so the vector may grow here.
  programs_.push_back({programs_.size(), selection, selection.token()});
  for (End& end : ends_) end.endpoint->prepare(programs_.back());
  return programs_.back();
}

void Exchange::Impl::start(std::span<device::Stream* const> streams, const Selection& selection) {
  if (failure_) std::rethrow_exception(failure_);
  if (running_ != nullptr) throw InvalidArgument("start_exchange was called twice without finish_exchange between");
  if (streams.size() != sites_.size()) {
    throw InvalidArgument(fmt::format("{} streams were given; allowed is one for each of the {} local subdomains",
                                      streams.size(), sites_.size()));
  }
  check_selection(selection);
  const bool capturing = std::any_of(streams.begin(), streams.end(), [](auto* s) { return s->capturing(); });
  if (const auto can = capturable(); capturing && !can.yes) {
    throw CapabilityError("the exchange cannot be captured in a graph: " + can.why_not);
  }
  guarded([&] {
    if (!capturing) {
      for (End& end : ends_) end.endpoint->check();
    }
    const Program& program = program_for(selection);
    ++step_;
    streams_.assign(streams.begin(), streams.end());
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      std::vector<device::FlagSignal> ready;
      for (End& end : ends_) {
        if (end.site == sites_[i]) end.endpoint->collect_ready(program, ready);
      }
      streams_[i]->advance(sites_[i]->mailbox.epoch());
      if (!ready.empty()) streams_[i]->signal(sites_[i]->mailbox.epoch(), ready);
      streams_[i]->record(*sites_[i]->begun);
    }
    for (End& end : ends_) {
      end.endpoint->start(program);
      end.done = !end.endpoint->needs_host();
    }
    running_ = &program;
  });
  progress();
}

bool Exchange::Impl::progress() {
  bool all = true;
  guarded([&] {
    for (End& end : ends_) {
      if (!end.done) end.done = end.endpoint->progress();
      all = all && end.done;
    }
    if (!all && abort_->raised()) {
      throw CommunicationError(fmt::format("exchange {} was given up: {}", step_, abort_->reason()));
    }
  });
  return all;
}

std::string Exchange::Impl::late() const {
  std::string text;
  for (const End& end : ends_) {
    if (!end.done) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", end.channel->label(), end.endpoint->state());
  }
  return text;
}

void Exchange::Impl::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (running_ == nullptr) throw InvalidArgument("finish_exchange was called without start_exchange before");
  const Program& program = *std::exchange(running_, nullptr);
  const Deadline deadline(setup_.comm->clock(), setup_.timeout);
  const bool in_time = setup_.backend->wait_until([&] { return progress(); }, deadline);
  guarded([&] {
    if (!in_time) {
      throw DeadlineError(fmt::format("exchange {} is late by more than {} s: {}", step_,
                                      std::chrono::duration<double>(setup_.timeout).count(), late()));
    }
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      std::vector<device::FlagWait> arrived;
      for (End& end : ends_) {
        if (end.site != sites_[i]) continue;
        end.endpoint->collect_arrived(program, arrived);
        end.endpoint->join(*streams_[i]);
      }
      if (!arrived.empty()) streams_[i]->wait(sites_[i]->mailbox.epoch(), arrived);
    }
  });
}

void Exchange::Impl::check() {
  guarded([&] {
    for (End& end : ends_) end.endpoint->check();
    for (device::Stream* stream : streams_) {
      if (!stream->capturing()) check_stream(*stream);
    }
  });
}

device::Access Exchange::Impl::capturable() const {
  for (const End& end : ends_) {
    if (end.endpoint->needs_host()) return {false, end.channel->label() + " needs the host"};
  }
  return {};
}

std::vector<Traffic> Exchange::Impl::traffic() const {
  std::vector<Traffic> rows;
  for (const routing::Transport transport : routing::all_transports) {
    Traffic row{transport};
    for (const auto& channel : channels_) {
      if (channel->transport != transport || channel->sender != me_) continue;
      ++row.messages;
      row.bytes += channel->message.bytes();
    }
    if (row.messages > 0) rows.push_back(row);
  }
  return rows;
}

void Exchange::Impl::close() {
  if (closed_) return;
  if (failure_) return;  // the destructor leaks what others may still use
  guarded([&] {
    comm::agree_on(*setup_.comm, [&] {
      for (device::Stream* stream : streams_) stream->synchronize();
      for (End& end : ends_) end.endpoint->drain();
    });
    // Nobody writes into anybody's memory any more; now everybody lets go of the others', then of its own.
    setup_.comm->barrier();
    ends_.clear();
    mappings_->clear();
    setup_.comm->barrier();
  });
  context_.sites.clear();
  closed_ = true;
}

Exchange::Exchange(Setup setup) : impl_(std::make_unique<Impl>(std::move(setup))) {}
Exchange::~Exchange() = default;
void Exchange::start(std::span<device::Stream* const> streams, const Selection& selection) {
  impl_->start(streams, selection);
}
bool Exchange::progress() { return impl_->progress(); }
void Exchange::finish() { impl_->finish(); }
void Exchange::check() { impl_->check(); }
device::Access Exchange::capturable() const { return impl_->capturable(); }
std::vector<Traffic> Exchange::traffic() const { return impl_->traffic(); }
void Exchange::close() { impl_->close(); }

}  // namespace halocline::exchange
