// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halocline/communicator.hpp"
#include "halocline/direction.hpp"
#include "halocline/options.hpp"
#include "halocline/split_view.hpp"
#include "halocline/stream.hpp"
#include "halocline/transfer.hpp"
#include "halocline/view.hpp"

namespace [[gnu::visibility("default")]] halocline {

/// A field of a domain, with its element type. Made by Domain::add_field.
template <typename T>
struct Field {
  field_id id;
  operator field_id() const { return id; }  // NOLINT(google-explicit-constructor): where its number is asked for
};

/// The cells that this rank owns, in a code that keeps its own decomposition: a box for each device that the rank drives, in
/// the order of its devices, in coordinates of the whole domain. The boxes of all ranks together are a domain that begins
/// at 0, 0, 0, cut by planes that go all the way through it.
struct OwnedBoxes {
  std::vector<Box> boxes;
};

/// How long an exchange took on the devices of a rank.
struct ExchangeTime {
  /// From start_exchange() to the end of finish(), in stream order: with the work that was enqueued in between.
  Duration total{};
  Duration exposed{};  ///< the part that no other work hid: streams had reached finish() and waited for halos
};

class Domain;
class DomainInternals;

/// One subdomain of this rank. A view into its domain; valid until the domain is closed. Its cells are in the memory of
/// its device; the host accesses a GPU's through to_host() (host_array.hpp).
class Subdomain {
 public:
  [[nodiscard]] subdomain_id id() const { return id_; }
  /// The ordinal of its device among the rank's own.
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] DeviceInfo device_info() const;
  /// The cells it owns, in global coordinates.
  [[nodiscard]] const Box& owned() const { return owned_; }
  /// The cells that a step has to update, counted from the last exchange: 0 is the step right after it, the last one is
  /// DomainOptions::steps_per_exchange - 1 and updates the owned cells alone; the steps before it also update a part of the
  /// neighbours' cells, in the halo. Throws InvalidArgument for a step that the exchange does not serve.
  [[nodiscard]] Box update_box(int step) const;
  /// Calls the hook of Domain::on_open_boundary for what that step reads beyond open ends, in the fields' current buffers: before a
  /// step that no exchange precedes. Of all fields where none is given.
  void fill_open_boundaries(int step, std::span<const field_id> fields = {}) const;
  /// The cells of update_box(0) that read no halo, and may be updated while the exchange is under way; and the others, as
  /// disjoint boxes. Both serve the widest stencil of all fields, and are of the cells of owned(): without the additional layer
  /// that staggered fields have at an open end.
  [[nodiscard]] const Box& interior() const { return interior_; }
  [[nodiscard]] const std::vector<Box>& boundary() const { return boundary_; }
  /// Whether there is no halo in a dimension, because it is Boundary::periodic_in_kernel and not cut: the cell beyond one end is
  /// then the one at the other end. The same for all subdomains.
  [[nodiscard]] bool wraps(int dim) const;
  /// Where to enqueue work; exchanges are ordered with it.
  [[nodiscard]] Stream& stream() const;
  /// What a step reads: the field's current buffer.
  template <typename T>
  [[nodiscard]] View<const T> read(Field<T> field) const {
    return view(Field<const T>{field.id});
  }
  /// What a step writes: the buffer that Domain::swap makes the current one; with Update::in_place the current one. Throws
  /// InvalidArgument for a field of one buffer with Update::double_buffered.
  template <typename T>
  [[nodiscard]] View<T> write(Field<T> field) const {
    return view(field, written_ahead(field.id));
  }
  /// A field's current buffer, or the one that is current after `ahead` swaps. Throws InvalidArgument for more swaps than the field
  /// has other buffers.
  template <typename T>
  [[nodiscard]] View<T> view(Field<T> field, int ahead = 0) const;
  /// The same for fields with FieldDescriptor::x_halos_apart, for which the functions above throw InvalidArgument, and for all others.
  template <typename T>
  [[nodiscard]] SplitView<T> split_view(Field<T> field, int ahead = 0) const;
  /// view() for a field of any type: a reference to the first byte of each element. Without halos in x that are stored apart.
  [[nodiscard]] ByteView bytes(field_id field, int ahead = 0) const;
  [[nodiscard]] const FieldDescriptor& descriptor(field_id field) const;
  /// The cells of a field: those it owns, and their halo.
  [[nodiscard]] Box with_halo(field_id field) const;
  /// The result of Domain::reduce(), in the memory of the subdomain's device and at one address until close() or rebalance(): for
  /// work in stream(). Undefined before the first one.
  [[nodiscard]] const double* result(reduction_id reduction) const;
  /// Enqueues body(box) on the stream: body is called for disjoint parts of the box (host backend).
  void launch(const Box& box, std::function<void(const Box&)> body) const;

