// SPDX-License-Identifier: BSD-3-Clause
#include "jacobi3d/command_run.hpp"

#include <algorithm>
#include <chrono>

#include "domain/internals.hpp"

namespace apps {
namespace {

void add_timings(jacobi3d::Timings& all, const jacobi3d::Timings& part, bool first) {
  all.total += part.total;
  if (first) {
    all.parts = part.parts;
  } else if (all.parts && part.parts) {
    all.parts->compute += part.parts->compute;
    all.parts->exchange += part.parts->exchange;
  } else {
    all.parts.reset();
  }
}

}  // namespace

jacobi3d::Result run_with_files(halocline::Domain& domain, RunFiles& files, RunTrace& trace,
                                const jacobi3d::Settings& settings,
                                const std::function<jacobi3d::Result(const jacobi3d::Settings&)>& run) {
  jacobi3d::Settings part = settings;
  part.last = settings.steps;
  jacobi3d::Result all;
  trace.at(files.first_step(), domain);
  for (std::int64_t step = files.first_step(); step < settings.steps && !all.converged;) {
    part.first = step;
    part.steps = std::min(files.next(step), trace.next(step)) - step;
    const jacobi3d::Result result = run(part);
    part.halos = result.halos;  // those that were found to be the fastest
    jacobi3d::Timings timings = all.timings;
    add_timings(timings, result.timings, step == files.first_step());
    step += result.steps;
    all = result;
    all.steps = step;
    all.timings = timings;
    trace.at(step, domain);
    files.write(step, static_cast<double>(step), all.converged || step == settings.steps);
  }
  const double took = std::chrono::duration<double>(all.timings.total).count();
  all.updates_per_second = static_cast<double>(internals(domain).geometry().partition.extent().volume()) *
                           static_cast<double>(all.steps - files.first_step()) / took;
  return all;
}

}  // namespace apps
