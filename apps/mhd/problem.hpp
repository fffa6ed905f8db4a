// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "mhd/forcing.hpp"
#include "mhd/parameters.hpp"

namespace mhd {

/// What a run starts from.
enum class Start : int {
  random,       ///< all fields uniform in [0, 1): the paper's benchmark
  sound_wave,   ///< along x, to the right
  alfven_wave,  ///< circular, along x and the imposed field, to the right: an exact solution where nothing diffuses
  orszag_tang,  ///< the vortex of Orszag and Tang, with a weak dependence on z
  decaying,     ///< a few random waves of velocity and magnetic field
  forced,       ///< at rest, with a weak random magnetic field; forcing does the rest
};
inline constexpr std::array<std::string_view, 6> start_names{"random",      "sound-wave", "alfven-wave",
                                                             "orszag-tang", "decaying",   "forced"};

struct Problem {
  Start start = Start::random;
  std::optional<double> amplitude{};  ///< of waves and turbulence, 0 or more; unset: the start's own
  std::uint64_t seed = 1;
};

/// The amplitude that is meant where none is given.
[[nodiscard]] double default_amplitude(Start start);
/// What the start needs of the fluid: an imposed field along x of strength 1 for the Alfvén wave, unless there is one.
[[nodiscard]] Parameters adapted(Parameters parameters, Start start);
/// The default forcing: amplitude 0.05 for forced turbulence, otherwise none.
[[nodiscard]] ForcingSettings default_forcing(Start start);

/// The initial values of the eight fields at a cell, a function of its coordinates in the domain alone. Throws InvalidArgument
/// where the parameters do not fit the start.
using InitialValues = std::function<std::array<double, field_count>(const halocline::Vec3&)>;
[[nodiscard]] InitialValues initial_values(const Problem& problem, const halocline::Vec3& extent,
                                           const Parameters& parameters);

}  // namespace mhd
