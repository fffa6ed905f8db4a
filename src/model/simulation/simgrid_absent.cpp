#include "halocline/core/error.hpp"
#include "model/simulation/network.hpp"

namespace halocline::model::simulation {

bool built() { return false; }

std::vector<double> ends_of(std::span<const double>, std::span<const LinkFlow>) {
  throw CapabilityError(
      "SimGrid is not built into this Halocline: install libsimgrid-dev and configure it with HALOCLINE_SIMGRID=ON and "
      "HALOCLINE_MPI=OFF");
}

}  // namespace halocline::model::simulation
