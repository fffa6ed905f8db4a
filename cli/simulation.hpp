#pragma once

#include <string>
#include <vector>

#include "context.hpp"
#include "halocline/domain/plan.hpp"
#include "halocline/model/closed_form.hpp"
#include "halocline/model/simulate.hpp"

namespace cli {

/// The flags that 'simulate' alone takes.
struct SimulateFlags {
  halocline::model::ExchangeParameters parameters;
  std::string study;  ///< empty: one exchange
};

/// The communication of one exchange by the closed form, from the map's nominal rates.
[[nodiscard]] halocline::model::ClosedForm closed_form_of(const halocline::Plan& plan);

[[nodiscard]] halocline::model::Simulated simulated(const halocline::Plan& plan,
                                                    std::span<const halocline::RoutedMessage> routes,
                                                    const halocline::model::ExchangeParameters& parameters);

[[nodiscard]] std::string levels_table(const halocline::model::Simulated& found);
[[nodiscard]] Json levels_json(const halocline::model::Simulated& found);

/// The studies there are.
[[nodiscard]] const std::vector<std::string>& studies();
/// Simulates flags.study for 1, 2, 4, ... nodes of the machine that the flags describe. Collective.
int run_study(Context& context, const SimulateFlags& flags);

}  // namespace cli
