// SPDX-License-Identifier: BSD-3-Clause
// profile_plugin_host PLUGIN: a C program that loads a Fortran plugin privately, with its libraries in no global scope.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  reinterpret_cast<void (*)(int)>(dlsym(plugin, "send_to_next"))(9);
  return MPI_Finalize();
}
