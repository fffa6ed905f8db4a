// SPDX-License-Identifier: BSD-3-Clause
// How much longer steps take while a checkpoint is written: bench_checkpoint FOLDER [CELLS [ROUNDS [MB/S]]]. One process, its devices
// (HALOCLINE_BACKEND), jacobi3d's step on CELLS^3 cells of fp64. Each round runs a number of steps twice, without a checkpoint and with
// one that start() began before them, in alternating order. The number is such that the steps take nine tenths of the time in which a checkpoint is written,
// so that it is under way all the time: `left` is what finish() still waits for. MB/S: the rate of its file, 0 for no limit. Prints CSV; the first line has the setting.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "core/median.hpp"
#include "halocline/files.hpp"
#include "halocline/halocline.hpp"
#include "jacobi3d/jacobi3d.hpp"

namespace {

template <typename Work>
double seconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Round {
  double alone = 0;   ///< seconds of the steps
  double start = 0;   ///< of start(), until it returns
  double beside = 0;  ///< of the steps after it
  double left = 0;    ///< of finish()
};

int run(const std::string& folder, std::int64_t cells, int rounds, double most_megabytes_per_second) {
  const hc::DomainOptions options = hc::DomainOptions::from(hc::Environment::read());
  hc::Domain domain(hc::Vec3::filled(cells), jacobi3d::stencil(), options);
  const auto field = domain.add_field<double>("temperature", {.buffers = 2});
  domain.realize();
  jacobi3d::Solver<double> solver(domain, field);
  solver.initialise();
  hc::Checkpoints checkpoints(domain, folder, {.most_bytes_per_second = most_megabytes_per_second * 1e6});
  jacobi3d::Settings settings;
  settings.halos = jacobi3d::Halos::exchanged;
  const auto steps = [&] {
    return seconds_of([&] {
      solver.run(settings);
      domain.synchronize();
    });
  };

  std::vector<double> writes;
  for (int i = 0; i < 3; ++i) writes.push_back(seconds_of([&] { checkpoints.write(); }));
  const double megabytes = static_cast<double>(cells * cells * cells) * sizeof(double) / 1e6;
  double write = halocline::median(writes);
  if (most_megabytes_per_second > 0) write = std::max(write, megabytes / most_megabytes_per_second);
  settings.steps = 10;
  steps();
  settings.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.9 * write / steps() * 10));
  fmt::print("# {}^3 cells, {} device(s), {:.1f} MB in {:.3f} s: {:.0f} MB/s; {} steps\n", cells,
             domain.plan().devices.count(), megabytes, write, megabytes / write, settings.steps);
  fmt::print("round,alone_s,start_s,beside_s,left_s,longer_percent\n");
  std::vector<double> longer;
  for (int i = 0; i < rounds; ++i) {
    Round round;
    const auto beside = [&] {
      round.start = seconds_of([&] { checkpoints.start(); });
      round.beside = steps();
      round.left = seconds_of([&] { checkpoints.finish(); });
    };
    if (i % 2 == 0) beside();
    round.alone = steps();
    if (i % 2 == 1) beside();
    longer.push_back(100 * ((round.start + round.beside) / round.alone - 1));
    fmt::print("{},{:.4f},{:.4f},{:.4f},{:.4f},{:.2f}\n", i, round.alone, round.start, round.beside, round.left,
               longer.back());
  }
  std::sort(longer.begin(), longer.end());
  fmt::print("# longer by {:.2f} % (median), {:.2f} to {:.2f} % (quartiles)\n", halocline::median(longer),
             longer[longer.size() / 4], longer[longer.size() * 3 / 4]);
  domain.close();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      fmt::print(stderr, "bench_checkpoint FOLDER [CELLS [ROUNDS [MB/S]]]\n");
      return EXIT_FAILURE;
    }
    return run(argv[1], argc > 2 ? std::atoll(argv[2]) : 256, argc > 3 ? std::atoi(argv[3]) : 20,
               argc > 4 ? std::atof(argv[4]) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_checkpoint: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
