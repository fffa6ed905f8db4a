// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline.h>

#include <halocline/halocline.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halocline::c {

/// A domain and what belongs to it. Graphs and host arrays keep it, so that handles are destroyed in any order.
struct DomainState {
  template <typename... Arguments>
  explicit DomainState(Arguments&&... arguments) : domain(std::forward<Arguments>(arguments)...) {}

  std::vector<std::unique_ptr<Stream>> streams;  ///< of halocline_domain_use_streams(); they outlive the domain
  Domain domain;
  std::optional<ExchangeHandle> exchange;
  std::optional<Capture> capture;
  const Subdomain* part =
      nullptr;  ///< while the caller's function updates it: with the stream of a part of its boundary
  std::string explanation;
  std::string machine;
};

/// What the domain's plan() has determined. Throws InvalidArgument before it, as the functions of C that return parts of it are local.
[[nodiscard]] Planned planned(DomainState& state);

/// The local subdomain at a position, or state.part if that is a part of it. Throws InvalidArgument for another position.
[[nodiscard]] const Subdomain& subdomain_at(const DomainState& state, std::int32_t position);

}  // namespace halocline::c

struct halocline_domain {
  std::shared_ptr<halocline::c::DomainState> state;
};

struct halocline_graph {
  std::shared_ptr<halocline::c::DomainState> state;  ///< first, so that it goes after the steps
  halocline::Graph steps;
};

struct halocline_host_array {
  std::shared_ptr<halocline::c::DomainState> state;
  halocline::HostBytes bytes;
  std::int32_t subdomain;
  halocline_field field;
  halocline::FieldDescriptor descriptor;  ///< as its memory may be used after the domain is closed
};

struct halocline_output {
  std::shared_ptr<halocline::c::DomainState> state;  ///< first, so that it goes after the output
  halocline::Output output;
};

struct halocline_checkpoints {
  std::shared_ptr<halocline::c::DomainState> state;
  halocline::Checkpoints checkpoints;
  halocline::Metadata metadata;  ///< of the checkpoint that was restored
  std::string refused;
};
