#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace halocline::model::simulation {

/// Runs `work` in a process of its own, and returns the numbers that it returned. For libraries whose state outlives their use.
/// The child ends without destructors. Throws ResourceError where no process can be started, InternalError where it ended
/// otherwise than by returning `count` numbers.
[[nodiscard]] std::vector<double> in_child(std::size_t count, const std::function<std::vector<double>()>& work);

}  // namespace halocline::model::simulation
