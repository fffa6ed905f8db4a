// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/ucx/library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <string>
#include <type_traits>

namespace halocline::exchange::net::ucx {

const Library& Library::instance() {
  static const Library one;
  return one;
}

Library::Library() {
  void* const file = ::dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    const char* const why = ::dlerror();
    usable = Verdict::of(false, fmt::format("UCX was not found: {}", why == nullptr ? "unknown error" : why));
    return;
  }
  std::string missing;
  const auto need = [&](auto*& function, const char* name) {
    // Of libucp, or of libucs, on which it depends.
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(file, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  need(config_read, "ucp_config_read");
  need(config_release, "ucp_config_release");
  need(init_version, "ucp_init_version");
  need(cleanup, "ucp_cleanup");
  need(worker_create, "ucp_worker_create");
  need(worker_destroy, "ucp_worker_destroy");
  need(worker_progress, "ucp_worker_progress");
  need(worker_get_address, "ucp_worker_get_address");
  need(worker_release_address, "ucp_worker_release_address");
  need(ep_create, "ucp_ep_create");
  need(ep_close_nbx, "ucp_ep_close_nbx");
  need(ep_print_info, "ucp_ep_print_info");
  need(tag_send_nbx, "ucp_tag_send_nbx");
  need(tag_recv_nbx, "ucp_tag_recv_nbx");
  need(request_check_status, "ucp_request_check_status");
  need(request_cancel, "ucp_request_cancel");
  need(request_free, "ucp_request_free");
  need(status_string, "ucs_status_string");
  usable = Verdict::of(missing.empty(), fmt::format("UCX is too old: it has no {}", missing));
}

}  // namespace halocline::exchange::net::ucx
