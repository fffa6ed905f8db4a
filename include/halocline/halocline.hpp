// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Everything a program needs, in the order of the pipeline. mpi.hpp is apart, because it needs MPI.

#include "halocline/box.hpp"
#include "halocline/communicator.hpp"
#include "halocline/cuda.hpp"
#include "halocline/devices.hpp"
#include "halocline/direction.hpp"
#include "halocline/domain.hpp"
#include "halocline/environment.hpp"
#include "halocline/error.hpp"
#include "halocline/field.hpp"
#include "halocline/files.hpp"
#include "halocline/host_array.hpp"
#include "halocline/ids.hpp"
#include "halocline/machine.hpp"
#include "halocline/options.hpp"
#include "halocline/partition.hpp"
#include "halocline/placement.hpp"
#include "halocline/regions.hpp"
#include "halocline/routing.hpp"
#include "halocline/session.hpp"
#include "halocline/split_view.hpp"
#include "halocline/stencil.hpp"
#include "halocline/stream.hpp"
#include "halocline/transfer.hpp"
#include "halocline/tuning.hpp"
#include "halocline/view.hpp"

namespace hc = halocline;
