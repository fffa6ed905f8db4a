// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/detail/exchange_record.hpp"

#include <algorithm>

#include "device/flag.hpp"

namespace halocline::exchange {
namespace {

/// For the words of one device. A device that answers does so in microseconds.
constexpr Duration patience = std::chrono::seconds(2);

}  // namespace

ExchangeRecord::ExchangeRecord(Recorder& recorder, device::Backend& backend, std::string name,
                               const std::vector<End>& ends, const AbortWord& abort)
    : recorder_(&recorder),
      on_gpus_(backend.kind() != DeviceKind::host),
      abort_(&abort),
      name_(std::move(name)),
      host_done_(std::make_unique<std::atomic<std::uint64_t>[]>(ends.size())) {
  for (const End& end : ends) {
    const Channel& channel = *end.channel;
    Watched& watched = ends_.emplace_back();
    watched.number = static_cast<std::int64_t>(channel.number);
    const bool sends = !end.receives;
    watched.message = {.from = channel.message.from.value(),
                       .to = channel.message.to.value(),
                       .peer = (sends ? channel.receiver : channel.sender).value(),
                       .sends = sends,
                       .transport = std::string(to_string(channel.transport)),
                       .towards = channel.direction ? to_string(*channel.direction) : std::string(),
                       .by_host = end.host != nullptr};
    if (end.host == nullptr) watch_flags(watched, end);
  }
  if (recorder.has_writer()) {
    for (Reader& reader : readers_) {
      reader.reader = backend.make_word_reader(reader.device, reader.words);
    }
  }
  place_ = recorder.add(*this);
}

std::size_t ExchangeRecord::word(std::size_t reader, const std::uint64_t* at) {
  auto& words = readers_[reader].words;
  const auto found = std::ranges::find(words, at);
  const auto place = static_cast<std::size_t>(found - words.begin());
  if (found == words.end()) words.push_back(at);
  return place;
}

void ExchangeRecord::watch_flags(Watched& watched, const End& end) {
  std::vector<const device::Flag*> flags;
  end.endpoint->watch(flags);
  if (flags.empty()) return;
  const int device = end.state->device();
  const auto found = std::ranges::find(readers_, device, &Reader::device);
  watched.reader = static_cast<std::size_t>(found - readers_.begin());
  if (found == readers_.end()) readers_.push_back({device, {}, {}, {}, nullptr});
  for (const device::Flag* flag : flags) watched.words.push_back(word(watched.reader, &flag->epoch));
  const Mailbox& mailbox = end.state->mailbox;
  const bool fused = end.endpoint->fused() != nullptr;
  const std::size_t epoch = word(watched.reader, fused ? mailbox.fused_epoch() : mailbox.epoch());
  // A kernel advances its epochs behind its waits, a stream's operations in front of them.
  auto& epochs = fused && on_gpus_ ? readers_[watched.reader].completed : readers_[watched.reader].epochs;
  if (std::ranges::find(epochs, epoch) == epochs.end()) epochs.push_back(epoch);
}

RecordedExchange ExchangeRecord::recorded(bool failed) {
  RecordedExchange exchange{.name = name_,
                            .started = started_.load(std::memory_order_relaxed),
                            .finished = finished_.load(std::memory_order_relaxed)};
  std::vector<std::vector<std::uint64_t>> values;
  std::optional<std::uint64_t> epoch;
  for (Reader& reader : readers_) {
    values.emplace_back();
    if (!reader.reader) {
      exchange.unread = "the recorder had no writer";
      continue;
    }
    auto read = reader.reader->read(patience, exchange.unread);
    if (!read) continue;
    const auto least = [&](std::uint64_t begun) { epoch = std::min(epoch.value_or(begun), begun); };
    for (const std::size_t word : reader.epochs) least((*read)[word]);
    for (const std::size_t word : reader.completed) least((*read)[word] + (failed ? 1 : 0));
    values.back() = std::move(*read);
  }
  exchange.epoch = epoch.value_or(0);
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    const Watched& watched = ends_[n];
    RecordedMessage message = watched.message;
    if (message.by_host) {
      message.reached = host_done_[n].load(std::memory_order_relaxed);
    } else {
      if (watched.words.empty() || values[watched.reader].empty())
        continue;  // it waits for nothing, or nothing is known
      for (const std::size_t word : watched.words) {
        message.reached = std::max(message.reached, values[watched.reader][word] & ~device::refused_bit);
      }
    }
    exchange.messages.push_back(std::move(message));
  }
  return exchange;
}

}  // namespace halocline::exchange
