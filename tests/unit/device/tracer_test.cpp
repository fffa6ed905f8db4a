// SPDX-License-Identifier: BSD-3-Clause
// Runs that a device records in a clock of its own.
#include "device/tracer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "device/host.hpp"

namespace halocline::device {
namespace {

using std::chrono::microseconds;

/// A device whose clock is an hour ahead of the host's.
class HourAhead final : public DeviceRecord {
 public:
  static constexpr Duration ahead = std::chrono::hours(1);

  explicit HourAhead(Tracer& tracer) : tracer_(&tracer) {}
  /// A run within the tracer's innermost operation, which the stream is about to run.
  void in(Stream& stream, std::size_t operation) {
    stream.host_function([this, within = tracer_->innermost(), operation] {
      const Duration begin = Tracer::now();
      std::this_thread::sleep_for(microseconds(300));
      truth_ = begin;
      runs_.push_back({within, operation, begin + ahead, Tracer::now() + ahead});
    });
  }
  std::vector<Run> take() override { return std::exchange(runs_, {}); }
  [[nodiscard]] Duration truth() const { return truth_; }

 private:
  Tracer* tracer_;
  std::vector<Run> runs_;
  Duration truth_{};
};

class DeviceRecords : public testing::Test {
 protected:
  std::shared_ptr<Backend> backend_ = make_host_backend({});
  std::unique_ptr<Stream> stream_ = backend_->create_stream(0);
  Tracer tracer_{*backend_};
  std::shared_ptr<HourAhead> record_ = std::make_shared<HourAhead>(tracer_);
  std::size_t whole_ = tracer_.add({Work::exchange, 0, "whole"});
  DeviceRecords() { tracer_.add(0, record_); }
};

TEST_F(DeviceRecords, AreAlignedToTheOperationsThatContainThem) {
  const std::size_t part = tracer_.add({Work::put, 0, "part"});
  tracer_.start();
  for (std::uint64_t step = 1; step <= 5; ++step) {
    tracer_.set_step(step);
    traced(&tracer_, whole_, *stream_, [&] { record_->in(*stream_, part); });
    stream_->synchronize();
  }
  const Trace trace = tracer_.take();
  ASSERT_EQ(trace.runs.size(), 10);
  const Duration known = trace.alignment.at(0);
  EXPECT_LT(known, std::chrono::milliseconds(100));
  for (std::size_t r = 0; r < trace.runs.size(); r += 2) {
    const TracedRun& around = trace.runs[r];
    const TracedRun& within = trace.runs[r + 1];
    EXPECT_EQ(around.operation, whole_);
    EXPECT_EQ(within.operation, part);
    EXPECT_EQ(within.step, r / 2 + 1);
    EXPECT_GE(within.begin, around.begin);
    EXPECT_LE(within.end, around.end);
  }
  EXPECT_LE(std::chrono::abs(trace.runs.back().begin - record_->truth()), known);
}

TEST_F(DeviceRecords, AreForgottenWhenRecordingStarts) {
  tracer_.start();
  traced(&tracer_, whole_, *stream_, [&] { record_->in(*stream_, whole_); });
  stream_->synchronize();
  tracer_.start();
  EXPECT_TRUE(tracer_.take().runs.empty());
}

}  // namespace
}  // namespace halocline::device
