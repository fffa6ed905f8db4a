// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "context.hpp"
#include "model/closed_form.hpp"
#include "model/simulate.hpp"
#include "plan/plan.hpp"

namespace cli {

/// The flags that 'simulate' alone takes.
struct SimulateFlags {
  /// What flags say of software, in their order; what they leave open is the map's.
  std::vector<std::function<void(halocline::machine::Software&)>> software;
  bool links_alone = false;  ///< nothing of the map's software
  bool nominal = false;      ///< nothing that was measured
  std::string study;         ///< empty: one exchange
  bool csv = false;          ///< the rows of a study for halocline plot

  void apply(halocline::machine::MachineMap& machine) const;
};

/// The closed form's constants for one exchange, from the map's nominal rates; nothing of computation.
[[nodiscard]] halocline::model::ClosedFormConstants constants_of(const halocline::Plan& plan);
/// The plan's domain as the closed form takes it.
[[nodiscard]] halocline::model::ClosedFormCase even_case_of(const halocline::Plan& plan);
/// The communication of one exchange by the closed form, from the map's nominal rates.
[[nodiscard]] halocline::model::ClosedForm closed_form_of(const halocline::Plan& plan);

[[nodiscard]] halocline::model::Simulated simulated(
    const halocline::Plan& plan, std::span<const halocline::RoutedMessage> routes,
    halocline::routing::Messages messages = halocline::routing::Messages::by_neighbour);

[[nodiscard]] Json software_json(const halocline::machine::Software& software);
[[nodiscard]] std::string levels_table(const halocline::model::Simulated& found);
[[nodiscard]] Json levels_json(const halocline::model::Simulated& found);
/// The level that alone would take longest, or "none".
[[nodiscard]] std::string slowest_of(const halocline::model::Simulated& found);

/// The studies there are.
[[nodiscard]] const std::vector<std::string>& studies();
/// Simulates flags.study on the machine that the flags describe. Collective.
int run_study(Context& context, const SimulateFlags& flags);

}  // namespace cli
