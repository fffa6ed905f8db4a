// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "comm/agree.hpp"
#include "doctor/check.hpp"
#include "domain/internals.hpp"
#include "halocline/error.hpp"
#include "planning.hpp"
#include "table.hpp"
#include "verify.hpp"

namespace cli::doctor {
namespace {

using namespace halocline;
using routing::PairFacts;
using routing::Transport;

constexpr Duration longest_exchange = std::chrono::seconds(20);

std::string no_devices() { return "there are no devices"; }

/// A small domain on all devices of all ranks. Collective.
Domain small_domain(Subject& subject, const routing::Policy& policy) {
  DomainOptions options = domain_options(subject.context);
  options.devices.existing = subject.devices;
  options.routing.policy = policy;
  options.timeout = std::min(options.timeout, longest_exchange);
  const std::int64_t devices =
      subject.context.world.all_reduce(std::int64_t{subject.devices->count()}, comm::Reduction::sum);
  return Domain({8, 8, 8 * devices}, Stencil::box(1), subject.context.world, options);
}

/// The facts of all pairs of neighbours, by trying. Collective.
exchange::FactTable find_facts(Subject& subject) {
  Domain domain = small_domain(subject, {});
  domain.add_field<float>("u");
  const DomainInternals inner = internals(domain);
  const Plan& plan = inner.plan();
  const auto group = subject.context.world.split(0, static_cast<int>(subject.context.world.rank().value()));
  const auto mine = plan.placement.of_rank(group->rank());
  auto facts = exchange::probe_pairs(
      {.comm = group.get(),
       .backend = subject.devices->backend().get(),
       .geometry = &inner.geometry(),
       .placement = &plan.placement,
       .exportable = std::vector(mine.size(), halocline::Verdict::of(true)),
       .share_load_store =
           [&](const placement::Slot& a, const placement::Slot& b) {
             return plan.machine.share_load_store(a.node, a.device, b.node, b.device);
           },
       .uuid = [&](const placement::Slot& slot) { return plan.machine.uuid_of(slot.node, slot.device); }});
  group->close();
  domain.close();
  return facts;
}

/// What a fact of this rank's pairs is, where it applies. none: where there is no such pair.
Finding of_pairs(const Subject& subject, bool (*applies)(const PairFacts&), const halocline::Verdict PairFacts::*fact,
                 const std::string& yes, const std::string& none, const std::string& fix) {
  if (!subject.devices) return skipped(no_devices());
  std::size_t pairs = 0;
  for (const auto& [pair, facts] : subject.facts) {
    if (!applies(facts)) continue;
    ++pairs;
    const halocline::Verdict& verdict = facts.*fact;
    if (!verdict.yes) return broken(verdict.why_not, fix);
  }
  return pairs == 0 ? skipped(none) : works(yes);
}

/// Why this rank's pairs do not use a transport.
std::string why_not_used(const Subject& subject, Transport transport) {
  for (const auto& [key, facts] : subject.facts) {
    const halocline::Verdict verdict = routing::possible(transport, facts);
    if (!verdict.yes) return "not possible between these devices: " + verdict.why_not;
  }
  return "no pair of devices chooses it";
}

/// An exchange that prefers a transport, compared cell by cell. Collective.
Finding exchange_by(Subject& subject, Transport transport) {
  if (!subject.devices) return skipped(no_devices());
  routing::Policy policy;
  policy.use_measurements = false;
  std::erase(policy.order, transport);
  policy.order.insert(policy.order.begin(), transport);
  Domain domain = small_domain(subject, policy);
  domain.add_field<float>("u");
  domain.realize();
  std::int64_t messages = 0;
  for (const Share& share : shares_of_all_ranks(domain)) messages += share.transport == transport ? share.messages : 0;
  if (messages == 0) {
    domain.close();
    return skipped(why_not_used(subject, transport));
  }
  fill_for_verification(domain, 1);
  domain.exchange();
  const Verdict verdict = verify(domain, 1);
  domain.close();
  if (verdict.passed()) {
    return works(fmt::format("{}, {} halo cells compared", plural(messages, "message"), verdict.halo_cells));
  }
  return broken(fmt::format("{} of {} halo cells are wrong, {} others changed; first: {}", verdict.halo_wrong,
                            verdict.halo_cells, verdict.other_changed, verdict.first),
                fmt::format("--transports=-{} or HALOCLINE_TRANSPORTS=-{} does without it; please report it",
                            to_string(transport), to_string(transport)));
}

}  // namespace

Finding try_devices(Subject& subject) {
  Context& context = subject.context;
  const auto wanted = context.options.devices_per_rank;
  Devices devices(backend_of(context, subject.node));
  if (devices.kind() == DeviceKind::host && !wanted && devices.count() == 1) {
    // Two of them, so that transports between devices of a rank are tried, too.
    context.options.devices_per_rank = 2;
    devices = Devices(backend_of(context, subject.node));
    context.options.devices_per_rank = wanted;
  }
  subject.devices = devices;
  return works(fmt::format("{} of each rank",
                           plural(devices.count(), devices.kind() == DeviceKind::host ? "host device" : "GPU")));
}

Finding try_overlapping_launches(Subject& subject) {
  if (!subject.devices || subject.devices->kind() == DeviceKind::host) return skipped("no GPU is used");
  const halocline::Verdict verdict = subject.devices->backend()->overlapping_launches();
  if (verdict.yes) return works("a kernel runs while another one waits");
  return broken(verdict.why_not + ": 'direct' is not used",
                "unset CUDA_LAUNCH_BLOCKING, raise CUDA_DEVICE_MAX_CONNECTIONS, and run without tools that serialise");
}

Finding try_shared_memory(Subject& subject) {
  if (!subject.devices) return skipped(no_devices());
  subject.facts = find_facts(subject);
  const bool gpus = subject.devices->kind() == DeviceKind::cuda;
  return of_pairs(
      subject, [](const PairFacts& facts) { return facts.shares_load_store && !facts.same_rank; }, &PairFacts::mapped,
      gpus ? fmt::format("memory of the neighbours' GPUs was mapped and read; this rank exports by {}",
                         subject.devices->backend()->memory_export(0))
           : "memory of neighbour ranks was mapped and read",
      "no neighbour is another rank of this node or its rack",
      gpus ? "let all ranks of a node see all its GPUs (no --gpus-per-task, one CUDA_VISIBLE_DEVICES); in containers "
             "--ipc=host"
           : "run the ranks of a node as one user and in one container: they open each other's /proc/PID/fd");
}

Finding try_peer_access(Subject& subject) {
  return of_pairs(
      subject, [](const PairFacts& facts) { return facts.same_rank && !facts.same_device; }, &PairFacts::peer_access,
      "devices of a rank access each other's memory", "no rank has two devices",
      "copies are staged by the driver: use GPUs below one switch, and turn off ACS and IOMMU in the BIOS");
}

Finding try_device_mpi(Subject& subject) {
  if (!subject.devices || subject.devices->kind() == DeviceKind::host) return skipped("no GPU is used");
  const Finding found = of_pairs(
      subject, [](const PairFacts& facts) { return facts.mpi && !facts.same_rank; }, &PairFacts::device_mpi,
      "messages in GPU memory arrived", "no neighbour is another rank", "");
  // Halos go through host memory without it.
  if (found.status != Status::broken) return found;
  return absent(found.seen,
                "an MPI that was built with CUDA, as by UCX; without, messages are staged through the host");
}

Finding try_self(Subject& subject) { return exchange_by(subject, Transport::self); }
Finding try_direct(Subject& subject) { return exchange_by(subject, Transport::direct); }
Finding try_peer_copy(Subject& subject) { return exchange_by(subject, Transport::peer_copy); }
Finding try_ipc_copy(Subject& subject) { return exchange_by(subject, Transport::ipc_copy); }
Finding try_mpi_device(Subject& subject) { return exchange_by(subject, Transport::mpi_device); }
Finding try_mpi_staged(Subject& subject) { return exchange_by(subject, Transport::mpi_staged); }
Finding try_net(Subject& subject) { return exchange_by(subject, Transport::net); }
Finding try_nccl_exchange(Subject& subject) { return exchange_by(subject, Transport::nccl); }

}  // namespace cli::doctor
