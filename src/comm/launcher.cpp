// SPDX-License-Identifier: BSD-3-Clause
#include "comm/launcher.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "halocline/session.hpp"

namespace halocline::comm {
namespace {

/// The first line, cut to a length that fits into a sentence: MPICH's version text has pages.
std::string short_name(std::string_view library) {
  std::string name(library.substr(0, std::min(library.find('\n'), library.find(','))));
  for (auto& c : name) {
    if (c == '\t') c = ' ';
  }
  return name.empty() ? "an unknown MPI" : name;
}

std::string what_to_do(std::string_view mpiexec) {
  const std::string where = mpiexec.empty() ? std::string() : fmt::format(" ({})", mpiexec);
  return fmt::format(
      "start it with the mpirun of that MPI{}, or rebuild it with the MPI of the launcher, or set "
      "HALOCLINE_COMM=serial to run each process on its own",
      where);
}

/// MPICH and those built upon it, which Hydra can start.
bool speaks_pmi(std::string_view library) {
  for (const auto* name : {"MPICH", "Intel", "MVAPICH", "CRAY"}) {
    if (library.find(name) != std::string_view::npos) return true;
  }
  return false;
}

/// The rank of this process by the launcher's variables; nothing without a launcher.
std::optional<std::string> rank_variable(const Environment::Lookup& lookup) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (auto rank = lookup(name)) return rank;
  }
  return std::nullopt;
}

std::optional<std::string> variable_of_process(const std::string& name) {
  const char* text = std::getenv(name.c_str());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

std::string_view to_string(Launcher::Kind kind) {
  switch (kind) {
    case Launcher::Kind::none: return "no launcher";
    case Launcher::Kind::open_mpi: return "Open MPI's mpirun";
    case Launcher::Kind::hydra: return "Hydra (MPICH's mpiexec)";
    case Launcher::Kind::pmix: return "a PMIx launcher";
    case Launcher::Kind::slurm: return "Slurm's srun";
  }
  return "unknown";
}

Launcher detect_launcher(const Environment::Lookup& lookup) {
  Launcher launcher;
  const auto take = [&](Launcher::Kind kind, const char* name, const char* size_name) {
    const auto value = lookup(name);
    if (!value || launcher.kind != Launcher::Kind::none) return;
    launcher.kind = kind;
    launcher.evidence = fmt::format("{}={}", name, *value);
    const auto size = size_name == nullptr ? std::nullopt : lookup(size_name);
    if (size) std::from_chars(size->data(), size->data() + size->size(), launcher.size);
  };
  take(Launcher::Kind::open_mpi, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE");
  // Slurm's own PMI sets the same variables as Hydra's, but not the local ones.
  const bool under_srun = lookup("SLURM_STEP_ID") && lookup("SLURM_PROCID") && !lookup("MPI_LOCALNRANKS");
  take(under_srun ? Launcher::Kind::slurm : Launcher::Kind::hydra, "PMI_SIZE", "PMI_SIZE");
  take(Launcher::Kind::hydra, "MPI_LOCALNRANKS", nullptr);
  take(Launcher::Kind::pmix, "PMIX_RANK", under_srun ? "SLURM_STEP_NUM_TASKS" : nullptr);
  // An interactive shell is a step of one task, too, and is not a launch.
  if (under_srun && lookup("SLURM_STEP_NUM_TASKS").value_or("1") != "1") {
    take(Launcher::Kind::slurm, "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_TASKS");
  }
  return launcher;
}

Launcher detect_launcher() { return detect_launcher(variable_of_process); }

bool first_of_job(const Environment::Lookup& lookup) {
  const auto rank = rank_variable(lookup);
  return !rank || *rank == "0";
}

bool first_of_job() { return first_of_job(variable_of_process); }

int number_in_job(const Environment::Lookup& lookup) {
  const std::string text = rank_variable(lookup).value_or("0");
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max(number, 0);
}

int number_in_job() { return number_in_job(variable_of_process); }

std::optional<std::string> launcher_mismatch(const Launcher& launcher, std::string_view library,
                                             std::string_view mpiexec) {
  const bool open_mpi = library.find("Open MPI") != std::string_view::npos;
  const bool wrong = (launcher.kind == Launcher::Kind::hydra && open_mpi) ||
                     (launcher.kind == Launcher::Kind::open_mpi && speaks_pmi(library));
  // A single process works with any launcher.
  if (!wrong || launcher.size == 1) return std::nullopt;
  return fmt::format("started by {} ({}), but this program was built with {}: {}", to_string(launcher.kind),
                     launcher.evidence, short_name(library), what_to_do(mpiexec));
}

std::optional<std::string> alone_in_world(const Launcher& launcher, int world_size, std::string_view library,
                                          std::string_view mpiexec) {
  if (launcher.size <= 1 || world_size != 1) return std::nullopt;
  return fmt::format(
      "started by {} as {} processes ({}), but each is alone in its MPI world; this program was built "
      "with {}: {}",
      to_string(launcher.kind), launcher.size, launcher.evidence, short_name(library), what_to_do(mpiexec));
}

}  // namespace halocline::comm
