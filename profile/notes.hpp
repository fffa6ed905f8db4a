// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// Counting, apart from the way by which a call comes in: C's names or Fortran's. Each function takes the first parameters
/// of the calls that it is for, in their order, as C has them; the nonblocking forms are counted as the blocking ones. To be
/// called before MPI does the work, unless it says otherwise.
namespace halocline::profile::note {

/// Datatypes by rank or by neighbour. Fortran's handles are converted where they are looked at, as only the communicator
/// knows how many there are.
class TypeList {
 public:
  TypeList(const MPI_Datatype* types)
      : types_(types) {}  // NOLINT(google-explicit-constructor): arrays are passed as they are
  static TypeList of_fortran(const MPI_Fint* handles) {
    TypeList list(nullptr);
    list.handles_ = handles;
    return list;
  }
  [[nodiscard]] MPI_Datatype operator[](int at) const {
    return handles_ == nullptr ? types_[at] : PMPI_Type_f2c(handles_[at]);
  }

 private:
  const MPI_Datatype* types_;
  const MPI_Fint* handles_ = nullptr;
};

// From MPI_Init to MPI_Finalize, or to an end without it.
/// After MPI_Init or MPI_Init_thread.
void begin(int code) noexcept;
void finalize() noexcept;
void abort() noexcept;

// From one rank to another.
void send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) noexcept;
void sendrecv_replace(const void* buffer, int count, MPI_Datatype type, int to, int tag, int from, int receive_tag,
                      MPI_Comm comm) noexcept;
void sendrecv(const void* buffer, int count, MPI_Datatype type, int to, int tag, const void* receive, int receive_count,
              MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm) noexcept;

// Persistent sends.
/// After the call, if it was right.
void send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request request) noexcept;
void start(MPI_Request request) noexcept;
void request_free(MPI_Request request) noexcept;

// Collectives that move data as it is.
void barrier(MPI_Comm comm) noexcept;
void bcast(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept;
void gather(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
            MPI_Datatype received_type, int root, MPI_Comm comm) noexcept;
void gatherv(const void* sent, int count, MPI_Datatype type, const void* received, const int* received_counts,
             const int* offsets, MPI_Datatype received_type, int root, MPI_Comm comm) noexcept;
void scatter(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
             MPI_Datatype received_type, int root, MPI_Comm comm) noexcept;
void scatterv(const void* sent, const int* counts, const int* offsets, MPI_Datatype type, const void* received,
              int received_count, MPI_Datatype received_type, int root, MPI_Comm comm) noexcept;
void allgather(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
               MPI_Datatype received_type, MPI_Comm comm) noexcept;
void allgatherv(const void* sent, int count, MPI_Datatype type, const void* received, const int* received_counts,
                const int* offsets, MPI_Datatype received_type, MPI_Comm comm) noexcept;
void alltoall(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
              MPI_Datatype received_type, MPI_Comm comm) noexcept;
void alltoallv(const void* sent, const int* counts, const int* offsets, MPI_Datatype type, const void* received,
               const int* received_counts, const int* received_offsets, MPI_Datatype received_type,
               MPI_Comm comm) noexcept;
void alltoallw(const void* sent, const int* counts, const int* offsets, TypeList types, const void* received,
               const int* received_counts, const int* received_offsets, TypeList received_types,
               MPI_Comm comm) noexcept;

// Collectives that combine data.
void reduce(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm) noexcept;
void allreduce(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
void reduce_scatter(const void* sent, const void* received, const int* counts, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) noexcept;
void reduce_scatter_block(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) noexcept;
/// MPI_Exscan, too.
void scan(const void* sent, const void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;

// Neighbourhood collectives.
/// MPI_Neighbor_alltoall, too: to each neighbour as much.
void neighbor_allgather(const void* sent, int count, MPI_Datatype type, const void* received, int received_count,
                        MPI_Datatype received_type, MPI_Comm comm) noexcept;
void neighbor_allgatherv(const void* sent, int count, MPI_Datatype type, const void* received,
                         const int* received_counts, const int* offsets, MPI_Datatype received_type,
                         MPI_Comm comm) noexcept;
void neighbor_alltoallv(const void* sent, const int* counts, const int* offsets, MPI_Datatype type,
                        const void* received, const int* received_counts, const int* received_offsets,
                        MPI_Datatype received_type, MPI_Comm comm) noexcept;
void neighbor_alltoallw(const void* sent, const int* counts, const MPI_Aint* offsets, TypeList types,
                        const void* received, const int* received_counts, const MPI_Aint* received_offsets,
                        TypeList received_types, MPI_Comm comm) noexcept;

// One-sided messages.
void put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
         MPI_Datatype target_type, MPI_Win window) noexcept;
void accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
                MPI_Datatype target_type, MPI_Op op, MPI_Win window) noexcept;
void get(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
         MPI_Datatype target_type, MPI_Win window) noexcept;
void get_accumulate(const void* origin, int count, MPI_Datatype type, const void* result, int result_count,
                    MPI_Datatype result_type, int target, MPI_Aint offset, int target_count, MPI_Datatype target_type,
                    MPI_Op op, MPI_Win window) noexcept;
void fetch_and_op(const void* origin, const void* result, MPI_Datatype type, int target, MPI_Aint offset, MPI_Op op,
                  MPI_Win window) noexcept;
void compare_and_swap(const void* origin, const void* compared, const void* result, MPI_Datatype type, int target,
                      MPI_Aint offset, MPI_Win window) noexcept;

}  // namespace halocline::profile::note
