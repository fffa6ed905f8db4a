// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/ucx/library.hpp"

#include "core/shared_library.hpp"

namespace halocline::exchange::net::ucx {

const Library& Library::instance() {
  static const Library one;
  return one;
}

Library::Library() {
  SharedLibrary file("UCX", "libucp.so.0");
  file.need(config_read, "ucp_config_read");
  file.need(config_release, "ucp_config_release");
  file.need(init_version, "ucp_init_version");
  file.need(cleanup, "ucp_cleanup");
  file.need(worker_create, "ucp_worker_create");
  file.need(worker_destroy, "ucp_worker_destroy");
  file.need(worker_progress, "ucp_worker_progress");
  file.need(worker_get_address, "ucp_worker_get_address");
  file.need(worker_release_address, "ucp_worker_release_address");
  file.need(ep_create, "ucp_ep_create");
  file.need(ep_close_nbx, "ucp_ep_close_nbx");
  file.need(ep_print_info, "ucp_ep_print_info");
  file.need(tag_send_nbx, "ucp_tag_send_nbx");
  file.need(tag_recv_nbx, "ucp_tag_recv_nbx");
  file.need(request_check_status, "ucp_request_check_status");
  file.need(request_cancel, "ucp_request_cancel");
  file.need(request_free, "ucp_request_free");
  file.need(status_string, "ucs_status_string");
  usable = file.usable();
}

}  // namespace halocline::exchange::net::ucx
