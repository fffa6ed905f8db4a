#include "halocline/device/backend.hpp"

#include "halocline/core/error.hpp"
#include "halocline/device/host.hpp"

namespace halocline::device {

std::unique_ptr<Stream> Backend::borrow_stream(int /*device*/, void* /*native*/) {
  throw CapabilityError("streams of host devices are the backend's own; allowed are those of create_stream()");
}

std::string_view to_string(BackendKind kind) {
  switch (kind) {
    case BackendKind::host: return "host";
    case BackendKind::cuda: return "cuda";
  }
  return "unknown";
}

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::allocate: return "allocate";
    case Operation::export_memory: return "export memory";
    case Operation::map_memory: return "map memory";
    case Operation::copy: return "copy";
    case Operation::copy_list: return "copy list";
    case Operation::advance: return "advance";
    case Operation::expect: return "expect";
    case Operation::signal: return "signal";
    case Operation::wait_flag: return "wait for flags";
    case Operation::record: return "record";
    case Operation::wait_event: return "wait for an event";
    case Operation::launch: return "launch";
    case Operation::host_function: return "host function";
    case Operation::graph: return "graph";
  }
  return "unknown";
}

}  // namespace halocline::device
