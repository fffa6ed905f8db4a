// SPDX-License-Identifier: BSD-3-Clause
// The child process of the tests of memory and flags between processes, with either backend.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "device/cuda_backend.hpp"
#include "device/host.hpp"
#include "unit/device/process_support.hpp"

namespace halocline::device::test {
namespace {

/// "host", or "cuda:<ordinal>" for one GPU.
std::shared_ptr<Backend> make_backend(const std::string& name) {
  if (name == "host") return make_host_backend({});
  if (name.rfind("cuda:", 0) != 0) throw std::runtime_error("the backend is " + name + "; allowed are host and cuda:N");
  CudaOptions options;
  options.devices = {std::stoi(name.substr(5))};
  return make_cuda_backend(options);
}

/// Answers `rounds` pings.
int pong(const std::string& name, const std::string& handle, int rounds) {
  const auto backend = make_backend(name);
  const auto mine = backend->allocate_shareable(0, sizeof(SharedPage));
  const auto mapping = backend->map(0, from_hex(handle));
  auto& here = *reinterpret_cast<SharedPage*>(mine->data());
  auto& there = *reinterpret_cast<SharedPage*>(mapping->data());
  const MemoryHandle exported = mine->handle();
  const auto pinned = backend->allocate_pinned(exported.blob.size());
  std::memcpy(pinned->data(), exported.blob.data(), exported.blob.size());
  const auto stream = backend->create_stream(0);
  stream->advance(&here.flags.one);
  stream->copy(reinterpret_cast<std::byte*>(&there.handle), pinned->data(), exported.blob.size());
  signal_to(*stream, &here.flags.one, &there.flags.flags[0], 1);
  ping_pong(*stream, here, there, rounds, false);
  stream->synchronize();
  // The parent signals flag 2 after it has unmapped the memory that this process exports.
  wait_for(*stream, &here.flags.one, &here.flags.flags[2], 1, guard("farewell", std::chrono::seconds(20)));
  stream->synchronize();
  return 0;
}

/// Exports memory and stays until it is killed.
int export_and_wait() {
  const auto backend = make_host_backend({});
  const auto memory = backend->allocate_shareable(0, std::size_t{1} << 20);
  std::printf("%d %s\n", static_cast<int>(::getpid()), to_hex(memory->handle()).c_str());
  std::fflush(stdout);
  ::sleep(60);
  return 1;
}

/// Prints its device and the first bytes of the memory, or why it cannot map the memory.
int look(const std::string& name, const std::string& handle) {
  const auto backend = make_backend(name);
  std::printf("%s\n", backend->info(0).uuid.c_str());
  try {
    const auto mapping = backend->map(0, from_hex(handle));
    const auto pinned = backend->allocate_pinned(8);
    const auto stream = backend->create_stream(0);
    stream->copy(pinned->data(), mapping->data(), 8);
    stream->synchronize();
    std::uint64_t word = 0;
    std::memcpy(&word, pinned->data(), 8);
    std::printf("found %llu\n", static_cast<unsigned long long>(word));
  } catch (const CapabilityError& e) {
    std::printf("capability: %s\n", e.what());
  }
  return 0;
}

/// Adds 1 to the first and to the last word of a range, in a mapping that it made after another one was gone; prints both sums, or why it
/// cannot map the range.
int increase(const std::string& name, const std::string& handles, std::size_t offset, std::size_t bytes) {
  const auto backend = make_backend(name);
  try {
    const std::vector<MemoryHandle> pieces = several_from_hex(handles);
    static_cast<void>(backend->map_range(0, pieces));
    const auto mapping = backend->map_range(0, pieces);
    const auto same = backend->map_range(0, pieces);
    const auto pinned = backend->allocate_pinned(16);
    const auto stream = backend->create_stream(0);
    std::uint64_t* const words[] = {reinterpret_cast<std::uint64_t*>(mapping->data() + offset),
                                    reinterpret_cast<std::uint64_t*>(same->data() + offset + bytes - 8)};
    for (std::uint64_t* word : words) stream->advance(word);
    for (int i = 0; i < 2; ++i) {
      stream->copy(pinned->data() + 8 * i, reinterpret_cast<const std::byte*>(words[i]), 8);
    }
    stream->synchronize();
    std::uint64_t found[2] = {};
    std::memcpy(found, pinned->data(), sizeof found);
    std::printf("now %llu %llu\n", static_cast<unsigned long long>(found[0]),
                static_cast<unsigned long long>(found[1]));
  } catch (const CapabilityError& e) {
    std::printf("capability: %s\n", e.what());
  }
  return 0;
}

/// A forked child has another identity: its uuids begin with another "host-<identity>".
int fork_identity() {
  const auto identity = [] { return make_host_backend({})->info(0).uuid.substr(0, 21); };
  const std::string before = identity();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(identity() == before ? 1 : 0);
  int status = -1;
  ::waitpid(child, &status, 0);
  return identity() == before && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

}  // namespace
}  // namespace halocline::device::test

int main(int argc, char** argv) {
  using namespace halocline::device::test;
  try {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "pong" && argc == 5) return pong(argv[2], argv[3], std::stoi(argv[4]));
    if (mode == "look" && argc == 4) return look(argv[2], argv[3]);
    if (mode == "increase" && argc == 6) return increase(argv[2], argv[3], std::stoull(argv[4]), std::stoull(argv[5]));
    if (mode == "export") return export_and_wait();
    if (mode == "fork") return fork_identity();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "child: %s\n", e.what());
  }
  return 3;
}
