// SPDX-License-Identifier: BSD-3-Clause
// One-sided messages, by where the calling rank's buffer lies: the other end is not asked. What is fetched counts as sent by
// the rank that it is fetched from.
#include "profile/notes.hpp"
#include "profile/recorder.hpp"

namespace halocline::profile {
namespace {

void add(Cell* (Recorder::*cells)(int), const void* buffer, std::int64_t bytes, int target, MPI_Win window) noexcept {
  record([&](Recorder& all) {
    const Peers* peers = target < 0 ? nullptr : all.peers().of_window(window);
    if (peers == nullptr || target >= peers->size || bytes == 0) return;
    if (Cell* cell = (all.*cells)(peers->world[static_cast<std::size_t>(target)]))
      cell->add(place_of(buffer), bytes, 1);
  });
}

void add_put(const void* buffer, std::int64_t bytes, int target, MPI_Win window) noexcept {
  add(&Recorder::sent, buffer, bytes, target, window);
}

void add_get(const void* buffer, std::int64_t bytes, int target, MPI_Win window) noexcept {
  add(&Recorder::fetched, buffer, bytes, target, window);
}

}  // namespace

void note::put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint /*offset*/, int /*target_count*/,
               MPI_Datatype /*target_type*/, MPI_Win window) noexcept {
  add_put(origin, bytes_of(count, type), target, window);
}

void note::accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint /*offset*/,
                      int /*target_count*/, MPI_Datatype /*target_type*/, MPI_Op /*op*/, MPI_Win window) noexcept {
  add_put(origin, bytes_of(count, type), target, window);
}

void note::get(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint /*offset*/, int /*target_count*/,
               MPI_Datatype /*target_type*/, MPI_Win window) noexcept {
  add_get(origin, bytes_of(count, type), target, window);
}

void note::get_accumulate(const void* origin, int count, MPI_Datatype type, const void* result, int result_count,
                          MPI_Datatype result_type, int target, MPI_Aint /*offset*/, int /*target_count*/,
                          MPI_Datatype /*target_type*/, MPI_Op op, MPI_Win window) noexcept {
  if (op != MPI_NO_OP) add_put(origin, bytes_of(count, type), target, window);
  add_get(result, bytes_of(result_count, result_type), target, window);
}

void note::fetch_and_op(const void* origin, const void* result, MPI_Datatype type, int target, MPI_Aint /*offset*/,
                        MPI_Op op, MPI_Win window) noexcept {
  if (op != MPI_NO_OP) add_put(origin, bytes_of(1, type), target, window);
  add_get(result, bytes_of(1, type), target, window);
}

void note::compare_and_swap(const void* origin, const void* /*compared*/, const void* result, MPI_Datatype type,
                            int target, MPI_Aint /*offset*/, MPI_Win window) noexcept {
  add_put(origin, 2 * bytes_of(1, type), target, window);  // the new value and the one that is expected
  add_get(result, bytes_of(1, type), target, window);
}

}  // namespace halocline::profile

namespace note = halocline::profile::note;

extern "C" {

int MPI_Put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  note::put(origin, count, type, target, offset, target_count, target_type, window);
  return PMPI_Put(origin, count, type, target, offset, target_count, target_type, window);
}

int MPI_Rput(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
  note::put(origin, count, type, target, offset, target_count, target_type, window);
  return PMPI_Rput(origin, count, type, target, offset, target_count, target_type, window, request);
}

int MPI_Get(void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  note::get(origin, count, type, target, offset, target_count, target_type, window);
  return PMPI_Get(origin, count, type, target, offset, target_count, target_type, window);
}

int MPI_Rget(void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
  note::get(origin, count, type, target, offset, target_count, target_type, window);
  return PMPI_Rget(origin, count, type, target, offset, target_count, target_type, window, request);
}

int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win window) {
  note::accumulate(origin, count, type, target, offset, target_count, target_type, op, window);
  return PMPI_Accumulate(origin, count, type, target, offset, target_count, target_type, op, window);
}

int MPI_Raccumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request* request) {
  note::accumulate(origin, count, type, target, offset, target_count, target_type, op, window);
  return PMPI_Raccumulate(origin, count, type, target, offset, target_count, target_type, op, window, request);
}

int MPI_Get_accumulate(const void* origin, int count, MPI_Datatype type, void* result, int result_count,
                       MPI_Datatype result_type, int target, MPI_Aint offset, int target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win window) {
  note::get_accumulate(origin, count, type, result, result_count, result_type, target, offset, target_count,
                       target_type, op, window);
  return PMPI_Get_accumulate(origin, count, type, result, result_count, result_type, target, offset, target_count,
                             target_type, op, window);
}

int MPI_Rget_accumulate(const void* origin, int count, MPI_Datatype type, void* result, int result_count,
                        MPI_Datatype result_type, int target, MPI_Aint offset, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request* request) {
  note::get_accumulate(origin, count, type, result, result_count, result_type, target, offset, target_count,
                       target_type, op, window);
  return PMPI_Rget_accumulate(origin, count, type, result, result_count, result_type, target, offset, target_count,
                              target_type, op, window, request);
}

int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint offset, MPI_Op op,
                     MPI_Win window) {
  note::fetch_and_op(origin, result, type, target, offset, op, window);
  return PMPI_Fetch_and_op(origin, result, type, target, offset, op, window);
}

int MPI_Compare_and_swap(const void* origin, const void* compared, void* result, MPI_Datatype type, int target,
                         MPI_Aint offset, MPI_Win window) {
  note::compare_and_swap(origin, compared, result, type, target, offset, window);
  return PMPI_Compare_and_swap(origin, compared, result, type, target, offset, window);
}

}  // extern "C"
