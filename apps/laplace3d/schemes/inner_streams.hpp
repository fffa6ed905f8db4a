// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "domain/internals.hpp"
#include "halocline/domain.hpp"

namespace laplace3d {

/// A second stream for each local subdomain.
class InnerStreams {
 public:
  explicit InnerStreams(const halocline::Domain& domain) {
    for (const auto& subdomain : domain.subdomains()) {
      auto& backend = internals(subdomain).backend();
      const int device = subdomain.device();
      lanes_.push_back({&stream_of(subdomain), backend.create_stream(device), backend.create_event(device)});
    }
  }
  [[nodiscard]] halocline::device::Stream& stream(std::size_t i) const { return *lanes_[i].own; }
  /// Orders later work in stream(i) after the work that is in the subdomain's stream by now.
  void fork(std::size_t i) const { order(i, *lanes_[i].users, *lanes_[i].own); }
  /// Orders later work in the subdomain's stream after the work that is in stream(i) by now.
  void join(std::size_t i) const { order(i, *lanes_[i].own, *lanes_[i].users); }

 private:
  void order(std::size_t i, halocline::device::Stream& first, halocline::device::Stream& then) const {
    first.record(*lanes_[i].mark);
    then.wait(*lanes_[i].mark);
  }
  struct Lane {
    halocline::device::Stream* users;
    std::unique_ptr<halocline::device::Stream> own;
    std::unique_ptr<halocline::device::Event> mark;
  };
  std::vector<Lane> lanes_;
};

}  // namespace laplace3d
