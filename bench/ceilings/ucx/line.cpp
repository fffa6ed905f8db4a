// SPDX-License-Identifier: BSD-3-Clause
#include "ceilings/ucx/line.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdio>

#include "ceilings/pairs.hpp"
#include "comm/requests.hpp"
#include "core/shared_library.hpp"
#include "exchange/ucx_paths.hpp"
#include "halocline/error.hpp"

namespace halocline::bench {
namespace {

void check_ucx(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    throw CommunicationError(fmt::format("UCX {}: {}", what, Ucp::instance().status_string(status)));
}

}  // namespace

Ucp::Ucp() {
  SharedLibrary file("UCX", "libucp.so.0");
  file.need(config_read, "ucp_config_read");
  file.need(config_release, "ucp_config_release");
  file.need(init_version, "ucp_init_version");
  file.need(context_query, "ucp_context_query");
  file.need(cleanup, "ucp_cleanup");
  file.need(mem_map, "ucp_mem_map");
  file.need(mem_unmap, "ucp_mem_unmap");
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
  file.need(request_free, "ucp_request_free");
  file.need(status_string, "ucs_status_string");
  usable = file.usable();
}

const Ucp& Ucp::instance() {
  static const Ucp one;
  return one;
}

Line::Line() {
  ucp_config_t* config = nullptr;
  check_ucx(ucp_.config_read(nullptr, nullptr, &config), "configuration");
  ucp_params_t wanted{};
  wanted.field_mask = UCP_PARAM_FIELD_FEATURES;
  wanted.features = UCP_FEATURE_TAG;
  const ucs_status_t status = ucp_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config, &context_);
  ucp_.config_release(config);
  check_ucx(status, "initialisation");
  ucp_worker_params_t one_thread{};
  one_thread.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  one_thread.thread_mode = UCS_THREAD_MODE_SINGLE;
  check_ucx(ucp_.worker_create(context_, &one_thread, &worker_), "worker");
}

bool Line::takes(ucs_memory_type_t memory) const {
  ucp_context_attr_t has{};
  has.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  check_ucx(ucp_.context_query(context_, &has), "query of the context");
  return (has.memory_types >> memory & 1U) != 0;
}

void Line::connect(comm::RankGroup& world) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  check_ucx(ucp_.worker_get_address(worker_, &address, &bytes), "address");
  const auto all = world.all_gather({reinterpret_cast<const std::byte*>(address), bytes});
  ucp_.worker_release_address(worker_, address);
  const auto partner = partner_in(world);
  if (!partner) return;
  ucp_ep_params_t wanted{};
  wanted.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  wanted.address = reinterpret_cast<const ucp_address_t*>(all[partner->rank.index()].data());
  check_ucx(ucp_.ep_create(worker_, &wanted, &endpoint_), "endpoint");
}

std::string Line::paths() const {
  return exchange::ucx_paths([&](std::FILE* file) { ucp_.ep_print_info(endpoint_, file); });
}

ucp_mem_h Line::map(std::byte* memory, std::size_t bytes, ucs_memory_type_t type) const {
  ucp_mem_map_params_t wanted{};
  wanted.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  wanted.address = memory;
  wanted.length = bytes;
  wanted.memory_type = type;
  ucp_mem_h mapped = nullptr;
  check_ucx(ucp_.mem_map(context_, &wanted, &mapped), "registration of memory");
  return mapped;
}

void Line::wait(ucs_status_ptr_t request) const {
  if (request == nullptr) return;
  if (UCS_PTR_IS_ERR(request)) check_ucx(UCS_PTR_STATUS(request), "message");
  ucs_status_t status = UCS_INPROGRESS;
  while ((status = ucp_.request_check_status(request)) == UCS_INPROGRESS) ucp_.worker_progress(worker_);
  ucp_.request_free(request);
  check_ucx(status, "message");
}

void Line::close(comm::RankGroup& world) {
  if (const auto partner = partner_in(world); partner && endpoint_ != nullptr) {
    const ucp_request_param_t flushed{};
    wait(ucp_.ep_close_nbx(endpoint_, &flushed));
    std::array ends{world.receive({}, partner->rank, 0), world.send({}, partner->rank, 0)};
    for (auto& end : ends) {
      while (!end->test()) ucp_.worker_progress(worker_);
    }
  }
  ucp_.worker_destroy(worker_);
  ucp_.cleanup(context_);
}

}  // namespace halocline::bench
