// SPDX-License-Identifier: BSD-3-Clause
#include "routing/detail/possible.hpp"

#include <fmt/core.h>

#include "halocline/error.hpp"

namespace halocline::routing {
namespace {

Verdict yes() { return {true, ""}; }
Verdict no(std::string why) { return {false, std::move(why)}; }

/// A verdict's own reason if it has one.
Verdict no(std::string_view what, const Verdict& answer) {
  return no(answer.why_not.empty() ? std::string(what) : fmt::format("{}: {}", what, answer.why_not));
}

bool in_rack(const PairFacts& facts) { return facts.shares_load_store && !facts.same_node; }

Verdict no_mapping(const PairFacts& facts) {
  return no(in_rack(facts) ? "no mapping beyond the node" : "no mapping", facts.mapped);
}

Verdict direct(const PairFacts& facts) {
  // On a device that is shared with another process, one rank's kernel may wait for another's that is never resident.
  if (facts.same_device && !facts.same_rank) return no("two processes share the device");
  if (!facts.direct_safe.yes) return no("not safe", facts.direct_safe);
  if (facts.same_rank) {
    return facts.peer_access.yes || facts.mapped.yes ? yes() : no("no peer access", facts.peer_access);
  }
  return facts.mapped.yes ? yes() : no_mapping(facts);
}

std::string why_direct(const PairFacts& facts, std::string why) {
  why += facts.same_rank && facts.peer_access.yes ? ", peer access yes" : ", mapping yes";
  const Verdict answer = in_place(facts);
  return answer.yes ? why : fmt::format("{}; through a receive buffer: {}", why, answer.why_not);
}

Verdict ipc_copy(const PairFacts& facts) {
  if (facts.same_rank) return no("same process");
  if (facts.mapped.yes) return yes();
  return facts.shares_load_store ? no_mapping(facts) : no("two nodes");
}

Verdict mpi_device(const PairFacts& facts) {
  if (!facts.mpi) return no("no message passing between the ranks");
  return facts.device_mpi.yes ? yes() : no("MPI does not take device pointers", facts.device_mpi);
}

Verdict net(const PairFacts& facts) {
  if (!facts.mpi) return no("no message passing between the ranks");
  return facts.direct_safe.yes ? yes() : no("not safe", facts.direct_safe);
}

Verdict nccl(const PairFacts& facts) {
  if (!facts.nccl.yes) return no("no communicator", facts.nccl);
  return facts.same_device ? no("one device") : yes();
}

std::string where(const PairFacts& facts) {
  if (facts.same_subdomain) return "same subdomain";
  if (facts.same_rank) return facts.same_device ? "same process, same device" : "same process";
  if (in_rack(facts)) return "same load/store domain, other node";
  return facts.same_node ? "same node, other process" : "two nodes";
}

}  // namespace

PairFacts completed(PairFacts facts) {
  facts.same_rank = facts.same_rank || facts.same_subdomain;
  facts.same_device = facts.same_device || facts.same_subdomain;
  facts.same_node = facts.same_node || facts.same_rank || facts.same_device;
  facts.shares_load_store = facts.shares_load_store || facts.same_node;
  if (facts.same_rank && facts.same_device) facts.peer_access = Verdict::of(true);
  return facts;
}

Verdict in_place(const PairFacts& given) {
  const PairFacts facts = completed(given);
  if (facts.same_device) return yes();
  if (facts.same_rank) {
    return facts.storable.yes ? yes() : no("other devices do not store to the receiver's arrays", facts.storable);
  }
  return facts.exportable.yes ? yes() : no("the receiver's arrays cannot be exported", facts.exportable);
}

Verdict possible(Transport transport, const PairFacts& given) {
  const PairFacts facts = completed(given);
  switch (transport) {
    case Transport::self: return facts.same_subdomain ? yes() : no("two subdomains");
    case Transport::direct: return direct(facts);
    case Transport::peer_copy: return facts.same_rank ? yes() : no(facts.same_node ? "two processes" : "two nodes");
    case Transport::ipc_copy: return ipc_copy(facts);
    case Transport::mpi_device: return mpi_device(facts);
    case Transport::mpi_staged: return facts.mpi ? yes() : no("no message passing between the ranks");
    case Transport::net: return net(facts);
    case Transport::nccl: return nccl(facts);
  }
  throw InternalError("a Transport without a rule");
}

std::string why_possible(Transport transport, const PairFacts& given) {
  const PairFacts facts = completed(given);
  const std::string place = where(facts);
  switch (transport) {
    case Transport::self: return place;
    case Transport::direct: return why_direct(facts, place);
    case Transport::peer_copy:
      if (facts.peer_access.yes) return place + ", peer access yes";
      return fmt::format("{}, peer access no{}, the driver stages", place,
                         facts.peer_access.why_not.empty() ? "" : " (" + facts.peer_access.why_not + ")");
    case Transport::ipc_copy:
      // Devices wait for each other in it: 4.5 ms an exchange on an H100 without MPS, where mpi_device takes 0.5. It can be captured.
      return place + ", mapping yes" +
             (facts.same_device ? " (two processes share the device, which runs one at a time: -ipc_copy may be faster)"
                                : "");
    case Transport::mpi_device: return place + ", MPI takes device pointers";
    case Transport::mpi_staged: return place + ", through host memory";
    case Transport::net: return place + ", the devices post to a proxy of the host, which calls MPI";
    case Transport::nccl: return place + ", in a communicator of NCCL";
  }
  throw InternalError("a Transport without a reason");
}

}  // namespace halocline::routing
