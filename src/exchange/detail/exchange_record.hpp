// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/word_reader.hpp"
#include "exchange/detail/abort_word.hpp"
#include "exchange/detail/schedule.hpp"
#include "exchange/recorder.hpp"

namespace halocline::exchange {

/// What an exchange notes for the recorder, and reads back for a recording: for each end of a message, how far it is. The host's
/// thread stores; a recording may be made by any thread at the same time.
///
/// Where devices drive the exchange, or replay it from a graph, the host sees no message. Then the flags that an end waits for, and
/// the epochs of the subdomains, are read from the memory of the device. They are this rank's own; no other rank's memory is read.
class ExchangeRecord final : public RecordedState {
 public:
  /// ends: complete, connected. All arguments must outlive this.
  ExchangeRecord(Recorder& recorder, device::Backend& backend, std::string name, const std::vector<End>& ends,
                 const AbortWord& abort);
  ExchangeRecord(const ExchangeRecord&) = delete;
  ExchangeRecord& operator=(const ExchangeRecord&) = delete;
  ~ExchangeRecord() override { recorder_->remove(*this); }

  void note(EventKind kind, std::uint64_t number) noexcept { recorder_->note(kind, place_, number); }
  void started(std::uint64_t number) noexcept {
    started_.store(number, std::memory_order_relaxed);
    note(EventKind::started, number);
  }
  /// The host's part of the n-th end is complete.
  void done(std::size_t n, std::uint64_t number) noexcept {
    host_done_[n].store(number, std::memory_order_relaxed);
    recorder_->note(EventKind::done, place_, number, ends_[n].number, ends_[n].message.peer);
  }
  void finished(std::uint64_t number) noexcept {
    finished_.store(number, std::memory_order_relaxed);
    note(EventKind::finished, number);
  }
  void left(std::string_view why, std::uint64_t number) noexcept { recorder_->left(why, place_, number); }
  void failed(const std::exception_ptr& error, bool of_another, std::uint64_t number) noexcept {
    recorder_->failed(error, of_another, place_, number);
  }

  [[nodiscard]] RecordedExchange recorded(bool failed) override;
  [[nodiscard]] bool aborted() const override { return abort_->raised(); }

 private:
  /// An end that waits for something: of the host, or flags of a device.
  struct Watched {
    RecordedMessage message;
    std::int64_t number;
    std::size_t reader = 0;            ///< in readers_
    std::vector<std::size_t> words{};  ///< of that reader
  };
  /// By device.
  struct Reader {
    int device;
    std::vector<const std::uint64_t*> words;
    std::vector<std::size_t> epochs;     ///< places of words that count the exchanges that have begun
    std::vector<std::size_t> completed;  ///< places of words that count the exchanges whose messages have all arrived
    std::unique_ptr<device::WordReader> reader;
  };
  void watch_flags(Watched& watched, const End& end);
  [[nodiscard]] std::size_t word(std::size_t reader, const std::uint64_t* at);

  Recorder* recorder_;
  bool on_gpus_;
  const AbortWord* abort_;
  std::string name_;
  std::vector<Watched> ends_;                                ///< by end
  std::unique_ptr<std::atomic<std::uint64_t>[]> host_done_;  ///< by end
  std::vector<Reader> readers_;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> finished_{0};
  std::uint8_t place_ = 0;
};

}  // namespace halocline::exchange