 private:
  friend class Domain;
  friend class DomainInternals;
  [[nodiscard]] int written_ahead(field_id field) const;
  Domain* domain_ = nullptr;
  std::size_t position_ = 0;
  subdomain_id id_;
  int device_ = 0;
  Box owned_;
  Box interior_;
  std::vector<Box> boundary_;
  Stream* stream_ = nullptr;
};

/// Makes a subdomain's device the current one of the calling thread, for kernel launches, and restores the previous one in its
/// destructor. Does nothing for host devices.
class DeviceGuard {
 public:
  /// Throws DeviceError if CUDA does not make it current.
  explicit DeviceGuard(const Subdomain& subdomain);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  std::unique_ptr<device::Current> current_;
};

/// Updates boxes of a subdomain's boundary: enqueues the work in subdomain.stream(). See ExchangeHandle::finish.
using BoundaryUpdate = std::function<void(const Subdomain&, std::span<const Box>)>;

/// An exchange that Domain::start_exchange started; valid until finish() or until the domain is closed. One exchange of a domain is
/// under way at a time. Destroying an unfinished handle leaves the exchange under way, as destructors do not communicate: calls
/// that need it to be finished then throw InvalidArgument.
class [[nodiscard]] ExchangeHandle {
 public:
  ExchangeHandle(ExchangeHandle&& other) noexcept : domain_(std::exchange(other.domain_, nullptr)) {}
  ExchangeHandle& operator=(ExchangeHandle&& other) noexcept {
    domain_ = std::exchange(other.domain_, nullptr);
    return *this;
  }

  /// Work enqueued after this in the subdomains' streams sees full halos and may overwrite cells that were sent. Blocks the host only
  /// where messages go by MPI, until they have arrived; exchanges of other domains that this thread has started proceed meanwhile, so
  /// that each rank may finish them in any order. Calls the hook of Domain::on_open_boundary. Once for each exchange.
  void finish();
  /// The same, with the update of the boundaries: update(subdomain, boxes) is called for parts of each local subdomain's boundary, at
  /// most 26 boxes in all, each as soon as what it reads has arrived, also while other messages are under way. It enqueues their
  /// update in subdomain.stream(), which is a stream of that part: ordered after what was enqueued before start_exchange and after
  /// the halos that the boxes read, but not after what was enqueued since, such as the interior. Later work in the subdomains' own
  /// streams comes after all parts. update() calls nothing of the domain but views; what it throws leaves the domain failed. With
  /// Update::in_place, where parts would race, all boxes come after the exchange.
  void finish(const BoundaryUpdate& update);
  /// Makes progress, as MPI_Test does, and returns whether finish() would not block the host. Always true where no message needs the host.
  [[nodiscard]] bool is_ready();

 private:
  friend class Domain;
  explicit ExchangeHandle(Domain& domain) : domain_(&domain) {}
  [[nodiscard]] Domain& unfinished(const char* call) const;
  Domain* domain_;
};

/// Steps that a Capture recorded, to be launched again and again: a CUDA graph for each device. Must outlive their work, or
/// the domain, whose close() waits for the work and frees the graph.
class Graph {
 public:
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();
  /// Enqueues the recorded steps, as one launch for each device, after the work in the subdomains' streams; later work there comes
  /// after them. All ranks launch the same graphs in the same order, and not while an exchange is under way. Throws InvalidArgument
  /// once the domain is closed.
  void launch() const;

