#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "halocline/core/error.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace jacobi3d {
namespace {

using halocline::comm::Reduction;

/// Steps that may be enqueued before the host waits for them: enough that streams never run dry, few enough that
/// progress is seen and a failure is noticed.
constexpr std::int64_t steps_in_flight = 8;

void check_settings(const Settings& settings) {
  if (settings.steps < 1) {
    throw halocline::InvalidArgument(fmt::format("jacobi3d: steps is {}; allowed is 1 or more", settings.steps));
  }
  if (settings.residual_every < 0) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: residual_every is {}; allowed is 0 or more", settings.residual_every));
  }
  if (!(settings.tolerance >= 0)) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: tolerance is {}; allowed is 0 or more", settings.tolerance));
  }
}

}  // namespace

/// Times of one subdomain, written by functions that run in its stream, one after another; read after
/// synchronize().
template <typename T>
struct Solver<T>::Stopwatch {
  halocline::Duration last{};
  halocline::Duration compute{};
  halocline::Duration exchange{};

  static halocline::Duration now() { return halocline::Clock::steady().now(); }
  void start(halocline::device::Stream& stream) {
    stream.host_function([this] { last = now(); });
  }
  /// What passed since the last stamp was spent in `where`.
  void lap(halocline::device::Stream& stream, halocline::Duration Stopwatch::*where) {
    stream.host_function([this, where] {
      const auto time = now();
      this->*where += time - last;
      last = time;
    });
  }
};

halocline::Radius radius() { return halocline::Radius::faces(1); }

template <typename T>
Solver<T>::Solver(halocline::Domain& domain, halocline::Field<T> field)
    : domain_(domain), field_(field), problem_{domain.geometry().partition.extent()} {
  const auto& descriptor = domain.geometry().fields.at(field.id.index());
  if (descriptor.buffers != halocline::buffers::two) {
    throw halocline::InvalidArgument(
        fmt::format("jacobi3d: field '{}' has {} buffers; allowed is 2", descriptor.name, descriptor.buffers));
  }
}

template <typename T>
void Solver<T>::initialise() {
  for (const auto& subdomain : domain_.subdomains()) {
    subdomain.launch(subdomain.owned(), [problem = problem_, view = subdomain.view(field_)](const auto& box) {
      initialise_box<T>(problem, box, view);
    });
  }
}

template <typename T>
void Solver<T>::step(bool overlap, std::vector<Stopwatch>& stopwatches) {
  const auto subdomains = domain_.subdomains();
  const auto update = [this](const halocline::Subdomain& subdomain, const halocline::Box& target) {
    if (target.empty()) return;
    const auto source = subdomain.view(halocline::Field<const T>{field_.id});
    subdomain.launch(target, [problem = problem_, source, next = subdomain.view(field_, 1)](const auto& box) {
      update_box<T>(problem, box, source, next);
    });
  };
  for (std::size_t i = 0; i < subdomains.size(); ++i) stopwatches[i].start(subdomains[i].stream());
  domain_.start_exchange();
  if (overlap) {
    for (std::size_t i = 0; i < subdomains.size(); ++i) {
      update(subdomains[i], subdomains[i].interior());
      stopwatches[i].lap(subdomains[i].stream(), &Stopwatch::compute);
    }
  }
  domain_.finish_exchange();
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    stopwatches[i].lap(subdomains[i].stream(), &Stopwatch::exchange);
    if (overlap) {
      for (const auto& box : subdomains[i].exterior()) update(subdomains[i], box);
    } else {
      update(subdomains[i], subdomains[i].owned());
    }
    stopwatches[i].lap(subdomains[i].stream(), &Stopwatch::compute);
  }
}

/// Between the current buffer and the next one. Summed by subdomain in one order, then by rank: the same in
/// each run.
template <typename T>
Residual Solver<T>::residual() {
  const auto subdomains = domain_.subdomains();
  std::vector<Difference> parts(subdomains.size());
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const auto& s = subdomains[i];
    s.stream().host_function([&part = parts[i], owned = s.owned(), now = s.view(field_), next = s.view(field_, 1)] {
      part = difference<T>(owned, now, next);
    });
  }
  domain_.synchronize();
  Difference all;
  for (const auto& part : parts) {
    all.max = std::max(all.max, part.max);
    all.sum_of_squares += part.sum_of_squares;
  }
  return {domain_.comm().all_reduce(all.max, Reduction::max),
          std::sqrt(domain_.comm().all_reduce(all.sum_of_squares, Reduction::sum))};
}

template <typename T>
Result Solver<T>::run(const Settings& settings, const std::function<void(const Progress&)>& progress) {
  check_settings(settings);
  auto& comm = domain_.comm();
  std::vector<Stopwatch> stopwatches(domain_.subdomains().size());
  Result result;
  std::optional<Residual> latest;
  domain_.synchronize();
  comm.barrier();
  const auto start = Stopwatch::now();
  while (result.steps < settings.steps && !result.converged) {
    step(settings.overlap, stopwatches);
    ++result.steps;
    const bool last = result.steps == settings.steps;
    if (last || (settings.residual_every > 0 && result.steps % settings.residual_every == 0)) {
      latest = residual();
      result.converged = latest->max < settings.tolerance;
    } else if (result.steps % steps_in_flight == 0) {
      domain_.synchronize();
    }
    domain_.swap(field_);
    if (progress && (last || result.converged || result.steps % steps_in_flight == 0)) {
      progress({result.steps, settings.steps, latest});
    }
  }
  const auto total = static_cast<double>((Stopwatch::now() - start).count());
  result.residual = *latest;

  double sums[] = {0, 0, static_cast<double>(stopwatches.size())};
  for (const auto& stopwatch : stopwatches) {
    sums[0] += static_cast<double>(stopwatch.compute.count());
    sums[1] += static_cast<double>(stopwatch.exchange.count());
  }
  comm.all_reduce(std::span<double>(sums), Reduction::sum);
  const auto duration = [](double ns) { return halocline::Duration(static_cast<std::int64_t>(ns)); };
  result.timings.compute = duration(sums[0] / sums[2]);
  result.timings.exchange = duration(sums[1] / sums[2]);
  result.timings.total = duration(comm.all_reduce(total, Reduction::max));
  const auto cells = static_cast<double>(problem_.extent.volume());
  result.updates_per_second =
      cells * static_cast<double>(result.steps) * 1e9 / static_cast<double>(result.timings.total.count());
  return result;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace jacobi3d
