// SPDX-License-Identifier: BSD-3-Clause
// A program with its own MPI communicator compiles and links; it is not run.
#include <halocline/halocline.hpp>
#include <halocline/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    hc::Domain domain({16, 16, 16}, hc::Stencil::star(1), MPI_COMM_WORLD);
    domain.add_field<float>("u");
    domain.realize();
    domain.exchange();
    domain.close();
  }
  MPI_Finalize();
}
