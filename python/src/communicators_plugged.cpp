// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <halocline/error.hpp>

#include <atomic>

#include "communicators.hpp"
#include "interrupts.hpp"
#include "mpi_plugin.hpp"

namespace halocline::python {
namespace {

/// Of the plug-in that was loaded last; never freed.
std::atomic<const MpiPlugin*> chosen{nullptr};

}  // namespace

std::optional<std::string> mpi_library() {
  const MpiPlugin* const plugin = chosen;
  return plugin == nullptr ? std::nullopt : plugin->library();
}

comm::Communicator from_fortran_handle(std::int64_t handle, Duration timeout) {
  const MpiPlugin* const plugin = chosen;
  if (plugin == nullptr) throw CapabilityError("no plug-in for an MPI is loaded");
  return plugin->from_fortran_handle(handle, timeout);
}

namespace plugins {

std::vector<std::pair<std::string, std::string>> all() { return {HALOCLINE_MPI_PLUGINS}; }

bool is_loaded(const std::string& library) {
  void* const found = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (found == nullptr) return false;
  dlclose(found);
  return true;
}

std::string load(const std::string& file) {
  // All functions are resolved here, so that one that the library lacks is an error now and does not end the process at its call.
  void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = opened == nullptr ? nullptr : dlsym(opened, plug_mpi);
  if (entry == nullptr) {
    const char* const why = dlerror();
    throw CapabilityError("a plug-in for MPI cannot be loaded: " + std::string(why == nullptr ? file : why));
  }
  chosen = new MpiPlugin(reinterpret_cast<PlugMpi>(entry)(&handle_signals));
  return mpi_library().value_or("");
}

}  // namespace plugins
}  // namespace halocline::python
