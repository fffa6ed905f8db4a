// SPDX-License-Identifier: BSD-3-Clause
// bench_ceilings [--out FILE] [--part NAME,...] [--edge CELLS,...]: what the machine at hand allows, to be measured in the same run as
// what is compared with it. Start it with as many ranks as exchange over MPI or UCX: mpirun -n 4 bench_ceilings
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "ceilings/ceilings.hpp"
#include "comm/agree.hpp"
#include "halocline/error.hpp"
#include "support/program.hpp"
#include "support/sampling.hpp"

namespace halocline::bench {

Ceilings::Ceilings(comm::RankGroup& world, const std::string& path) : writes_(world.rank().value() == 0) {
  comm::agree_on(world, [&] {
    if (!writes_) return;
    if (!path.empty()) {
      csv_ = std::make_unique<Csv>(path, std::vector<std::string>{"part", "what", "bytes", "devices", "unit", "min",
                                                                  "median", "max", "repeats"});
    }
    fmt::print("{:<10} {:<58} {:>12} {:>7} {:>12} {:>12} {:>12}\n", "part", "what", "bytes", "devices", "min", "median",
               "max");
  });
}

void Ceilings::add(const std::string& part, const std::string& what, double bytes, int devices, const std::string& unit,
                   double factor, std::span<const double> values) {
  if (!writes_) return;
  const Spread spread = spread_of(values);
  fmt::print("{:<10} {:<58} {:>12.0f} {:>7} {:>12.2f} {:>12.2f} {:>12.2f} {}\n", part, what, bytes, devices,
             spread.min * factor, spread.median * factor, spread.max * factor, unit);
  std::fflush(stdout);
  if (!csv_) return;
  csv_->row({part, what, fmt::format("{:.0f}", bytes), std::to_string(devices), unit,
             fmt::format("{:.4f}", spread.min * factor), fmt::format("{:.4f}", spread.median * factor),
             fmt::format("{:.4f}", spread.max * factor), std::to_string(values.size())});
}

void Ceilings::rate(const std::string& part, const std::string& what, double bytes, int devices,
                    std::span<const double> rates) {
  add(part, what, bytes, devices, "GB/s", 1e-9, rates);
}

void Ceilings::time(const std::string& part, const std::string& what, double bytes, std::span<const double> seconds) {
  add(part, what, bytes, 1, "us", 1e6, seconds);
}

void Ceilings::note(const std::string& part, const std::string& text) {
  if (writes_) fmt::print("{:<10} {}\n", part, text);
}

void Ceilings::left_out(const std::string& part, const std::string& why) { note(part, "left out: " + why); }

namespace {

std::vector<Part> all_parts(const Edges& edges) {
  auto parts = gpu_parts();
  for (const auto& more : {mpi_parts(edges), ucx_parts(edges)}) parts.insert(parts.end(), more.begin(), more.end());
  return parts;
}

std::vector<Part> chosen(const std::vector<std::string>& names, const Edges& edges) {
  auto parts = all_parts(edges);
  if (names.empty()) return parts;
  std::vector<Part> wanted;
  for (const auto& name : names) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == name; });
    if (found == parts.end()) {
      std::string allowed;
      for (const auto& part : parts) allowed += (allowed.empty() ? "" : ", ") + part.name;
      throw InvalidArgument(fmt::format("--part is '{}'; allowed are {}", name, allowed.empty() ? "none" : allowed));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

}  // namespace
}  // namespace halocline::bench

int main(int argc, char** argv) {
  namespace bench = halocline::bench;
  CLI::App app("what the machine at hand allows", "bench_ceilings");
  std::string out;
  std::vector<std::string> names;
  bench::Edges edges{64, 128, 256, 512};
  app.add_option("--out", out, "CSV file to add to");
  app.add_option("--part", names, "what to measure; several: memory,links (default: all that this build can)")
      ->delimiter(',');
  app.add_option("--edge", edges, "cells of the cubes of which two faces are exchanged by MPI and UCX; several: 64,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 2048))
      ->capture_default_str();
  return bench::run_program(argc, argv, app, [&](halocline::comm::RankGroup& world, const halocline::Environment&) {
    const auto parts = bench::chosen(names, edges);
    bench::Ceilings ceilings(world, out);
    for (const auto& part : parts) part.measure(world, ceilings);
    return 0;
  });
}
