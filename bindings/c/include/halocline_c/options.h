// SPDX-License-Identifier: BSD-3-Clause
// What a user may decide about a domain. Included by halocline.h.
#ifndef HALOCLINE_C_OPTIONS_H
#define HALOCLINE_C_OPTIONS_H

#include "base.h"

// Ends of a dimension.
enum {
  HALOCLINE_PERIODIC = 0,
  HALOCLINE_OPEN = 1,
  HALOCLINE_PERIODIC_IN_KERNEL = 2  // if not cut, no halo: kernels read the cells beyond one end at the other end
};

enum {
  HALOCLINE_BACKEND_DEFAULT = 0,  // HALOCLINE_BACKEND, or GPUs if every rank sees one
  HALOCLINE_BACKEND_HOST = 1,
  HALOCLINE_BACKEND_CUDA = 2
};

enum {
  HALOCLINE_PARTITION_DEFAULT = 0,  // automatic, or given where cuts or grids are
  HALOCLINE_PARTITION_BISECTION = 1,
  HALOCLINE_PARTITION_EXACT = 2,
  HALOCLINE_PARTITION_Z_ORDER = 3,
  HALOCLINE_PARTITION_GIVEN = 4,
  HALOCLINE_PARTITION_FASTEST = 5,
  HALOCLINE_PARTITION_AUTOMATIC = 6
};

enum {
  HALOCLINE_PLACEMENT_DEFAULT = 0,  // automatic, or given where owners are
  HALOCLINE_PLACEMENT_TRIVIAL = 1,
  HALOCLINE_PLACEMENT_EXACT = 2,
  HALOCLINE_PLACEMENT_CRAFT = 3,
  HALOCLINE_PLACEMENT_RANDOM = 4,
  HALOCLINE_PLACEMENT_AUTOMATIC = 5,
  HALOCLINE_PLACEMENT_GIVEN = 6,
  HALOCLINE_PLACEMENT_FASTEST = 7,
  HALOCLINE_PLACEMENT_SYSTEM = 8
};

enum {
  HALOCLINE_MESSAGES_DEFAULT = 0,  // by_direction where that member is set, otherwise by neighbour
  HALOCLINE_MESSAGES_BY_NEIGHBOUR = 1,
  HALOCLINE_MESSAGES_BY_DIRECTION = 2,
  HALOCLINE_MESSAGES_BY_RANK = 3,  // by mpi_staged: one for all from a rank to another
  HALOCLINE_MESSAGES_BY_NODE = 4,  // likewise from a node to another, on host devices
  HALOCLINE_MESSAGES_AUTO = 5      // one of these, by predicted time
};

// A device, by the rank that drives it, and its ordinal among the rank's own.
typedef struct halocline_owner {
  int64_t rank;
  int32_t device;
} halocline_owner;

// A member that is 0 or NULL has its default, which is HALOCLINE_...'s where the environment sets it. `size` is the size of the struct that
// the program was compiled with:
//     halocline_options options = HALOCLINE_OPTIONS_INIT;
//     options.devices = 2;
typedef struct halocline_options {
  size_t size;
  int32_t boundaries[3];       // HALOCLINE_PERIODIC, ...
  int32_t in_place;            // kernels write what they read: cells that are sent wait until they are sent
  int32_t steps_per_exchange;  // 1
  int32_t backend;             // HALOCLINE_BACKEND_...
  int32_t devices;             // of each rank; 1 host device, or an equal share of the node's GPUs
  int32_t host_workers;        // threads of host devices; by cores and ranks
  int32_t ranks_per_node;      // virtual nodes of so many ranks; as the communicator finds them
  int32_t partition;           // HALOCLINE_PARTITION_...
  int64_t node_grid[3];        // of its own, implies HALOCLINE_PARTITION_GIVEN; 0 0 0: none
  int64_t device_grid[3];
  const int64_t* cuts[3];  // by dimension the positions 0 = c0 < c1 < ... < cn = extent; all three, or none
  int64_t cut_counts[3];
  const double* weights;  // relative speed of each subdomain's device, by its id
  int64_t weight_count;
  int32_t placement;              // HALOCLINE_PLACEMENT_...
  int32_t by_direction;           // messages: one for each direction in place of one for each neighbour
  uint64_t placement_seed;        // for HALOCLINE_PLACEMENT_RANDOM
  const halocline_owner* owners;  // by subdomain id, each device of the machine once
  int64_t owner_count;
  const char* transports;     // "direct,mpi_staged" allows these in this order, "-direct" forbids
  const char* machine;        // a document of `halocline machine --json`; the discovered machine
  int32_t validate_ordering;  // finds work that races with exchanges; slow
  int32_t
      measure_weights;  // plan() measures the devices' speeds, and cuts cells in proportion; excludes cuts and weights
  double timeout;       // seconds that a collective or a step of an exchange may take; 120
  int32_t messages;     // HALOCLINE_MESSAGES_...
} halocline_options;

#ifdef __cplusplus
#define HALOCLINE_OPTIONS_INIT \
  halocline_options { sizeof(halocline_options) }
#else
#define HALOCLINE_OPTIONS_INIT \
  { .size = sizeof(halocline_options) }
#endif

#endif
