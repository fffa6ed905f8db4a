#include "halocline/exchange/probe.hpp"

#include <cstring>
#include <set>
#include <string>

#include "exchange/connections.hpp"
#include "exchange/tags.hpp"
#include "exchange/wire.hpp"

namespace halocline::exchange {
namespace {

using routing::Answer;

void put_text(Writer& writer, const std::string& text) {
  writer.put(std::uint64_t{text.size()});
  for (const char c : text) writer.put(c);
}

std::string get_text(Reader& reader) {
  std::string text(reader.get<std::uint64_t>(), '\0');
  for (char& c : text) c = reader.get<char>();
  return text;
}

void put_answer(Writer& writer, const Answer& answer) {
  writer.put(answer.yes);
  put_text(writer, answer.why_not);
}

Answer get_answer(Reader& reader) {
  const bool yes = reader.get<bool>();
  return Answer::of(yes, get_text(reader));
}

/// A little memory on each local device that holds a known value, for others to try and map.
class Trial {
 public:
  Trial(device::Backend& backend, rank_id me)
      : backend_(&backend), host_(backend.allocate_pinned(sizeof(std::uint64_t))) {
    for (int device = 0; device < backend.device_count(); ++device) {
      buffers_.push_back(backend.allocate_shareable(device, 128));
      const std::uint64_t value = expected(me, device);
      std::memcpy(host_->data(), &value, sizeof value);
      auto stream = backend.create_stream(device);
      stream->copy(buffers_.back()->data(), host_->data(), sizeof value);
      stream->synchronize();
    }
  }
  [[nodiscard]] device::MemoryHandle handle(int device) const {
    return buffers_[static_cast<std::size_t>(device)]->handle();
  }
  /// Maps another rank's trial memory for a device of this rank and looks whether its value is there.
  [[nodiscard]] Answer map(int device, const device::MemoryHandle& handle, rank_id owner, int owner_device) const {
    try {
      const auto mapping = backend_->map(device, handle);
      auto stream = backend_->create_stream(device);
      stream->copy(host_->data(), mapping->data(), sizeof(std::uint64_t));
      stream->synchronize();
    } catch (const Error& error) {
      return Answer::of(false, error.what());
    }
    std::uint64_t seen = 0;
    std::memcpy(&seen, host_->data(), sizeof seen);
    return Answer::of(seen == expected(owner, owner_device), "mapped memory shows other contents than its owner wrote");
  }

 private:
  static std::uint64_t expected(rank_id rank, int device) {
    return UINT64_C(0x48414c4f00000000) + static_cast<std::uint64_t>(rank.value()) * 4096 +
           static_cast<std::uint64_t>(device);
  }
  device::Backend* backend_;
  std::unique_ptr<device::Buffer> host_;
  std::vector<std::unique_ptr<device::ShareableBuffer>> buffers_;
};

/// MPI is given a device pointer. Where the host cannot reach device memory this could end the program instead of
/// failing, so there it is only believed after the backend's own check.
Answer try_device_mpi(comm::Communicator& comm, device::Backend& backend) {
  if (backend.kind() != device::BackendKind::host) return Answer::of(false, "not tried on this backend");
  const auto source = backend.allocate(0, 64);
  const auto target = backend.allocate(0, 64);
  std::memset(source->data(), 0x5a, 64);
  std::memset(target->data(), 0, 64);
  auto receive = comm.receive({target->data(), 64}, comm.rank(), tags::trial);
  auto send = comm.send({source->data(), 64}, comm.rank(), tags::trial);
  comm::wait_until([&] { return receive->test() && send->test(); }, Deadline(comm.clock(), comm.timeout()),
                   "trial of MPI on device memory");
  return Answer::of(std::memcmp(source->data(), target->data(), 64) == 0, "MPI delivered other bytes than were sent");
}

/// What a rank tells its neighbours about itself.
struct Told {
  Answer device_mpi;
  std::map<subdomain_id, Answer> exportable;
  std::vector<device::MemoryHandle> handles;  // by device
};

std::vector<std::byte> write(const Told& told) {
  Writer writer;
  put_answer(writer, told.device_mpi);
  writer.put(std::uint64_t{told.exportable.size()});
  for (const auto& [id, answer] : told.exportable) {
    writer.put(id.value());
    put_answer(writer, answer);
  }
  writer.put(std::uint64_t{told.handles.size()});
  for (const auto& handle : told.handles) writer.put(handle);
  return writer.bytes();
}

Told read(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Told told;
  told.device_mpi = get_answer(reader);
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    const subdomain_id id(reader.get<std::int64_t>());
    told.exportable[id] = get_answer(reader);
  }
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    told.handles.push_back(reader.get<device::MemoryHandle>());
  }
  return told;
}

