// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The calls that are counted, as Fortran has them: X(name, number of arguments with the error code, way of ways.hpp).
/// Calls without buffers:
#define HALOCLINE_FORTRAN_CONTROL(X)                  \
  X(init, 1, Begun)                                   \
  X(init_thread, 3, Begun)                            \
  X(finalize, 1, Ended<note::finalize>)               \
  X(abort, 3, Ended<note::abort>)                     \
  X(start, 2, Started)                                \
  X(startall, 3, StartedAll)                          \
  X(request_free, 2, Freed)                           \
  X(barrier, 2, Counted<note::barrier, PMPI_Barrier>) \
  X(ibarrier, 3, Counted<note::barrier, PMPI_Ibarrier>)

/// From one rank to another.
#define HALOCLINE_FORTRAN_SENDS(X)                                                \
  X(send, 7, Counted<note::send, PMPI_Send>)                                      \
  X(bsend, 7, Counted<note::send, PMPI_Bsend>)                                    \
  X(ssend, 7, Counted<note::send, PMPI_Ssend>)                                    \
  X(rsend, 7, Counted<note::send, PMPI_Rsend>)                                    \
  X(isend, 8, Counted<note::send, PMPI_Isend>)                                    \
  X(ibsend, 8, Counted<note::send, PMPI_Ibsend>)                                  \
  X(issend, 8, Counted<note::send, PMPI_Issend>)                                  \
  X(irsend, 8, Counted<note::send, PMPI_Irsend>)                                  \
  X(sendrecv, 13, Counted<note::sendrecv, PMPI_Sendrecv>)                         \
  X(sendrecv_replace, 10, Counted<note::sendrecv_replace, PMPI_Sendrecv_replace>) \
  X(send_init, 8, Planned<note::send_init, PMPI_Send_init>)                       \
  X(bsend_init, 8, Planned<note::send_init, PMPI_Bsend_init>)                     \
  X(ssend_init, 8, Planned<note::send_init, PMPI_Ssend_init>)                     \
  X(rsend_init, 8, Planned<note::send_init, PMPI_Rsend_init>)

