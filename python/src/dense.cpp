// SPDX-License-Identifier: BSD-3-Clause
// An exchange between dense arrays that are no memory of the domain, for frameworks whose arrays have no padded rows.
#include "dense_copies.hpp"
#include "domain.hpp"

namespace halocline::python {
namespace {

std::unique_ptr<DenseCopies> copies_of(bool on_host, std::uintptr_t stream) {
  if (on_host != (stream == 0)) {
    const char* const kinds[] = {"the host", "a GPU"};
    throw InvalidArgument(std::string("the arrays are in the memory of ") + kinds[on_host ? 1 : 0] + "; allowed is " +
                          kinds[on_host ? 0 : 1] + ", where the domain's devices are");
  }
  return on_host ? host_copies() : gpu_copies(reinterpret_cast<CUstream_st*>(stream));
}

}  // namespace

void DomainHandle::exchange_dense(std::int64_t field, const std::vector<const std::byte*>& given,
                                  const std::vector<std::byte*>& results, bool backwards, std::uintptr_t stream) {
  const nb::gil_scoped_release release;
  const std::lock_guard alone(calls_);
  Domain& all = domain();
  const auto subdomains = all.subdomains();
  const field_id id(field);
  const auto copies = copies_of(on_host(), stream);
  if (given.size() != subdomains.size() || results.size() != subdomains.size()) {
    throw InternalError("an exchange of dense arrays without one for each subdomain");
  }
  if (stream != 0) let_stream_wait(stream, false);
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const DeviceGuard current(subdomains[i]);
    const ByteView view = subdomains[i].bytes(id);
    const FieldDescriptor& descriptor = subdomains[i].descriptor(id);
    if (backwards) {
      copies->fill(view, view.with_halo(), descriptor, given[i]);
    } else {
      copies->fill(view, view.with_halo(), descriptor, nullptr);  // halo cells that no message fills are 0
      copies->fill(view, view.owned(), descriptor, given[i]);
    }
  }
  if (stream != 0) wait_for_stream(stream, false);
  const std::vector<Transfer> transfers{{.field = id}};
  if (backwards) {
    all.accumulate(transfers);
  } else {
    all.start_exchange(transfers).finish();
  }
  end(all, stream, false, stream == 0);
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const DeviceGuard current(subdomains[i]);
    const ByteView view = subdomains[i].bytes(id);
    const Box& box = backwards ? view.owned() : view.with_halo();
    copies->take(view, box, subdomains[i].descriptor(id), results[i]);
  }
}

}  // namespace halocline::python
