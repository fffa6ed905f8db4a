// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "doctor/check.hpp"

namespace cli::doctor {
namespace {

constexpr std::string_view report_it = "repeat with HALOCLINE_LOG=debug, and report what it prints";
constexpr std::string_view reinstall = "reinstall the library, or configure Halocline without it";

/// A check is one entry. Those that others depend on come first.
constexpr std::array checks{
    Check{"variables", try_variables, "see 'halocline --help-environment'"},
    Check{"launcher", try_launcher, "start it with the mpirun of the MPI that Halocline was built with"},
    Check{"MPI", try_mpi, "start it with the mpirun of the MPI that Halocline was built with"},
    Check{"MPI threads", try_mpi_threads, "use an MPI that was built with support of threads"},
    Check{"open files", try_open_files, "ulimit -n 4096"},
    Check{"locked memory", try_locked_memory, "ulimit -l unlimited"},
    Check{"/dev/shm", try_dev_shm, "mount a larger one; in containers --ipc=host or --shm-size=1g"},
    Check{"CUDA", try_cuda, "see the driver's log: dmesg | grep -i nvrm"},
    Check{"NVML", try_nvml, "install libnvidia-ml of the driver's version"},
    Check{"GPU modes", try_gpu_modes, report_it},
    Check{"devices", try_devices, "--backend host uses host devices"},
    Check{"ranks of a GPU", try_ranks_of_gpu, "one rank for each GPU"},
    Check{"GPU launches", try_overlapping_launches, "unset CUDA_LAUNCH_BLOCKING, and run without tools that serialise"},
    Check{"shared memory", try_shared_memory, report_it},
    Check{"peer access", try_peer_access, report_it},
    Check{"GPU-aware MPI", try_device_mpi, report_it},
    Check{"self", try_self, report_it},
    Check{"direct", try_direct, report_it},
    Check{"peer_copy", try_peer_copy, report_it},
    Check{"ipc_copy", try_ipc_copy, report_it},
    Check{"mpi_device", try_mpi_device, report_it},
    Check{"mpi_staged", try_mpi_staged, report_it},
    Check{"net", try_net, report_it},
    Check{"nccl", try_nccl_exchange, report_it},
    Check{"hwloc", try_hwloc, reinstall},
    Check{"Scotch", try_scotch, reinstall},
    Check{"PNG", try_png, reinstall},
    Check{"digests", try_digests, reinstall},
    Check{"UCX", try_ucx, reinstall},
    Check{"NCCL", try_nccl, reinstall},
    Check{"Python", try_python, "pip install . in Halocline's source"},
};

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::skipped: return "skipped";
    case Status::absent: return "absent";
    case Status::broken: return "no";
  }
  return "unknown";
}

std::span<const Check> all_checks() { return checks; }

}  // namespace cli::doctor
