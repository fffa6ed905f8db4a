// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ranks.hpp"

// A domain for Python: plain types in the order x, y, z; halocline/_domain.py makes Python's interface of it.
namespace halocline::python {

namespace nb = nanobind;
using Triple = std::array<std::int64_t, 3>;
/// First cell, and the first beyond.
using Corners = std::pair<Triple, Triple>;

struct StencilSpec {
  Triple lower{};
  Triple upper{};
  bool edges = true;
  bool corners = true;
  [[nodiscard]] Stencil stencil() const;
};

struct Settings {
  std::optional<std::string> backend;  ///< "host" or "cuda"
  std::optional<int> devices;          ///< of each rank
  std::array<std::string, 3> boundary;
  bool in_place = false;
  int steps_per_exchange = 1;
  std::string partition;
  std::optional<std::string> transports;
  std::string messages = "by_neighbour";
  std::optional<int> ranks_per_node;
  bool validate_ordering = false;
  bool measure_weights = false;
  std::optional<Machine> machine;
  std::optional<partition::Cuts> cuts;
  std::vector<std::pair<std::int64_t, int>> owners;  ///< rank, ordinal of its device
  std::optional<double> timeout;                     ///< seconds; unset: HALOCLINE_TIMEOUT, or 120
  [[nodiscard]] DomainOptions options() const;
};

/// Fields of an exchange, by their numbers, each with a depth, or the whole halo. Made once for many calls.
struct Selection {
  std::vector<Transfer> transfers;
  explicit Selection(const std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>& depths);
};

/// Where an open boundary has to be filled: position of the subdomain, field, dimension, whether it is the upper end, the cells.
struct OpenBox {
  std::size_t subdomain = 0;
  std::int64_t field = 0;
  int dimension = 0;
  bool upper = false;
  Corners box;
};

/// Address, shape, strides in elements, NumPy's name of the type, and what keeps the memory (_own.py).
using UsersMemory =
    std::tuple<std::uintptr_t, std::vector<std::int64_t>, std::vector<std::int64_t>, std::string, nb::object>;
/// The memory of an array that has __dlpack__, on any device.
[[nodiscard]] UsersMemory dlpack_memory(const nb::ndarray<>& array);

/// All calls but leases() and the accessors of subdomains release the interpreter lock while they wait.
class DomainHandle {
 public:
  /// With boxes, the rank keeps them, and extent is not used.
  DomainHandle(const Triple& extent, const std::vector<Corners>& boxes, const StencilSpec& stencil, const Ranks& ranks,
               const Settings& settings);
  ~DomainHandle();
  DomainHandle(const DomainHandle&) = delete;
  DomainHandle& operator=(const DomainHandle&) = delete;

  std::int64_t add_field(const std::string& name, const std::string& element, int components, int buffers,
                         std::optional<StencilSpec> stencil, std::array<bool, 3> staggered,
                         const std::optional<std::string>& wire);
  void plan();
  /// The cells of a subdomain, after plan().
  [[nodiscard]] Corners planned(std::size_t position);
  /// The user's memory for a buffer, whose owner is kept as long as this object. axes: as array_of() has them.
  void use_array(std::int64_t field, std::size_t position, int buffer, const UsersMemory& memory,
                 const std::string& axes, const Triple& below, const Triple& above);
  void tune(const std::string& file, double budget, bool again);
  void realize();
  /// Of all fields where there is no selection. stream: of the caller's (cudaStream_t), or 0: the call comes after the work in it so far,
  /// and unless the host waits, its later work after the call. keep: as for wait_for_stream().
  void start_exchange(const Selection* selection, std::uintptr_t stream, bool keep);
  /// Both in one call; see finish().
  std::vector<OpenBox> exchange(const Selection* selection, std::uintptr_t stream, bool keep, bool wait);
  /// Halos are filled after the work in the subdomains' streams; with `wait`, that work is done. Returns the open boundaries to be
  /// filled, in order.
  std::vector<OpenBox> finish(std::uintptr_t stream, bool keep, bool wait);
  [[nodiscard]] bool is_ready();
  void accumulate(const Selection* selection, bool replace, std::uintptr_t stream, bool keep, bool wait);
  /// what: "sum", ... Returns the reduction's number.
  std::int64_t add_reduction(std::int64_t field, const std::string& what);
  void reduce(const std::vector<std::int64_t>& reductions, std::uintptr_t stream, bool keep, bool wait);
  [[nodiscard]] double value(std::int64_t reduction);
  /// The address of a subdomain's result.
  [[nodiscard]] std::uintptr_t result(std::size_t position, std::int64_t reduction);
  /// Makes later work in the subdomains' streams wait for the work in a stream of the caller's (cudaStream_t) so far; and the opposite
  /// direction. Throws InvalidArgument for the legacy default stream.
  /// keep: the stream exists until forget_stream(), close(), or a call with another one; calls in a loop are faster then.
  void wait_for_stream(std::uintptr_t stream, bool keep);
  void let_stream_wait(std::uintptr_t stream, bool keep);
  void forget_stream();
  /// With no speeds, by a standard kernel.
  void rebalance(const std::vector<double>& speeds);
  void leave_open_boundaries();
  void begin_capture();
  [[nodiscard]] Graph end_capture();
  /// Throws InvalidArgument if the domain was closed since.
  void launch(const Graph& steps, std::uintptr_t stream, bool keep, bool wait);
  /// Fills a field from dense arrays, one for each subdomain (component z y x in C order), exchanges it, and fills dense arrays
  /// from it. Forwards from owned cells to cells with halo, of which those that no message fills are 0; backwards (accumulate) the
  /// opposite. stream: of the caller's (cudaStream_t), in which arrays on GPUs are read and written; or 0 for arrays of the host, which
  /// are complete when the call returns. One call at a time; called with the interpreter lock.
  void exchange_dense(std::int64_t field, const std::vector<const std::byte*>& given,
                      const std::vector<std::byte*>& results, bool backwards, std::uintptr_t stream);
  void swap(std::int64_t field);
  void synchronize();
  void close();
  [[nodiscard]] std::string explain();
  /// These only after plan(), which they would call with the interpreter lock.
  [[nodiscard]] Machine machine();

