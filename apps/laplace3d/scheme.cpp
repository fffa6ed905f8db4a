// SPDX-License-Identifier: BSD-3-Clause
#include "laplace3d/scheme.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"
#include "laplace3d/schemes/schemes.hpp"

namespace laplace3d {

std::string_view to_string(SchemeKind kind) {
  switch (kind) {
    case SchemeKind::baseline: return "baseline";
    case SchemeKind::left_right: return "left-right";
    case SchemeKind::pairwise: return "pairwise";
    case SchemeKind::threads: return "threads";
    case SchemeKind::threads_p2p: return "threads+p2p";
    case SchemeKind::halocline: break;
  }
  return "halocline";
}

SchemeKind scheme_of(std::string_view name) {
  std::string names;
  for (const SchemeKind kind : all_schemes) {
    if (name == to_string(kind)) return kind;
    names += fmt::format(" {}", to_string(kind));
  }
  throw halocline::InvalidArgument(fmt::format("scheme is '{}'; allowed is one of{}", name, names));
}

template <typename T>
std::unique_ptr<Scheme> make_scheme(SchemeKind kind, const Setting<T>& setting) {
  const int ranks = setting.domain->plan().comm.size();
  if (kind != SchemeKind::halocline && ranks > 1) {
    throw halocline::InvalidArgument(fmt::format(
        "scheme '{}' has its threads pass pointers, so that it needs all devices in one process, and there are "
        "{} ranks; allowed are 1 rank, or the scheme 'halocline'",
        to_string(kind), ranks));
  }
  switch (kind) {
    case SchemeKind::baseline: return make_baseline(setting);
    case SchemeKind::left_right: return make_two_phase(setting, Phases::left_right);
    case SchemeKind::pairwise: return make_two_phase(setting, Phases::pairwise);
    case SchemeKind::threads: return make_threads(setting, Way::through_host);
    case SchemeKind::threads_p2p: return make_threads(setting, Way::device_to_device);
    case SchemeKind::halocline: break;
  }
  return make_own_exchange(setting);
}

template std::unique_ptr<Scheme> make_scheme<float>(SchemeKind, const Setting<float>&);
template std::unique_ptr<Scheme> make_scheme<double>(SchemeKind, const Setting<double>&);

}  // namespace laplace3d