#define HALOCLINE_FORTRAN_COLLECTIVES(X)                                                       \
  X(bcast, 6, Counted<note::bcast, PMPI_Bcast>)                                                \
  X(ibcast, 7, Counted<note::bcast, PMPI_Ibcast>)                                              \
  X(gather, 9, Counted<note::gather, PMPI_Gather>)                                             \
  X(igather, 10, Counted<note::gather, PMPI_Igather>)                                          \
  X(gatherv, 10, Counted<note::gatherv, PMPI_Gatherv>)                                         \
  X(igatherv, 11, Counted<note::gatherv, PMPI_Igatherv>)                                       \
  X(scatter, 9, Counted<note::scatter, PMPI_Scatter>)                                          \
  X(iscatter, 10, Counted<note::scatter, PMPI_Iscatter>)                                       \
  X(scatterv, 10, Counted<note::scatterv, PMPI_Scatterv>)                                      \
  X(iscatterv, 11, Counted<note::scatterv, PMPI_Iscatterv>)                                    \
  X(allgather, 8, Counted<note::allgather, PMPI_Allgather>)                                    \
  X(iallgather, 9, Counted<note::allgather, PMPI_Iallgather>)                                  \
  X(allgatherv, 9, Counted<note::allgatherv, PMPI_Allgatherv>)                                 \
  X(iallgatherv, 10, Counted<note::allgatherv, PMPI_Iallgatherv>)                              \
  X(alltoall, 8, Counted<note::alltoall, PMPI_Alltoall>)                                       \
  X(ialltoall, 9, Counted<note::alltoall, PMPI_Ialltoall>)                                     \
  X(alltoallv, 10, Counted<note::alltoallv, PMPI_Alltoallv>)                                   \
  X(ialltoallv, 11, Counted<note::alltoallv, PMPI_Ialltoallv>)                                 \
  X(alltoallw, 10, Counted<note::alltoallw, PMPI_Alltoallw>)                                   \
  X(ialltoallw, 11, Counted<note::alltoallw, PMPI_Ialltoallw>)                                 \
  X(reduce, 8, Counted<note::reduce, PMPI_Reduce>)                                             \
  X(ireduce, 9, Counted<note::reduce, PMPI_Ireduce>)                                           \
  X(allreduce, 7, Counted<note::allreduce, PMPI_Allreduce>)                                    \
  X(iallreduce, 8, Counted<note::allreduce, PMPI_Iallreduce>)                                  \
  X(reduce_scatter, 7, Counted<note::reduce_scatter, PMPI_Reduce_scatter>)                     \
  X(ireduce_scatter, 8, Counted<note::reduce_scatter, PMPI_Ireduce_scatter>)                   \
  X(reduce_scatter_block, 7, Counted<note::reduce_scatter_block, PMPI_Reduce_scatter_block>)   \
  X(ireduce_scatter_block, 8, Counted<note::reduce_scatter_block, PMPI_Ireduce_scatter_block>) \
  X(scan, 7, Counted<note::scan, PMPI_Scan>)                                                   \
  X(iscan, 8, Counted<note::scan, PMPI_Iscan>)                                                 \
  X(exscan, 7, Counted<note::scan, PMPI_Exscan>)                                               \
  X(iexscan, 8, Counted<note::scan, PMPI_Iexscan>)                                             \
  X(neighbor_allgather, 8, Counted<note::neighbor_allgather, PMPI_Neighbor_allgather>)         \
  X(ineighbor_allgather, 9, Counted<note::neighbor_allgather, PMPI_Ineighbor_allgather>)       \
  X(neighbor_allgatherv, 9, Counted<note::neighbor_allgatherv, PMPI_Neighbor_allgatherv>)      \
  X(ineighbor_allgatherv, 10, Counted<note::neighbor_allgatherv, PMPI_Ineighbor_allgatherv>)   \
  X(neighbor_alltoall, 8, Counted<note::neighbor_allgather, PMPI_Neighbor_alltoall>)           \
  X(ineighbor_alltoall, 9, Counted<note::neighbor_allgather, PMPI_Ineighbor_alltoall>)         \
  X(neighbor_alltoallv, 10, Counted<note::neighbor_alltoallv, PMPI_Neighbor_alltoallv>)        \
  X(ineighbor_alltoallv, 11, Counted<note::neighbor_alltoallv, PMPI_Ineighbor_alltoallv>)      \
  X(neighbor_alltoallw, 10, Counted<note::neighbor_alltoallw, PMPI_Neighbor_alltoallw>)        \
  X(ineighbor_alltoallw, 11, Counted<note::neighbor_alltoallw, PMPI_Ineighbor_alltoallw>)

#define HALOCLINE_FORTRAN_ONE_SIDED(X)                                        \
  X(put, 9, Counted<note::put, PMPI_Put>)                                     \
  X(rput, 10, Counted<note::put, PMPI_Rput>)                                  \
  X(get, 9, Counted<note::get, PMPI_Get>)                                     \
  X(rget, 10, Counted<note::get, PMPI_Rget>)                                  \
  X(accumulate, 10, Counted<note::accumulate, PMPI_Accumulate>)               \
  X(raccumulate, 11, Counted<note::accumulate, PMPI_Raccumulate>)             \
  X(get_accumulate, 13, Counted<note::get_accumulate, PMPI_Get_accumulate>)   \
  X(rget_accumulate, 14, Counted<note::get_accumulate, PMPI_Rget_accumulate>) \
  X(fetch_and_op, 8, Counted<note::fetch_and_op, PMPI_Fetch_and_op>)          \
  X(compare_and_swap, 8, Counted<note::compare_and_swap, PMPI_Compare_and_swap>)
