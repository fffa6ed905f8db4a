// SPDX-License-Identifier: BSD-3-Clause
// profile_calls FILE: makes calls of all kinds, and writes the expected counts.
// profile_calls abort | exit | hang: ends without MPI_Finalize, or not at all. profile_calls unseen: calls only PMPI_
// functions.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "expected.hpp"

namespace profiled {
namespace {

std::array<char, 4096> in, out;

void receive_ring(MPI_Request* request, int bytes) {
  MPI_Irecv(in.data(), bytes, MPI_CHAR, previous(), 0, MPI_COMM_WORLD, request);
}

void blocking_sends() {
  std::array<char, 4096> attached{};
  MPI_Buffer_attach(attached.data(), attached.size());
  int bytes = 10;
  for (const auto send : {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend}) {
    MPI_Request request;
    receive_ring(&request, bytes);
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send must find the receive
    send(out.data(), bytes, MPI_CHAR, next(), 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_ring(bytes++);
    for (int step = 1; step < size; step *= 2) {
      for (int from = 0; from < size; ++from) expect(from, (from + step) % size, 0);
    }
  }
  void* buffer = nullptr;
  int length = 0;
  MPI_Buffer_detach(&buffer, &length);
}

void nonblocking_sends() {
  int bytes = 100;
  for (const auto send : {MPI_Isend, MPI_Issend}) {
    std::array<MPI_Request, 2> requests{};
    receive_ring(requests.data(), bytes);
    send(out.data(), bytes, MPI_CHAR, next(), 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    expect_ring(bytes++);
  }
  MPI_Sendrecv(out.data(), 200, MPI_CHAR, next(), 0, in.data(), 200, MPI_CHAR, previous(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_ring(200);
  MPI_Sendrecv_replace(in.data(), 201, MPI_CHAR, next(), 0, previous(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_ring(201);
}

/// To MPI_PROC_NULL, to itself, of a type with gaps.
void special_sends() {
  MPI_Send(out.data(), 7, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Sendrecv(out.data(), 5, MPI_CHAR, rank, 0, in.data(), 5, MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int from = 0; from < size; ++from) expect(from, from, 5);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 16, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(out.data(), 2, column, next(), 0, in.data(), 12, MPI_INT, previous(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  expect_ring(2 * 3 * 2 * 4);
}

void persistent_sends() {
  std::array<MPI_Request, 3> requests{};
  MPI_Recv_init(in.data(), 30, MPI_CHAR, previous(), 0, MPI_COMM_WORLD, requests.data());
  MPI_Send_init(out.data(), 30, MPI_CHAR, next(), 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(out.data(), 30, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
  for (int i = 0; i < 3; ++i) {
    if (i == 0) {
      MPI_Startall(3, requests.data());
    } else {
      for (auto& request : requests) MPI_Start(&request);
    }
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  }
  expect_ring(90, 3);
  for (auto& request : requests) MPI_Request_free(&request);
  // The handles may be reused for receives.
  std::array<MPI_Request, 2> again{};
  MPI_Recv_init(in.data(), 31, MPI_CHAR, previous(), 0, MPI_COMM_WORLD, again.data());
  MPI_Ssend_init(out.data(), 31, MPI_CHAR, next(), 0, MPI_COMM_WORLD, &again[1]);
  MPI_Startall(2, again.data());
  MPI_Waitall(2, again.data(), MPI_STATUSES_IGNORE);
  expect_ring(31);
  for (auto& request : again) MPI_Request_free(&request);
}

/// Ranks of other communicators, whose handles are reused after they are freed.
void communicators() {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, round == 1 ? rank % 2 : 0, -rank, &reversed);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(reversed, &copy);
    int own = 0;
    int count = 0;
    MPI_Comm_rank(copy, &own);
    MPI_Comm_size(copy, &count);
    MPI_Sendrecv(out.data(), 40, MPI_CHAR, (own + 1) % count, 0, in.data(), 40, MPI_CHAR, (own + count - 1) % count, 0,
                 copy, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);
    for (int from = 0; from < size; ++from) {
      if (round != 1) {
        expect(from, previous(from), 40);
        continue;
      }
      const int last = (size - 1 - from % 2) / 2 * 2 + from % 2;  // of the ranks with the parity of `from`
      expect(from, from >= 2 ? from - 2 : last, 40);
    }
  }
}

/// Device memory: first declared by the program, then reported by CUDA's driver, which is loaded late and privately.
void places() {
  using Declare = void (*)(const void*, std::size_t, int);
  const auto send = [](const char* from, int bytes) {
    MPI_Sendrecv(from, bytes, MPI_CHAR, next(), 0, in.data(), bytes, MPI_CHAR, previous(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  };
  const auto declare = reinterpret_cast<Declare>(dlsym(RTLD_DEFAULT, "halocline_profile_device_memory"));
  if (declare != nullptr) declare(out.data() + 64, 64, 1);
  send(out.data() + 64, 50);
  send(out.data() + 127, 1);
  send(out.data() + 128, 51);
  send(out.data() + 63, 51);
  if (declare != nullptr) declare(out.data() + 64, 64, 0);
  send(out.data() + 64, 52);
  void* const driver = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) std::abort();
  reinterpret_cast<void (*)(const void*, std::size_t)>(dlsym(driver, "fake_cuda_device_memory"))(out.data() + 256, 64);
  send(out.data() + 256, 60);
  send(out.data() + 320, 61);
  for (int from = 0; from < size; ++from) {
    expect_gpu(from, next(from), 50 + 1 + 60, 3);
    expect(from, next(from), 51 + 51 + 52 + 61, 4);
  }
}

void threads() {
  constexpr int count = 4;
  constexpr int rounds = 500;
  std::array<MPI_Comm, count> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> team;
  for (const MPI_Comm comm : comms) {
    team.emplace_back([comm] {
      std::int64_t mine = 0;
      std::int64_t theirs = 0;
      for (int i = 0; i < rounds; ++i) {
        MPI_Sendrecv(&mine, 1, MPI_INT64_T, next(), 0, &theirs, 1, MPI_INT64_T, previous(), 0, comm, MPI_STATUS_IGNORE);
      }
    });
  }
  for (auto& thread : team) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  expect_ring(8 * count * rounds, count * rounds);
}

void all_cases(bool with_threads) {
  blocking_sends();
  nonblocking_sends();
  special_sends();
  persistent_sends();
  communicators();
  places();
  collectives();
  nonblocking_collectives();
  between_groups();
  neighbourhoods();
  one_sided();
  if (with_threads) threads();
}

}  // namespace
}  // namespace profiled

int main(int argc, char** argv) {
  using namespace profiled;
  if (argc > 1 && std::strcmp(argv[1], "unseen") == 0) {
    PMPI_Init(&argc, &argv);
    return PMPI_Finalize();
  }
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const what = argc > 1 ? argv[1] : "expected.csv";
  if (rank == 0) std::puts("profiled");
  std::fflush(stdout);
  if (std::strcmp(what, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (std::strcmp(what, "exit") == 0) std::exit(4);
  if (std::strcmp(what, "hang") == 0) std::this_thread::sleep_for(std::chrono::seconds(60));
  expected = halocline::mapping::Communication(size);
  all_cases(provided == MPI_THREAD_MULTIPLE);
  MPI_Finalize();
  if (rank != 0) return 0;
  std::ofstream file(what);
  halocline::mapping::write_communication(file, expected);
  return file ? 0 : 1;
}