std::set<PairKey> pairs_of(const ProbeRequest& request, const std::vector<subdomain_id>& mine) {
  std::set<PairKey> pairs;
  for (const subdomain_id s : mine) {
    for (const auto& message : partition::outgoing(*request.geometry, s)) pairs.insert({message.from, message.to});
    for (const auto& message : partition::incoming(*request.geometry, s)) pairs.insert({message.from, message.to});
  }
  return pairs;
}

}  // namespace

FactTable probe_pairs(const ProbeRequest& request) {
  comm::Communicator& comm = *request.comm;
  const rank_id me = comm.rank();
  const auto& placement = *request.placement;
  const auto mine = placement.of_rank(me);
  const auto pairs = pairs_of(request, mine);

  std::unique_ptr<Trial> trial;
  Told own;
  std::map<rank_id, std::vector<std::byte>> to_neighbours;
  comm::agree_on(comm, [&] {
    trial = std::make_unique<Trial>(*request.backend, me);
    // Own messages to itself only: no other rank is needed for this trial.
    own.device_mpi = try_device_mpi(comm, *request.backend);
    for (std::size_t i = 0; i < mine.size(); ++i) own.exportable[mine[i]] = request.exportable[i];
    for (int d = 0; d < request.backend->device_count(); ++d) own.handles.push_back(trial->handle(d));
    for (const PairKey& pair : pairs) {
      for (const subdomain_id s : {pair.from, pair.to}) to_neighbours[placement.of(s).rank] = write(own);
    }
  });
  std::map<rank_id, Told> told;
  for (const auto& [rank, bytes] : exchange_blobs(comm, to_neighbours)) told[rank] = read(bytes);

  // Each rank tries to map what its own devices would need, and tells the other end of each pair.
  std::map<PairKey, Answer> mapped;  // (mapper's subdomain, owner's subdomain)
  std::map<rank_id, std::vector<std::byte>> results;
  comm::agree_on(comm, [&] {
    std::map<rank_id, Writer> writers;
    for (const auto& [rank, bytes] : to_neighbours) writers[rank];
    for (const PairKey& pair : pairs) {
      for (const auto& [near, far] : {std::pair(pair.from, pair.to), std::pair(pair.to, pair.from)}) {
        const auto& near_slot = placement.of(near);
        const auto& far_slot = placement.of(far);
        if (near_slot.rank != me || far_slot.rank == me || near_slot.node != far_slot.node) continue;
        if (mapped.contains({near, far})) continue;
        const auto& handles = told.at(far_slot.rank).handles;
        const Answer answer = trial->map(near_slot.ordinal, handles[static_cast<std::size_t>(far_slot.ordinal)],
                                         far_slot.rank, far_slot.ordinal);
        mapped[{near, far}] = answer;
        Writer& writer = writers[far_slot.rank];
        writer.put(near.value());
        writer.put(far.value());
        put_answer(writer, answer);
      }
    }
    for (const auto& [rank, writer] : writers) results[rank] = writer.bytes();
  });
  // After this nobody maps this rank's trial memory any more.
  for (const auto& [rank, bytes] : exchange_blobs(comm, results)) {
    for (Reader reader(bytes); !reader.empty();) {
      const subdomain_id near(reader.get<std::int64_t>());
      const subdomain_id far(reader.get<std::int64_t>());
      mapped[{near, far}] = get_answer(reader);
    }
  }

  FactTable table;
  for (const PairKey& pair : pairs) {
    const auto& from = placement.of(pair.from);
    const auto& to = placement.of(pair.to);
    routing::PairFacts facts;
    facts.same_subdomain = pair.from == pair.to;
    facts.same_rank = from.rank == to.rank;
    facts.same_node = from.node == to.node;
    facts.same_device = facts.same_node && from.device == to.device;
    if (facts.same_rank) {
      const auto access = request.backend->peer_access(from.ordinal, to.ordinal);
      facts.peer_access = Answer::of(access.yes, access.why_not);
    } else {
      facts.peer_access = Answer::of(false, "another process");
    }
    if (facts.same_rank) {
      facts.mapped = facts.peer_access;  // one address space: it is only a matter of access
    } else if (facts.same_node) {
      const Answer& there = mapped.at({pair.from, pair.to});
      const Answer& back = mapped.at({pair.to, pair.from});
      facts.mapped = there.yes ? back : there;
    } else {
      facts.mapped = Answer::of(false, "another node");
    }
    facts.exportable = told.at(to.rank).exportable.at(pair.to);
    const Answer& send_mpi = told.at(from.rank).device_mpi;
    facts.device_mpi = send_mpi.yes ? told.at(to.rank).device_mpi : send_mpi;
    facts.direct_safe = Answer::of(true);
    facts.mpi = true;
    table[pair] = facts;
  }
  return table;
}

}  // namespace halocline::exchange
