// SPDX-License-Identifier: BSD-3-Clause
// ipc_files <what>: two processes with a few CUDA calls; lists the files in /dev/shm before, meanwhile and after. It
// shows who creates the files cuda.shm.*, which remain after programs that share GPU memory. Does not use Halocline.
//   init      both start CUDA, and no more
//   memory    the parent exports an allocation (cudaIpcGetMemHandle), the child maps and unmaps it
//   export    the parent exports it, nobody maps it
//   event     the parent exports an event (cudaIpcGetEventHandle), the child opens it
//   register  both register a mapping of one memfd for GPUs (cudaHostRegister)
// "memory-kept" leaves the mapping open when the child ends. The parent uses GPU 0, the child the last one.
#include <cuda_runtime.h>
#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "ipc_files: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

std::set<std::string> files() {
  std::set<std::string> found;
  DIR* folder = opendir("/dev/shm");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    if (std::strncmp(entry->d_name, "cuda", 4) == 0) found.insert(entry->d_name);
  }
  closedir(folder);
  return found;
}

void show(const char* when, const std::set<std::string>& before) {
  std::printf("  %-28s", when);
  int more = 0;
  for (const std::string& name : files()) {
    if (before.count(name) > 0) continue;
    std::printf(" %s", name.c_str());
    ++more;
  }
  std::printf(more == 0 ? " none\n" : "\n");
  std::fflush(stdout);
}

/// The data that the parent passes to the child.
struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

void write_all(int pipe, const void* data, std::size_t bytes) {
  if (write(pipe, data, bytes) != static_cast<ssize_t>(bytes)) std::exit(2);
}
void read_all(int pipe, void* data, std::size_t bytes) {
  if (read(pipe, data, bytes) != static_cast<ssize_t>(bytes)) std::exit(2);
}

void register_window(int window) {
  void* pages = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, window, 0);
  if (pages == MAP_FAILED) std::exit(2);
  check(cudaHostRegister(pages, 4096, cudaHostRegisterPortable | cudaHostRegisterMapped), "cudaHostRegister");
  check(cudaHostUnregister(pages), "cudaHostUnregister");
  munmap(pages, 4096);
}

int child(const std::string& what, int from_parent, int to_parent, int window) {
  Handles handles{};
  read_all(from_parent, &handles, sizeof handles);
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  check(cudaSetDevice(gpus - 1), "cudaSetDevice");
  check(cudaFree(nullptr), "cudaFree");
  if (what == "memory" || what == "memory-kept") {
    void* mapped = nullptr;
    check(cudaIpcOpenMemHandle(&mapped, handles.memory, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
    if (what == "memory") check(cudaIpcCloseMemHandle(mapped), "cudaIpcCloseMemHandle");
  }
  if (what == "event") {
    cudaEvent_t event = nullptr;
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaIpcOpenEventHandle(&event, handles.event), "cudaIpcOpenEventHandle");
    check(cudaEventDestroy(event), "cudaEventDestroy");
  }
  if (what == "register") register_window(window);
  const char done = 1;
  write_all(to_parent, &done, 1);
  char go = 0;
  read_all(from_parent, &go, 1);
  return 0;
}

int parent(const std::string& what, int from_child, int to_child, int window, pid_t process) {
  const std::set<std::string> before = files();
  std::printf("%s: parent %d (%x), child %d (%x), %zu files before\n", what.c_str(), getpid(),
              static_cast<unsigned>(getpid()), process, static_cast<unsigned>(process), before.size());
  check(cudaSetDevice(0), "cudaSetDevice");
  check(cudaFree(nullptr), "cudaFree");
  show("parent has started CUDA:", before);
  Handles handles{};
  void* memory = nullptr;
  cudaEvent_t event = nullptr;
  if (what == "memory" || what == "memory-kept" || what == "export") {
    check(cudaMalloc(&memory, 2 << 20), "cudaMalloc");
    check(cudaIpcGetMemHandle(&handles.memory, memory), "cudaIpcGetMemHandle");
    show("memory is exported:", before);
  }
  if (what == "event") {
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess), "cudaEventCreate");
    check(cudaIpcGetEventHandle(&handles.event, event), "cudaIpcGetEventHandle");
    show("an event is exported:", before);
  }
  if (what == "register") register_window(window);
  write_all(to_child, &handles, sizeof handles);
  char done = 0;
  read_all(from_child, &done, 1);
  show("the child has done its part:", before);
  write_all(to_child, &done, 1);
  int status = 0;
  waitpid(process, &status, 0);
  show("the child has ended:", before);
  if (memory != nullptr) check(cudaFree(memory), "cudaFree");
  if (event != nullptr) check(cudaEventDestroy(event), "cudaEventDestroy");
  show("memory is freed:", before);
  check(cudaDeviceReset(), "cudaDeviceReset");
  show("the context is gone:", before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  const std::set<std::string> allowed{"init", "memory", "memory-kept", "export", "event", "register"};
  if (allowed.count(what) == 0) {
    std::fprintf(stderr, "ipc_files <what>: '%s'; allowed are init, memory, memory-kept, export, event, register\n",
                 what.c_str());
    return 2;
  }
  int down[2];
  int up[2];
  const int window = memfd_create("window", 0);
  if (pipe(down) != 0 || pipe(up) != 0 || window < 0 || ftruncate(window, 4096) != 0) return 2;
  const pid_t process = fork();  // before CUDA starts
  if (process < 0) return 2;
  if (process == 0) return child(what, down[0], up[1], window);
  return parent(what, up[0], down[1], window, process);
}
