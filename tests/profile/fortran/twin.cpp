// SPDX-License-Identifier: BSD-3-Clause
// Makes the calls of twin.F90, one by one, in C: both must have the same counts.
#include "twin.hpp"

namespace twin {

int rank = 0, size = 1, next = 0, previous = 0;
std::vector<int> out(4096, 1), in(4096);
std::vector<int> counts, offsets, same, apart;

namespace {

std::array<MPI_Request, 4> requests{};

void receive(int n) { MPI_Irecv(in.data(), n, MPI_INT, previous, 0, MPI_COMM_WORLD, requests.data()); }
void wait_for(int number) { MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE); }

void sends() {
  int n = 10;
  for (const auto send : {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend}) {
    receive(n);
    if (send == MPI_Send || send == MPI_Rsend) MPI_Barrier(MPI_COMM_WORLD);
    send(out.data(), n++, MPI_INT, next, 0, MPI_COMM_WORLD);
    wait_for(1);
  }
  for (const auto send : {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend}) {
    receive(n);
    if (send == MPI_Irsend) {
      MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    send(out.data(), n++, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
    wait_for(2);
  }
  MPI_Sendrecv(out.data(), 20, MPI_INT, next, 0, in.data(), 20, MPI_INT, previous, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in.data(), 21, MPI_INT, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out.data(), 22, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void places() {
  int* const device = out.data() + 1024;
  declare_device_memory(device, 256, 1);
  MPI_Sendrecv(device, 61, MPI_INT, next, 0, in.data(), 61, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(device + 64, 62, MPI_INT, next, 0, in.data(), 62, MPI_INT, previous, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, device, 5, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(device, in.data(), 6, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  declare_device_memory(device, 256, 0);
}

void absolute() {
  MPI_Aint place = 0;
  const int length = 23;
  MPI_Datatype type = MPI_INT;
  MPI_Datatype there = MPI_DATATYPE_NULL;
  MPI_Get_address(out.data(), &place);
  MPI_Type_create_struct(1, &length, &place, &type, &there);
  MPI_Type_commit(&there);
  MPI_Sendrecv(MPI_BOTTOM, 1, there, next, 0, in.data(), 23, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&there);
}

void persistent() {
  MPI_Recv_init(in.data(), 30, MPI_INT, previous, 0, MPI_COMM_WORLD, requests.data());
  MPI_Send_init(out.data(), 30, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests.data());
    wait_for(2);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
  MPI_Recv_init(in.data(), 31, MPI_INT, previous, 0, MPI_COMM_WORLD, requests.data());
  MPI_Ssend_init(out.data(), 31, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(in.data(), 32, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Bsend_init(out.data(), 32, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Startall(4, requests.data());
  wait_for(4);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  MPI_Recv_init(in.data(), 33, MPI_INT, previous, 0, MPI_COMM_WORLD, requests.data());
  MPI_Rsend_init(out.data(), 33, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(requests.data());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&requests[1]);
  wait_for(2);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
}

void communicators() {
  MPI_Comm half = MPI_COMM_NULL;
  int own = 0;
  int number = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &number);
  MPI_Sendrecv(out.data(), 40, MPI_INT, (own + 1) % number, 0, in.data(), 40, MPI_INT, (own + number - 1) % number, 0,
               half, MPI_STATUS_IGNORE);
  MPI_Comm_free(&half);
}

void lay_out_blocks() {
  for (int r = 0; r < size; ++r) {
    counts.push_back(r + 1);
    offsets.push_back(r * (r + 1) / 2);
    apart.push_back(r * (rank + 1));
  }
  same.assign(static_cast<std::size_t>(size), rank + 1);
}

}  // namespace
}  // namespace twin

int main(int argc, char** argv) {
  using namespace twin;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  static std::array<int, 4096> attached;
  MPI_Buffer_attach(attached.data(), sizeof attached);
  lay_out_blocks();
  sends();
  places();
  absolute();
  persistent();
  communicators();
  collectives();
  neighbourhoods();
  one_sided();
  return MPI_Finalize();
}
