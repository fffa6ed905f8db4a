// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <string>

#include "comm/rank_group.hpp"
#include "core/verdict.hpp"

namespace halocline::bench {

/// Functions of libucp, which is opened by the first call of instance().
struct Ucp {
  Ucp();
  static const Ucp& instance();

  Verdict usable;
  decltype(&ucp_config_read) config_read = nullptr;
  decltype(&ucp_config_release) config_release = nullptr;
  decltype(&ucp_init_version) init_version = nullptr;
  decltype(&ucp_context_query) context_query = nullptr;
  decltype(&ucp_cleanup) cleanup = nullptr;
  decltype(&ucp_mem_map) mem_map = nullptr;
  decltype(&ucp_mem_unmap) mem_unmap = nullptr;
  decltype(&ucp_worker_create) worker_create = nullptr;
  decltype(&ucp_worker_destroy) worker_destroy = nullptr;
  decltype(&ucp_worker_progress) worker_progress = nullptr;
  decltype(&ucp_worker_get_address) worker_get_address = nullptr;
  decltype(&ucp_worker_release_address) worker_release_address = nullptr;
  decltype(&ucp_ep_create) ep_create = nullptr;
  decltype(&ucp_ep_close_nbx) ep_close_nbx = nullptr;
  decltype(&ucp_ep_print_info) ep_print_info = nullptr;
  decltype(&ucp_tag_send_nbx) tag_send_nbx = nullptr;
  decltype(&ucp_tag_recv_nbx) tag_recv_nbx = nullptr;
  decltype(&ucp_request_check_status) request_check_status = nullptr;
  decltype(&ucp_request_free) request_free = nullptr;
  decltype(&ucs_status_string) status_string = nullptr;
};

/// A worker, and an endpoint to the rank's partner. It is left to the end of the process unless it is closed. Throws CommunicationError for
/// what UCX cannot do.
class Line {
 public:
  Line();
  /// Whether UCX sends from memory of this kind.
  [[nodiscard]] bool takes(ucs_memory_type_t memory) const;
  /// Makes the endpoint. Collective.
  void connect(comm::RankGroup& world);
  /// That UCX has chosen for the endpoint: "sysv/memory, cma/memory".
  [[nodiscard]] std::string paths() const;

  [[nodiscard]] ucp_mem_h map(std::byte* memory, std::size_t bytes, ucs_memory_type_t type) const;
  void unmap(ucp_mem_h mapped) const { static_cast<void>(ucp_.mem_unmap(context_, mapped)); }

  [[nodiscard]] ucs_status_ptr_t send(const std::byte* from, std::size_t bytes, const ucp_request_param_t& how) const {
    return ucp_.tag_send_nbx(endpoint_, from, bytes, tag, &how);
  }
  [[nodiscard]] ucs_status_ptr_t receive(std::byte* into, std::size_t bytes, const ucp_request_param_t& how) const {
    constexpr ucp_tag_t whole = ~ucp_tag_t{0};
    return ucp_.tag_recv_nbx(worker_, into, bytes, tag, whole, &how);
  }
  /// Polls until what send() or receive() has returned is done.
  void wait(ucs_status_ptr_t request) const;

  /// Collective. Makes progress until the partner has closed its endpoint, too.
  void close(comm::RankGroup& world);

 private:
  static constexpr ucp_tag_t tag = 1;
  const Ucp& ucp_ = Ucp::instance();
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace halocline::bench