  [[nodiscard]] int rank();
  [[nodiscard]] int size();
  /// By rank. call: that all ranks are in, as comm::Communicator::begin() compares it.
  [[nodiscard]] std::vector<nb::bytes> all_gather(const std::string& call, const nb::bytes& mine);

  [[nodiscard]] std::size_t subdomain_count();
  [[nodiscard]] std::int64_t subdomain_id_at(std::size_t position);
  [[nodiscard]] int device_at(std::size_t position);
  /// A subdomain's own stream (cudaStream_t); 0 on the host.
  [[nodiscard]] std::uintptr_t stream_at(std::size_t position);
  [[nodiscard]] bool on_host();
  [[nodiscard]] Corners owned(std::size_t position, std::int64_t field);
  [[nodiscard]] Corners with_halo(std::size_t position, std::int64_t field);
  [[nodiscard]] Corners interior(std::size_t position);
  [[nodiscard]] std::vector<Corners> boundary(std::size_t position);

  /// The array of a field's buffer in host memory, axes (component) z y x. `self` is this object, which the array keeps.
  [[nodiscard]] nb::ndarray<nb::numpy> array(const nb::object& self, std::size_t position, std::int64_t field,
                                             int ahead);
  /// The same of a GPU's memory: becomes a capsule of DLPack, for one consumer. Nothing is synchronised.
  [[nodiscard]] nb::ndarray<> device_array(const nb::object& self, std::size_t position, std::int64_t field, int ahead);
  /// Address, shape and strides in bytes, and the device's number for CUDA.
  [[nodiscard]] std::tuple<std::uintptr_t, std::vector<std::size_t>, std::vector<std::int64_t>, int> layout(
      std::size_t position, std::int64_t field, int ahead);
  /// A copy of it, from any device; and the opposite direction, from a C-contiguous array of the same shape and type.
  [[nodiscard]] nb::ndarray<nb::numpy> download(std::size_t position, std::int64_t field, int ahead);
  void upload(std::size_t position, std::int64_t field, int ahead,
              const nb::ndarray<nb::c_contig, nb::device::cpu>& values);
  /// Arrays made by array() that exist.
  [[nodiscard]] int leases() const { return *leases_; }

  /// Throws InvalidArgument in a process that was forked.
  [[nodiscard]] Domain& domain();
  /// Calls f(domain) without the interpreter lock, after the work in the caller's stream, as exchange() runs.
  template <typename F>
  void in_order(std::uintptr_t stream, bool keep, bool wait, F&& f) {
    Domain& all = domain();
    const nb::gil_scoped_release release;
    if (stream != 0) wait_for_stream(stream, keep);
    f(all);
    end(all, stream, keep, wait);
  }

 private:
  [[nodiscard]] const Subdomain& subdomain(std::size_t position);

  /// A stream of the caller's, for each subdomain.
  struct Borrowed {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> event;
  };
  [[nodiscard]] std::vector<Borrowed> borrow(std::uintptr_t stream);
  /// Calls f(stream, event, subdomain's stream) for each subdomain.
  /// The end of a call: the host waits, or a stream does.
  void end(Domain& all, std::uintptr_t stream, bool keep, bool wait);
  template <typename F>
  void with_stream(std::uintptr_t stream, bool keep, F&& f);

  std::mutex calls_;  ///< of exchange_dense(), which comes from any thread, and close()
  std::unique_ptr<Domain> domain_;
  std::optional<ExchangeHandle> exchange_;
  std::optional<Capture> capture_;
  std::vector<OpenBox> open_boxes_;
  std::vector<nb::object> users_arrays_;
  std::uintptr_t kept_stream_ = 0;
  std::vector<Borrowed> kept_;
  std::shared_ptr<int> leases_ = std::make_shared<int>(0);  ///< changed with the interpreter lock
  pid_t process_;
};

}  // namespace halocline::python
