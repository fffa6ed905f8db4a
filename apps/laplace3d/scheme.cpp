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
    case SchemeKind::left_right_mpi: return "left-right+mpi";
    case SchemeKind::pairwise_mpi: return "pairwise+mpi";
    case SchemeKind::halocline: break;
  }
  return "halocline";
}

Processes processes_of(SchemeKind kind) {
  switch (kind) {
    case SchemeKind::baseline:
    case SchemeKind::left_right:
    case SchemeKind::pairwise:
    case SchemeKind::threads:
    case SchemeKind::threads_p2p: return Processes::one;
    case SchemeKind::left_right_mpi:
    case SchemeKind::pairwise_mpi: return Processes::one_a_device;
    case SchemeKind::halocline: break;
  }
  return Processes::any;
}

std::vector<SchemeKind> schemes_for(int ranks) {
  std::vector<SchemeKind> schemes;
  for (const SchemeKind kind : all_schemes) {
    if (ranks > 1 || processes_of(kind) != Processes::one_a_device) schemes.push_back(kind);
  }
  return schemes;
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
  const auto devices = setting.domain->subdomains().size();
  if (processes_of(kind) == Processes::one_a_device && devices != 1) {
    throw halocline::InvalidArgument(fmt::format(
        "scheme '{}' has a process for each device, and this one drives {} devices; allowed is 1 device for "
        "each rank, as by mpirun -n {}",
        to_string(kind), devices, devices * static_cast<std::size_t>(ranks)));
  }
  if (processes_of(kind) == Processes::one && ranks > 1) {
    throw halocline::InvalidArgument(fmt::format(
        "scheme '{}' has its threads pass pointers, so that it needs all devices in one process, and there are "
        "{} ranks; allowed are 1 rank, or the schemes 'left-right+mpi', 'pairwise+mpi' and 'halocline'",
        to_string(kind), ranks));
  }
  switch (kind) {
    case SchemeKind::baseline: return make_baseline(setting);
    case SchemeKind::left_right: return make_two_phase(setting, Phases::left_right);
    case SchemeKind::pairwise: return make_two_phase(setting, Phases::pairwise);
    case SchemeKind::threads: return make_threads(setting, Way::through_host);
    case SchemeKind::threads_p2p: return make_threads(setting, Way::device_to_device);
    case SchemeKind::left_right_mpi: return make_two_phase_mpi(setting, Phases::left_right);
    case SchemeKind::pairwise_mpi: return make_two_phase_mpi(setting, Phases::pairwise);
    case SchemeKind::halocline: break;
  }
  return make_own_exchange(setting);
}

template std::unique_ptr<Scheme> make_scheme<float>(SchemeKind, const Setting<float>&);
template std::unique_ptr<Scheme> make_scheme<double>(SchemeKind, const Setting<double>&);

}  // namespace laplace3d
