#pragma once

/// \file
/// Everything a program needs, in the order of the pipeline. comm/mpi.hpp is apart, because it needs MPI.

#include "halocline/comm/twins.hpp"
#include "halocline/core/box.hpp"
#include "halocline/core/direction.hpp"
#include "halocline/core/environment.hpp"
#include "halocline/core/error.hpp"
#include "halocline/core/field.hpp"
#include "halocline/core/ids.hpp"
#include "halocline/core/radius.hpp"
#include "halocline/device/backend.hpp"
#include "halocline/device/cuda.hpp"
#include "halocline/device/host.hpp"
#include "halocline/device/launch_threads.hpp"
#include "halocline/domain/backend.hpp"
#include "halocline/domain/domain.hpp"
#include "halocline/domain/host_array.hpp"
#include "halocline/domain/local_plan.hpp"
#include "halocline/exchange/exchange.hpp"
#include "halocline/machine/interconnect.hpp"
#include "halocline/machine/machine_map.hpp"
#include "halocline/overlap/outer_segments.hpp"
#include "halocline/overlap/outer_update.hpp"
#include "halocline/overlap/regions.hpp"
#include "halocline/overlap/steps.hpp"
#include "halocline/partition/strategy.hpp"
#include "halocline/placement/placement.hpp"
#include "halocline/routing/measured.hpp"
#include "halocline/routing/routing.hpp"

namespace hc = halocline;
