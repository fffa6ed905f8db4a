// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/net/ucx/worker.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <thread>
#include <utility>

#include "exchange/ucx_paths.hpp"
#include "halocline/error.hpp"

namespace halocline::exchange::net::ucx {
namespace {

/// Pinned memory is the host's, which UCX need not find out by calls of CUDA.
ucp_request_param_t of_host() {
  ucp_request_param_t made{};
  made.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  made.memory_type = UCS_MEMORY_TYPE_HOST;
  return made;
}

}  // namespace

void check(ucs_status_t status, std::string_view what) {
  if (status == UCS_OK) return;
  throw CommunicationError(fmt::format("UCX {}: {}", what, Library::instance().status_string(status)));
}

Operation& Operation::operator=(Operation&& other) noexcept {
  if (this != &other) {
    release();
    begun_ = std::exchange(other.begun_, nullptr);
  }
  return *this;
}

bool Operation::under_way() const { return begun_ != nullptr && !UCS_PTR_IS_ERR(begun_); }

bool Operation::done(std::string_view what) {
  if (begun_ == nullptr) return true;
  if (UCS_PTR_IS_ERR(begun_)) check(UCS_PTR_STATUS(begun_), what);
  const ucs_status_t status = Library::instance().request_check_status(begun_);
  if (status == UCS_INPROGRESS) return false;
  release();
  check(status, what);
  return true;
}

void Operation::release() noexcept {
  if (under_way()) Library::instance().request_free(begun_);
  begun_ = nullptr;
}

Worker::Worker() {
  ucp_config_t* config = nullptr;
  check(ucp_.config_read(nullptr, nullptr, &config), "configuration");
  ucp_params_t wanted{};
  wanted.field_mask = UCP_PARAM_FIELD_FEATURES;
  wanted.features = UCP_FEATURE_TAG;
  const ucs_status_t status = ucp_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &wanted, config, &context_);
  ucp_.config_release(config);
  check(status, "initialisation");
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  const ucs_status_t made = ucp_.worker_create(context_, &worker, &worker_);
  if (made != UCS_OK) ucp_.cleanup(context_);
  check(made, "worker");
}

Worker::~Worker() {
  ucp_.worker_destroy(worker_);
  ucp_.cleanup(context_);
}

std::vector<std::byte> Worker::address() const {
  ucp_address_t* found = nullptr;
  std::size_t bytes = 0;
  check(ucp_.worker_get_address(worker_, &found, &bytes), "address");
  const auto* first = reinterpret_cast<const std::byte*>(found);
  std::vector<std::byte> copied(first, first + bytes);
  ucp_.worker_release_address(worker_, found);
  return copied;
}

void Worker::connect(rank_id to) {
  if (endpoints_.contains(to)) return;
  ucp_ep_params_t wanted{};
  wanted.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  wanted.address = reinterpret_cast<const ucp_address_t*>(addresses_.at(to.index()).data());
  Endpoint made;
  const ucs_status_t status = ucp_.ep_create(worker_, &wanted, &made.handle);
  if (status == UCS_ERR_UNREACHABLE) {
    throw CommunicationError(
        fmt::format("UCX has no path to rank {}: see UCX_TLS and UCX_NET_DEVICES, or use net by mpi "
                    "(HALOCLINE_NET_ENGINE)",
                    to.value()));
  }
  check(status, fmt::format("endpoint to rank {}", to.value()));
  endpoints_[to] = made;
}

Operation Worker::send(std::span<const std::byte> bytes, rank_id to, ucp_tag_t tag) {
  Endpoint& endpoint = endpoints_.at(to);
  endpoint.sent_bytes += bytes.size();
  const ucp_request_param_t how = of_host();
  return Operation(ucp_.tag_send_nbx(endpoint.handle, bytes.data(), bytes.size(), tag, &how));
}

Operation Worker::receive(std::span<std::byte> bytes, ucp_tag_t tag) const {
  const ucp_request_param_t how = of_host();
  constexpr ucp_tag_t whole = ~ucp_tag_t{0};
  return Operation(ucp_.tag_recv_nbx(worker_, bytes.data(), bytes.size(), tag, whole, &how));
}

void Worker::cancel(const Operation& operation) const {
  if (operation.under_way()) ucp_.request_cancel(worker_, operation.get());
}

std::vector<rank_id> Worker::peers() const {
  std::vector<rank_id> found;
  for (const auto& [rank, endpoint] : endpoints_) found.push_back(rank);
  return found;
}

std::string Worker::paths(rank_id to) const {
  return ucx_paths([&](std::FILE* file) { ucp_.ep_print_info(endpoints_.at(to).handle, file); });
}

void Worker::close_endpoints(const Deadline& deadline) {
  std::vector<std::pair<rank_id, Operation>> closing;
  const ucp_request_param_t flushed{};
  for (const auto& [rank, endpoint] : endpoints_)
    closing.emplace_back(rank, Operation(ucp_.ep_close_nbx(endpoint.handle, &flushed)));
  endpoints_.clear();
  while (!closing.empty()) {
    progress();
    std::erase_if(closing, [](auto& one) {
      return one.second.done(fmt::format("end of the endpoint to rank {}", one.first.value()));
    });
    if (!closing.empty() && deadline.expired()) throw DeadlineError("UCX has not closed its endpoints in time");
    std::this_thread::yield();
  }
}

}  // namespace halocline::exchange::net::ucx
