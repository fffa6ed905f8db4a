// SPDX-License-Identifier: BSD-3-Clause
#include "discovery/speeds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "core/median.hpp"
#include "halocline/error.hpp"

namespace halocline::machine {
namespace {

constexpr int most_runs = 200;

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Runs of a trial, timed by the device's own marks.
class Runs {
 public:
  Runs(device::Backend& backend, const Trial& trial)
      : backend_(&backend),
        trial_(&trial),
        begun_(backend.create_event(trial.stream->device(), Timing::on)),
        ended_(backend.create_event(trial.stream->device(), Timing::on)) {}

  Duration run() {
    trial_->stream->record(*begun_);
    trial_->enqueue();
    trial_->stream->record(*ended_);
    backend_->wait_until([this] { return ended_->query(); }, Deadline());
    return ended_->since(*begun_);
  }

 private:
  device::Backend* backend_;
  const Trial* trial_;
  std::unique_ptr<Event> begun_, ended_;
};

double speed_of(device::Backend& backend, const Trial& trial) {
  Runs runs(backend, trial);
  Duration spent = runs.run();
  std::vector<double> times;
  do {
    const Duration time = runs.run();
    spent += time;
    times.push_back(seconds_of(time));
  } while (spent < longest_trial && std::ssize(times) < most_runs);
  const double time = median(times);
  if (trial.cells > 0 && time > 0) return static_cast<double>(trial.cells) / time;
  throw InvalidArgument(
      fmt::format("kernel on device {} updates {} cells in {} s; allowed are kernels with cells and time",
                  trial.stream->device(), trial.cells, time));
}

void level(std::vector<double>& speeds) {
  const auto [slowest, fastest] = std::ranges::minmax(speeds);
  if (fastest > Speeds::alike * slowest) return;
  const double mean = std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
  std::ranges::fill(speeds, mean);
}

constexpr Vec3 standard_extent{96, 96, 64};
constexpr std::int64_t copied_bytes = std::int64_t{64} << 20;

void update(const std::vector<double>& from, std::vector<double>& to, const Box& box) {
  constexpr std::int64_t row = standard_extent.x + 2;
  constexpr std::int64_t plane = row * (standard_extent.y + 2);
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      const std::int64_t first = (z + 1) * plane + (y + 1) * row + 1;
      const double* in = from.data() + first;
      double* out = to.data() + first;
      for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) {
        out[x] =
            0.25 * in[x] + 0.125 * (in[x - 1] + in[x + 1] + in[x - row] + in[x + row] + in[x - plane] + in[x + plane]);
      }
    }
  }
}

/// A standard kernel, with what it uses.
struct Standard {
  std::unique_ptr<device::Stream> stream;
  std::unique_ptr<device::Buffer> from, to;
  Trial trial;
};

Standard standard_on(device::Backend& backend, int device) {
  Standard made;
  made.stream = backend.create_stream(device);
  device::Stream* const stream = made.stream.get();
  if (backend.kind() == DeviceKind::host) {
    const Vec3 all = standard_extent + Vec3::filled(2);
    const auto cells = std::make_shared<std::vector<double>>(static_cast<std::size_t>(all.volume()), 1.0);
    const auto next = std::make_shared<std::vector<double>>(*cells);
    made.trial = {stream, standard_extent.volume(), [stream, cells, next] {
                    stream->launch(Box::of_extent(standard_extent),
                                   [cells, next](const Box& box) { update(*cells, *next, box); });
                  }};
    return made;
  }
  made.from = backend.allocate(device, copied_bytes);
  made.to = backend.allocate(device, copied_bytes);
  made.trial = {stream, copied_bytes / 8,
                [stream, from = made.from->data(), to = made.to->data()] { stream->copy(to, from, copied_bytes); }};
  return made;
}

}  // namespace

std::string Speeds::text() const { return fmt::format("measured in {:.2f} s", seconds); }

Speeds measure_speeds(comm::RankGroup& comm, device::Backend& backend, const std::vector<Trial>& trials) {
  comm.barrier();
  std::vector<double> mine;
  const Duration began = comm.clock().now();
  comm::agree_on(comm, [&] {
    for (const Trial& trial : trials) mine.push_back(speed_of(backend, trial));
  });
  Speeds all;
  all.seconds = comm.all_reduce(seconds_of(comm.clock().now() - began), comm::Reduction::max);
  for (const auto& speeds : comm::gather(comm, mine)) {
    all.cells_per_second.insert(all.cells_per_second.end(), speeds.begin(), speeds.end());
  }
  level(all.cells_per_second);
  return all;
}

Speeds measure_speeds(comm::RankGroup& comm, device::Backend& backend) {
  std::vector<Standard> standards;
  comm::agree_on(comm, [&] {
    for (int device = 0; device < backend.device_count(); ++device) standards.push_back(standard_on(backend, device));
  });
  std::vector<Trial> trials;
  for (const Standard& standard : standards) trials.push_back(standard.trial);
  return measure_speeds(comm, backend, trials);
}

}  // namespace halocline::machine
