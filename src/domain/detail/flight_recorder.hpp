// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "comm/rank_group.hpp"
#include "exchange/recorder.hpp"

namespace halocline {

/// A domain's recorder, and who writes its recordings: if the environment names a folder (HALOCLINE_RECORD), a thread of the
/// process writes the recordings of all its domains when another process requests them (RecorderMark), and when another rank of the
/// node has failed. When a rank's own exchange fails, the rank writes its recording itself. Without a folder events are noted,
/// and nothing is written.
class FlightRecorder {
 public:
  /// Makes the folder. Throws InvalidArgument that names the variable if it cannot be made, or written to.
  explicit FlightRecorder(const comm::RankGroup& comm);
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;
  /// Waits for a recording that is being written.
  ~FlightRecorder();

  [[nodiscard]] exchange::Recorder& recorder() { return recorder_; }
  void write(RecordingCause cause) noexcept;

 private:
  std::int64_t rank_;
  std::int64_t domain_ = 0;
  std::string folder_;  ///< absolute; empty: nothing is written
  exchange::Recorder recorder_;
};

}  // namespace halocline
