// SPDX-License-Identifier: BSD-3-Clause
// Messages as a program on UCP alone sends them: a worker and an endpoint for all of them, memory that is registered once, receives
// posted before their message is sent, and a thread that polls.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ceilings/pairs.hpp"
#include "ceilings/ucx/line.hpp"

namespace halocline::bench {
namespace {

/// Places of messages, registered as one piece of memory.
class Places {
 public:
  Places(const Line& line, std::size_t bytes, std::size_t count, const Allocate& allocate, ucs_memory_type_t type)
      : line_(&line),
        bytes_(bytes),
        memory_(allocate(count * bytes)),
        mapped_(line.map(memory_.get(), count * bytes, type)) {
    how_.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    how_.memory_type = type;
#if UCP_API_VERSION >= UCP_VERSION(1, 13)
    how_.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
    how_.memh = mapped_;
#endif
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { line_->unmap(mapped_); }

  [[nodiscard]] ucs_status_ptr_t send(std::size_t place) const {
    return line_->send(memory_.get() + place * bytes_, bytes_, how_);
  }
  [[nodiscard]] ucs_status_ptr_t receive(std::size_t place) const {
    return line_->receive(memory_.get() + place * bytes_, bytes_, how_);
  }

 private:
  const Line* line_;
  std::size_t bytes_;
  std::shared_ptr<std::byte> memory_;
  ucp_mem_h mapped_;
  ucp_request_param_t how_{};
};

class UcxPair final : public Pair {
 public:
  UcxPair(const Line& line, bool first, std::size_t bytes, std::size_t places, const Allocate& allocate,
          ucs_memory_type_t type)
      : line_(&line),
        first_(first),
        out_(line, bytes, places, allocate, type),
        in_(line, bytes, places, allocate, type) {}

  void ping_pong(int count) override {
    ucs_status_ptr_t next = in_.receive(0);
    for (int i = 0; i < count; ++i) {
      const ucs_status_ptr_t sent = first_ ? out_.send(0) : nullptr;
      line_->wait(next);
      next = i + 1 < count ? in_.receive(0) : nullptr;
      line_->wait(first_ ? sent : out_.send(0));
    }
  }
  void exchange(int count, std::size_t places) override {
    // Two are received in turn at least, as the next receive is posted before the last one is done.
    const std::size_t into = std::max<std::size_t>(places, 2);
    ucs_status_ptr_t next = in_.receive(0);
    const auto total = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < total; ++i) {
      const ucs_status_ptr_t received = next;
      next = i + 1 < total ? in_.receive((i + 1) % into) : nullptr;
      line_->wait(out_.send(i % places));
      line_->wait(received);
    }
  }
  void stream(int count, bool both) override {
    const bool sends = both || first_;
    const bool receives = both || !first_;
    const std::size_t total = static_cast<std::size_t>(count) * window;
    std::array<ucs_status_ptr_t, window> in{};
    std::array<ucs_status_ptr_t, window> out{};
    for (std::size_t at = 0; at < window && receives; ++at) in[at] = in_.receive(at);
    for (std::size_t at = 0; at < window && sends; ++at) out[at] = out_.send(0);
    for (std::size_t i = 0; i < total; ++i) {
      const std::size_t at = i % window;
      const bool more = i + window < total;
      line_->wait(in[at]);
      in[at] = more && receives ? in_.receive(at) : nullptr;
      line_->wait(out[at]);
      out[at] = more && sends ? out_.send(0) : nullptr;
    }
  }

 private:
  const Line* line_;
  bool first_;
  Places out_;
  Places in_;
};

void measure_in(comm::RankGroup& world, Ceilings& ceilings, const Edges& edges, const std::string& part,
                const std::string& memory, const Allocate& allocate, ucs_memory_type_t type) {
  Line line;
  const bool here = line.takes(type);
  if (world.all_reduce(std::int64_t{here}, comm::Reduction::min) == 0) {
    ceilings.left_out(part,
                      "UCX of a rank takes no memory of GPUs: it is built without CUDA, or UCX_TLS leaves it out");
    line.close(world);
    return;
  }
  line.connect(world);
  measure_pairs(world, ceilings, part, memory, edges, [&](std::size_t bytes, std::size_t places) {
    return std::make_unique<UcxPair>(line, partner_in(world)->first, bytes, places, allocate, type);
  });
  if (world.rank().value() == 0)
    ceilings.note(part, fmt::format("rank 0 has sent to rank 1 by UCX ({})", line.paths()));
  line.close(world);
}

/// Measures if all ranks have a UCX, and there are several.
Part part_of(const std::string& name, std::function<void(comm::RankGroup& world, Ceilings& ceilings)> measure) {
  return {name, [name, measure = std::move(measure)](comm::RankGroup& world, Ceilings& ceilings) {
            if (world.size() < 2) return;
            const Verdict& usable = Ucp::instance().usable;
            if (world.all_reduce(std::int64_t{usable.yes}, comm::Reduction::min) == 0) {
              ceilings.left_out(name, usable.yes ? "another rank has no UCX" : usable.why_not);
            } else {
              measure(world, ceilings);
            }
          }};
}

}  // namespace

std::vector<Part> ucx_parts(const Edges& edges) {
  return {part_of("ucx",
                  [edges](comm::RankGroup& world, Ceilings& ceilings) {
                    measure_in(world, ceilings, edges, "ucx", "host", host_memory, UCS_MEMORY_TYPE_HOST);
                  }),
          part_of("ucx_device", [edges](comm::RankGroup& world, Ceilings& ceilings) {
            const Allocate allocate = device_memory(world);
            if (allocate) measure_in(world, ceilings, edges, "ucx_device", "device", allocate, UCS_MEMORY_TYPE_CUDA);
            else ceilings.left_out("ucx_device", "a rank sees no GPU");
          })};
}

}  // namespace halocline::bench
