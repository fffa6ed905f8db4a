// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "discovery/power.hpp"
#include "mhd/mhd.hpp"
#include "mhd/prediction.hpp"

namespace mhd {

/// The series of measurements of Pekkilä et al., Section 6. All start from random fields.
enum class StudyKind : int {
  strong,      ///< one domain on more and more devices (Figs. 10 and 11)
  parts,       ///< computation, exchange and synchronisation alone, without and with corners (Fig. 12)
  weak,        ///< as many cells a device on more and more devices (Fig. 13)
  each_order,  ///< differences of order 2 to 8 (Fig. 14)
  backends,    ///< strong scaling, and one row on the processor's cores (Fig. 15a has another code there)
};
inline constexpr std::array<std::string_view, 5> study_names{"strong", "parts", "weak", "orders", "backends"};

struct Study {
  StudyKind kind = StudyKind::strong;
  std::vector<halocline::Vec3> sizes;  ///< of the domain; with weak of a device's part
  /// Empty: 1, 2, 4 and so on up to what the job has, and that, as far as ranks can share them evenly.
  std::vector<int> device_counts;
  int order = 6;                        ///< of all but each_order
  bool corners = false;                 ///< of all but parts
  Settings settings;                    ///< dt must be set; the steps are those below
  bool paper = false;                   ///< paper_steps()
  std::optional<std::int64_t> warm_up;  ///< counts more than the paper's; neither: 10
  std::optional<std::int64_t> steps;    ///< likewise; neither: 100
  std::uint64_t seed = 1;
  Parameters parameters;
  BoundaryOrder boundary_order = BoundaryOrder::as_ready;
  std::optional<std::string> variant;  ///< of kernels; `auto` tries all in each case
  halocline::DomainOptions options;    ///< devices_per_rank is as many as a case may use
};

/// One domain on some devices.
struct StudyCase {
  halocline::Vec3 size;
  int devices = 1;  ///< of all ranks
  int order = 6;
  bool corners = false;
  bool host = false;  ///< on the processor's cores, as one host device, whatever the others run on
  int series = 0;  ///< cases that are compared with each other have the same number; the first has the fewest devices
  std::int64_t warm_up = 0;
  std::int64_t steps = 0;
};

/// Steps of warm-up and timed ones: 100 and 1,000, or 100 from 512^3 cells on.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> paper_steps(const halocline::Vec3& size);

/// How many ranks take part, the first ones, and how many devices each of them drives: ranks before devices.
struct StudyShare {
  int ranks = 1;
  int devices_per_rank = 1;
};
/// Nothing if they cannot share that number evenly. available: the fewest devices that a rank has.
[[nodiscard]] std::optional<StudyShare> share_of(int devices, int ranks, int available);

/// In the order in which they are run. Throws InvalidArgument for a number of devices that the job cannot share.
[[nodiscard]] std::vector<StudyCase> cases_of(const Study& study, int ranks, int available);

struct StudyRow {
  StudyCase of;
  int ranks = 0;  ///< that took part
  std::string backend;
  std::string grid;         ///< of devices: "1x2x2"
  bool overlapped = false;  ///< as set, or found to be the faster
  double step = 0;          ///< median seconds of a step
  double fastest = 0;       ///< of the timed steps
  double slowest = 0;
  Parts parts;
  Prediction prediction;            ///< with the rate of computation of the series' first row, and this row's exchange
  halocline::machine::Power power;  ///< mean over the timed steps, of all devices
};

/// Nanoseconds for each cell of the domain.
[[nodiscard]] double nanoseconds_a_cell(double seconds, const halocline::Vec3& size);
/// The model's time of a step over the measured one; 0 without a measurement.
[[nodiscard]] double efficiency_of_model(const StudyRow& row);
/// Cells a second and device over those on one device, in the row's series; unset where it has no such row.
[[nodiscard]] std::optional<double> efficiency_of_scaling(const StudyRow& row, const std::vector<StudyRow>& rows);
/// Of a cell's whole step; unset where power is not known.
[[nodiscard]] std::optional<double> updates_a_second_a_watt(const StudyRow& row);

/// Collective. A case on fewer devices than the job has runs on its first ranks, while the others wait. Rows are those of the cases
/// that this rank took part in, all of them on rank 0; done is called there after each case. Throws InvalidArgument as cases_of()
/// and Solver do.
template <typename T>
[[nodiscard]] std::vector<StudyRow> run_study(halocline::comm::RankGroup& world, const Study& study,
                                              const std::function<void(const std::vector<StudyRow>&)>& done = {});

}  // namespace mhd
