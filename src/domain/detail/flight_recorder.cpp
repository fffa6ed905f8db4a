// SPDX-License-Identifier: BSD-3-Clause
#include "domain/detail/flight_recorder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "core/anonymous_file.hpp"
#include "core/environment_variables.hpp"
#include "core/log.hpp"
#include "core/short_text.hpp"
#include "core/start_thread.hpp"
#include "discovery/probe.hpp"
#include "domain/recorder_mark.hpp"
#include "halocline/error.hpp"
#include "io/recording_file.hpp"
#include "io/write_file.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "HALOCLINE_RECORD";
/// Between two looks at the requests of other processes and at the abort words of other ranks.
constexpr auto interval = std::chrono::milliseconds(100);

/// The thread that writes recordings of this process, as long as there is a recorder that does.
class Writers {
 public:
  /// Never destroyed: recorders may be in static storage.
  static Writers& of_process() {
    static auto* const writers = new Writers;
    return *writers;
  }

  /// Returns the number of the domain among those of its rank.
  std::int64_t add(FlightRecorder& recorder, std::int64_t rank, const std::string& folder) {
    const std::lock_guard turn(changing_);
    if (recorders_.empty()) begin(folder);
    const std::lock_guard lock(mutex_);
    recorders_.push_back(&recorder);
    return domains_[rank]++;
  }

  [[nodiscard]] std::int64_t pid() const { return shown_->pid; }

  void remove(const FlightRecorder& recorder) noexcept {
    const std::lock_guard turn(changing_);
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      std::erase(recorders_, &recorder);
      last = recorders_.empty();
      stopped_ = last;
      if (last) shown_->version.store(0, std::memory_order_relaxed);
    }
    if (!last || !thread_.joinable()) return;
    wake_.notify_all();
    thread_.join();
  }

 private:
  Writers() = default;

  void begin(const std::string& folder) {
    stopped_ = false;
    show(folder);
    thread_ = start_thread("the writer of recordings", [this] { run(); });
  }

  void show(const std::string& folder) {
    if (!mark_) {
      mark_ = std::make_unique<AnonymousFile>(sizeof(RecorderMark), RecorderMark::name);
      shown_ = new (mark_->data()) RecorderMark;
      shown_->pid = mark_->handle().pid;
    }
    if (folder.size() >= shown_->folder.size()) {
      throw InvalidArgument(fmt::format("{} is a path of {} bytes; allowed are fewer than {}", variable, folder.size(),
                                        shown_->folder.size()));
    }
    shown_->folder.fill('\0');
    std::ranges::copy(folder, shown_->folder.begin());
    shown_->version.store(RecorderMark::current_version, std::memory_order_release);
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return stopped_; })) {
      const std::uint64_t now = shown_->requested.load(std::memory_order_acquire);
      const bool requested = now != shown_->written.load(std::memory_order_relaxed);
      for (FlightRecorder* recorder : recorders_) {
        if (requested) {
          recorder->write(RecordingCause::request);
        } else {
          recorder->recorder().look_at_others();
        }
      }
      if (requested) shown_->written.store(now, std::memory_order_release);
    }
  }

  std::mutex changing_;  ///< one add() or remove() at a time
  std::mutex mutex_;     ///< of recorders_, domains_ and stopped_
  std::condition_variable wake_;
  std::vector<FlightRecorder*> recorders_;
  std::map<std::int64_t, std::int64_t> domains_;  ///< by rank: how many there were
  bool stopped_ = false;
  std::thread thread_;
  std::unique_ptr<AnonymousFile> mark_;
  RecorderMark* shown_ = nullptr;
};

/// The folder that the environment names, as an absolute path; empty if it names none.
std::string folder_of_environment() {
  const auto named = recording_folder();
  if (!named) return {};
  try {
    if (named->empty()) throw std::system_error(ENOENT, std::generic_category());
    const fs::path folder = fs::absolute(*named);
    fs::create_directories(folder);
    io::check_writable(variable, (folder / io::recording_name(0, 0, 0)).string());
    return folder.string();
  } catch (const std::system_error& error) {
    throw InvalidArgument(fmt::format("{} is '{}'; allowed is a folder that recordings can be written to: {}", variable,
                                      *named, error.code().message()));
  }
}

}  // namespace

FlightRecorder::FlightRecorder(const comm::RankGroup& comm)
    : rank_(comm.rank().value()), folder_(folder_of_environment()), recorder_(rank_, comm.size()) {
  if (folder_.empty()) return;
  recorder_.set_writer([this](RecordingCause cause) { write(cause); });
  domain_ = Writers::of_process().add(*this, rank_, folder_);
}

FlightRecorder::~FlightRecorder() {
  if (!folder_.empty()) Writers::of_process().remove(*this);
}

void FlightRecorder::write(RecordingCause cause) noexcept {
  try {
    Recording recording = recorder_.recording(cause);
    recording.domain = domain_;
    recording.pid = Writers::of_process().pid();
    recording.host = machine::host_name();
    io::write_file(variable, folder_ + "/" + io::recording_name(rank_, recording.pid, domain_), io::text_of(recording));
  } catch (const std::exception& error) {
    log(LogLevel::warning, ShortText("rank {}: the recording is not written: {}", rank_, error.what()));
  }
}

}  // namespace halocline
