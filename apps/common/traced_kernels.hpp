// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/tracer.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace apps {

using halocline::device::Work;

/// Launches the kernels of an application, and records when they run while exchanges of the domain are traced
/// (InternalOptions::trace). Otherwise a launch costs the comparison of a pointer.
class TracedKernels {
 public:
  /// The domain is realised, and outlives it.
  explicit TracedKernels(const halocline::Domain& domain);

  /// launch() enqueues a kernel for cells of a local subdomain in the stream.
  template <typename Launch>
  void run(Work work, const halocline::Subdomain& subdomain, halocline::device::Stream& stream, Launch&& launch) {
    if (!halocline::device::is_traced(tracer_, stream)) return launch();
    tracer_->begin(operation(work, subdomain, stream), stream);
    launch();
    tracer_->end(stream);
  }
  /// In the subdomain's own stream, or in the stream of a part of its boundary that was handed out (Domain::BoundaryUpdate).
  template <typename Launch>
  void run(Work work, const halocline::Subdomain& subdomain, Launch&& launch) {
    run(work, subdomain, stream_of(subdomain), std::forward<Launch>(launch));
  }

 private:
  std::size_t operation(Work work, const halocline::Subdomain& subdomain, const halocline::device::Stream& stream);

  halocline::device::Tracer* tracer_;  ///< null: none
  std::map<const halocline::device::Stream*, std::string> tracks_;
  std::map<std::pair<const halocline::device::Stream*, Work>, std::size_t> operations_;
};

}  // namespace apps
