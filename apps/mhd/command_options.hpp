// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "common/command_files.hpp"
#include "mhd/command_communication.hpp"
#include "mhd/mhd.hpp"
#include "mhd/study.hpp"

/// The flags of `halocline run mhd`.
namespace apps {

struct MhdOptions {
  mhd::Settings settings;
  std::optional<std::int64_t> steps;    ///< --steps, which counts more than --paper
  std::optional<std::int64_t> warm_up;  ///< --warm-up, likewise
  std::optional<mhd::Start> initial;
  mhd::Problem problem;  ///< its start is set by complete()
  mhd::Parameters parameters;
  std::optional<double> imposed_field;  ///< along x
  std::optional<double> cfl;
  std::optional<std::int64_t> cfl_every;
  std::optional<double> spacing;
  mhd::ForcingSettings forcing;
  std::optional<double> forcing_amplitude;
  std::optional<double> forcing_wave_number;
  std::optional<double> helicity;
  int order = 6;
  bool singles = false;
  std::optional<halocline::Element> wire;  ///< of all fields
  bool corners = false;
  bool halo_in_x = false;
  int substeps_per_exchange = 1;
  bool try_substeps = false;  ///< and take the fastest number
  bool check = false;
  bool parts = false;
  bool paper = false;
  MhdCommunication communication;
  FileOptions files;
  std::optional<std::string> variant;
  std::optional<mhd::StudyKind> study;
  std::vector<halocline::Vec3> sizes;  ///< of a study, instead of --size
  std::vector<int> device_counts;
  std::optional<std::string> csv;
};

void add_mhd_options(CLI::App& command, MhdOptions& own);

/// The time step of the paper's benchmark.
inline constexpr double paper_dt = 1.19209e-7;
/// What the flags of a single run decide together. Throws InvalidArgument where they contradict.
void complete(MhdOptions& own, const halocline::Vec3& size);
/// The same for --study: what each of its cases is run with.
[[nodiscard]] mhd::Study study_of(const MhdOptions& own, const cli::Options& options);

/// `--study`: in run_mhd_study.cpp.
int run_mhd_study(cli::Context& context, const MhdOptions& own);

}  // namespace apps
