// SPDX-License-Identifier: BSD-3-Clause
#include "measure/detail/pair_method.hpp"

#include <memory>

#include "halocline/error.hpp"
#include "measure/detail/kernels.hpp"

namespace halocline::machine::measuring {
namespace {

/// The second half of the way is a stream's of the receiving device, so that each device uses its own path to the host.
struct Staging {
  Staging(device::Backend& backend, int from, int to, std::size_t bytes)
      : pinned(backend.allocate_pinned(bytes)),
        stream(backend.create_stream(to, device::Priority::normal, "halocline measure staged")),
        out(backend.create_event(from)),
        in(backend.create_event(to)) {}
  std::unique_ptr<device::Buffer> pinned;
  std::unique_ptr<device::Stream> stream;
  std::unique_ptr<device::Event> out;
  std::unique_ptr<device::Event> in;
};

}  // namespace

std::string_view to_string(PairMethod method) {
  switch (method) {
    case PairMethod::copy: return "copy";
    case PairMethod::put: return "put";
    case PairMethod::get: return "get";
    case PairMethod::staged: return "staged";
  }
  throw InternalError("a PairMethod without a name");
}

int driver(PairMethod method, int from, int to) { return method == PairMethod::get ? to : from; }

Verdict possible(Session& session, PairMethod method, int from, int to) {
  const bool same_process = session.mine(from) && session.mine(to);
  if (method == PairMethod::staged) {
    return {same_process, "two processes drive the pair; see mpi_staged"};
  }
  const int user = driver(method, from, to);
  const int other = user == from ? to : from;
  if (same_process && method != PairMethod::copy) {
    const auto access = session.backend().peer_access(session.slot(user).ordinal, session.slot(other).ordinal);
    if (!access.yes) return {false, "no peer access: " + access.why_not};
  }
  const Reach reach = user == from ? session.target(user, to) : session.source(user, from);
  return {reach.data != nullptr, reach.why_not};
}

Transfer transfer_of(Session& session, PairMethod method, int from, int to, std::size_t from_offset,
                     std::size_t to_offset) {
  const int user = driver(method, from, to);
  const std::byte* const source = session.source(user, from).data + from_offset;
  std::byte* const target = session.target(user, to).data + to_offset;
  device::Backend& backend = session.backend();
  if (method == PairMethod::copy) {
    return [=](device::Stream& stream, std::size_t bytes) { stream.copy(target, source, bytes); };
  }
  if (method != PairMethod::staged) {
    const int number = session.native(user);
    return [=, kind = backend.kind()](device::Stream& stream, std::size_t bytes) {
      copy_by_kernel(kind, number, stream, target, source, bytes);
    };
  }
  const auto staging =
      std::make_shared<Staging>(backend, session.slot(from).ordinal, session.slot(to).ordinal, session.capacity());
  return [=](device::Stream& stream, std::size_t bytes) {
    stream.copy(staging->pinned->data(), source, bytes);
    stream.record(*staging->out);
    staging->stream->wait(*staging->out);
    staging->stream->copy(target, staging->pinned->data(), bytes);
    staging->stream->record(*staging->in);
    stream.wait(*staging->in);
  };
}

}  // namespace halocline::machine::measuring