 private:
  friend class Capture;
  friend class Domain;
  struct Impl;
  explicit Graph(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// A capture that Domain::capture began. Destroying it, or closing the domain, before finish() drops what was recorded.
class [[nodiscard]] Capture {
 public:
  Capture(Capture&&) noexcept = default;
  ~Capture();
  /// Ends the capture, once. Throws InvalidArgument, and leaves the domain as before the capture, where a field's current buffer is
  /// another one than then (allowed are whole cycles of swaps), or an exchange that was started since is unfinished.
  [[nodiscard]] Graph finish();

 private:
  friend class Domain;
  Capture(Domain& domain, std::weak_ptr<void> under_way) : domain_(&domain), under_way_(std::move(under_way)) {}
  Domain* domain_;
  std::weak_ptr<void> under_way_;  ///< null once it has ended, or the domain has
};

/// What Domain::plan() has determined.
struct Planned {
  Machine machine;          ///< that was planned for: the discovered one, or the options'
  Devices devices;          ///< that this rank drives
  comm::Communicator comm;  ///< a private group of the domain's ranks, valid until the domain is closed
  int steps_per_exchange;   ///< as in DomainOptions
};

/// A distributed 3-D domain: machine, partition, placement, routes, memory and exchanges behind one interface.
///
/// Add fields, call realize(), then exchange. Call plan() before realize() only where boxes, devices or the machine are needed before there
/// is memory, as for use_array().
/// "Collective" means: called by all ranks, in the same order; where one rank fails or makes another call, all throw the same error.
///
/// Calls in the wrong order throw InvalidArgument and change nothing. After any other error of plan(), realize(), close(), an exchange,
/// or a call that enqueues or waits for work, the domain has failed: every call but close() throws that first error again, and the
/// other ranks of the node get it as the reason why their exchanges end.
///
/// One thread at a time calls a domain's functions. MPI must have been initialised with at least MPI_THREAD_FUNNELED where all calls
/// come from the main thread, and MPI_THREAD_SERIALIZED otherwise; no thread of Halocline's own calls MPI, but for net by MPI. Threads that
/// use different domains at the same time need MPI_THREAD_MULTIPLE, for which a Session asks only where transports list net.
class Domain {
 public:
  /// Without MPI: this process drives all devices. stencil: what a step reads of fields that have no stencil of their own.
  Domain(const Vec3& extent, const Stencil& stencil, DomainOptions options = {});
  /// Domain(extent, stencil, MPI_COMM_WORLD): see comm::Communicator.
  Domain(const Vec3& extent, const Stencil& stencil, comm::Communicator comm, DomainOptions options = {});
  /// The same for codes with a decomposition of their own: each rank gives its boxes, which plan() gathers. Nothing is
  /// partitioned or placed; subdomains() are in the order of the rank's boxes. With grids, cuts, weights or owners in the
  /// options, plan() throws InvalidArgument.
  Domain(OwnedBoxes boxes, const Stencil& stencil, DomainOptions options = {});
  Domain(OwnedBoxes boxes, const Stencil& stencil, comm::Communicator comm, DomainOptions options = {});
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  /// Does not communicate. A realized domain that was not closed leaks its device memory, which is logged; exchanges of the other
  /// ranks of the node then end with the error that this rank left.
  ~Domain();

  /// Before plan() or realize(); the same on all ranks. Throws InvalidArgument for a name that is taken, and for fewer than 1 component or buffer.
  field_id add_field(FieldDescriptor descriptor);
  /// The same with the element type T: add_field<float>("u", {.buffers = 2}). The descriptor's name and element are set here.
  template <typename T>
  Field<T> add_field(std::string name, FieldDescriptor descriptor = {}) {
    descriptor.name = std::move(name);
    descriptor.element = element_of<T>();
    return {add_field(std::move(descriptor))};
  }

  /// A number that reduce() computes from a field of f32 or f64, over all its components. Before plan() or realize(); the same on all
  /// ranks. Throws InvalidArgument for another field.
  reduction_id add_reduction(field_id field, Reduce what);

  /// Collective, before plan(): chooses transports, messages, grid and sizes of tuning by trials of about `budget` in all. What is not 3 %
  /// faster is not chosen. file: keeps choices for later jobs, "": none. again: tries even if it has one. explain() states the choice.
  void tune(const std::string& file, Duration budget = std::chrono::seconds(2), bool again = false);

  /// Discovers the machine, partitions and places, so that subdomains() are known. Collective; after it or realize() a call is local and
  /// only returns what was determined. Throws InvalidArgument where ranks ask for different domains: it names what differs.
  Planned plan();

  /// The user's own array for one buffer of a field of a local subdomain; see UserArray. After plan(), before realize(), for each of
  /// the field's buffers and all local subdomains; array_of() makes one of a span. Throws InvalidArgument where the array has not the
  /// owned cells' extent plus its halos, halos thinner than the field's, or other components or elements.
  void use_array(field_id field, subdomain_id subdomain, int buffer, const UserArray& array);
  /// The same without that check: address of the first owned cell, byte strides of a step in x, y, z, and of a step from one component
  /// to the next. The memory must hold the owned cells and their halo.
  void use_array(field_id field, subdomain_id subdomain, int buffer, void* first_owned_cell,
                 std::array<std::int64_t, 3> stride_bytes, std::int64_t component_stride_bytes = 0);

  /// Collective: allocates fields, which are 0 at first, finds out what the machine can do, routes, and builds the exchange.
  void realize();

  /// What was decided, and why. Lists the routes of the messages that this rank sends, and the memory of its devices by its use.
  [[nodiscard]] std::string explain() const;

  /// This rank's subdomains, after plan(). They have memory and streams after realize().
  [[nodiscard]] std::span<const Subdomain> subdomains() const;
  /// From here on interiors are whole tiles of so many cells, and boundaries the rest: for kernels whose blocks are slower at an edge,
  /// or in thin boxes. At first 1 cell, the largest interior. Local; ranks may differ in it. After realize(), not while an exchange
  /// is under way. References to earlier interiors and boundaries show the new ones.
  void use_tiles(const Vec3& tile);

  /// Enqueues an exchange of all fields, or of parts of some, in their current buffers, after the work in the subdomains' streams,
  /// and returns. Until ExchangeHandle::finish, owned cells of these fields may be read; those outside the interiors must not be
  /// written, nor halo cells read or written. All ranks start the same exchanges in the same order. transfers: each field at most
  /// once, such as {{u}, {v, directions, 1}}. Throws InvalidArgument for a depth that is not allowed, and for a field that
  /// reads beyond an open end where on_open_boundary() was not called.
  ExchangeHandle start_exchange();
  ExchangeHandle start_exchange(const std::vector<Transfer>& transfers);
  /// start_exchange() and finish(), with nothing enqueued in between.
  void exchange();
  void exchange(const std::vector<Transfer>& transfers);
  /// exchange() for kernels behind it that CUDA starts with it, and that await its end: leaves multiprocessors to them, as start_exchange().
  void exchange_awaited();

  /// The times of exchanges that are complete by now, oldest first, and not returned before; at most the last 4096. Of each, the
  /// longest of any local subdomain, with the filling of open boundaries, and with the boxes that finish(update) updates. Local. Does
  /// not wait. Exchanges in launches of a Graph are not timed, nor accumulations and reductions. Throws InvalidArgument without
  /// DomainOptions::time_exchanges.
  [[nodiscard]] std::vector<ExchangeTime> timing();

  /// The exchange backwards: enqueues that the halo cells which an exchange of the same transfers would fill go back to the subdomains that
  /// own them, where they are added to the owned cells or replace them, in the current buffers. Halo cells keep their values. The order is
  /// fixed, whatever arrives first: the owned cell, then its copies in neighbours' halos on faces, on edges, on corners, each by
  /// Direction::index() of the side; so results are the same in every run, and <exchange x, y> = <x, accumulate y>. Particle deposition,
  /// adjoints, lattice Boltzmann in place. What hooks of open boundaries have filled goes nowhere.
  ///
  /// All ranks call it in the same order, and not while an exchange is under way. The first call is collective: it allocates as
  /// much memory as the halos have, so call it once before a capture. Throws InvalidArgument for a depth less than the whole halo.
  void accumulate(Combine combine = Combine::add);
  void accumulate(const std::vector<Transfer>& transfers, Combine combine = Combine::add);

  /// Enqueues reductions of fields in their current buffers, over the cells that the subdomains of all ranks own. Behind earlier work in the
  /// subdomains' streams; work enqueued from here on sees the results (Subdomain::result) and may change the cells. In double precision, in
  /// an order that depends on the partition and the kind of devices alone: all ranks have the same bits, in every run. Up to 8 devices send
  /// each other their numbers in one round, more in several; reductions of one call share the messages. Blocks the host as exchange() does,
  /// and can be captured as it can. All ranks call it in the same order, and not while an exchange is under way.
  void reduce(reduction_id reduction);
  void reduce(const std::vector<reduction_id>& reductions);
  /// The latest result, after synchronize(), which it calls. Throws InvalidArgument before the first reduce() of this partition, and on a rank without subdomains.
  [[nodiscard]] double value(reduction_id reduction);

  /// Takes other streams for the local subdomains, in their order, each of its subdomain's device; Subdomain::stream() is then the new one.
  /// Later work comes after what is in the earlier streams by now. They must outlive the domain, or the next call. For streams of your own:
  /// Devices::borrow_stream(). A stream that is being captured can be taken only where the work in the earlier one is done.
  void use_streams(std::span<Stream* const> streams);
  /// Collective: the speeds of this rank's devices, in cells a second; within 5 % they are equal. kernel(subdomain) enqueues a step's
  /// work in the subdomain's stream, and leaves cells that are still read as they are. It runs for 0.2 s on one device after another.
  [[nodiscard]] std::vector<double> measure(const std::function<void(const Subdomain&)>& kernel);
  /// Collective: cuts the domain anew, maybe by another grid, in proportion to the speeds of this rank's devices, and moves the owned cells
  /// of all buffers to their new subdomains, with the halos beyond open ends; other halos are undefined until the next exchange. What
  /// follows is as without it, bit for bit, but for reductions: value() of an earlier one throws where the cut has changed. Subdomains of the span show their new
  /// boxes; their copies, views, Output and Checkpoints are invalid. The first accumulate() is collective again. Needs host memory for the
  /// owned cells. Where no rank gives speeds, they are measured as by PartitionOptions::measure_weights. Throws InvalidArgument, and changes
  /// nothing, while an exchange is under way or a Graph exists, and for a domain of OwnedBoxes, of given cuts, or with own arrays.
  void rebalance(std::span<const double> speeds = {});
  /// The next buffer of a field becomes the current one. Local; all ranks do it at the same point, not while the field is exchanged.
  void swap(field_id field);

  /// From here to Capture::finish, what is enqueued in this rank's subdomains' streams (exchanges, swaps, the caller's own work) is
  /// recorded instead of run. The work of one device may wait for another's only through exchanges, which throw CapabilityError on
  /// all ranks where a route of any rank needs the host. With several steps per exchange, record whole cycles of these, so that each
  /// launch begins with an exchange. Local. Not while an exchange or another capture is under way.
  Capture capture();

  /// Fills halos beyond open boundaries: called by ExchangeHandle::finish for each local subdomain at an end of an open dimension, x then y
  /// then z, to enqueue work in the subdomain's stream. The boxes are as thick as the field's radius, and span the halos that were filled
  /// before. All ranks call on_open_boundary() before the first exchange of a field whose stencil reads beyond an open end; with an empty
  /// function, on_open_boundary({}), these halo cells keep their values, for kernels that do not read them or set them by themselves.
  using BoundaryFill = std::function<void(const Subdomain&, field_id, const overlap::OpenBoundaryBox&)>;
  void on_open_boundary(BoundaryFill fill);

  /// Blocks until all work in all local subdomains' streams is done, however long the caller's own kernels run: timeouts apply to
  /// the steps of an exchange, none of which waits longer. Throws what failed.
  void synchronize();
  /// Collective: waits for all work in the subdomains' streams, and frees everything. Views and subdomains are invalid afterwards.
  /// The caller synchronises before with work that the domain cannot see: on its arrays in other streams, and graphs with its
  /// exchanges that were launched there. After a failure it does not communicate, and leaks what other ranks may still write into.
  void close();

 private:
  friend class Subdomain;
  friend class DomainInternals;
  friend class ExchangeHandle;
  friend class Graph;
  friend class Capture;
  struct ArrayView {
    std::byte* origin = nullptr;
    Box owned;
    Box with_halo;
    std::array<std::int64_t, 3> stride_bytes{};
    std::int64_t component_stride_bytes = 0;
    ViewBounds bounds;
    std::array<StridedCells, 2> x_halos;
  };
  enum class XHalos : int { in_rows, anywhere };
  [[nodiscard]] ArrayView array_of(std::size_t position, field_id field, int ahead, Element element,
                                   XHalos allowed) const;

  class Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename T>
View<T> Subdomain::view(Field<T> field, int ahead) const {
  const auto found =
      domain_->array_of(position_, field.id, ahead, element_of<std::remove_const_t<T>>(), Domain::XHalos::in_rows);
  return {found.origin, found.owned, found.with_halo, found.stride_bytes, found.component_stride_bytes, found.bounds};
}

template <typename T>
SplitView<T> Subdomain::split_view(Field<T> field, int ahead) const {
  const auto found =
      domain_->array_of(position_, field.id, ahead, element_of<std::remove_const_t<T>>(), Domain::XHalos::anywhere);
  return {{found.origin, found.owned, found.with_halo, found.stride_bytes, found.component_stride_bytes, found.bounds},
          found.x_halos};
}

}  // namespace halocline
