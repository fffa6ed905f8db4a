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
#include "halocline/stream.hpp"
#include "halocline/view.hpp"

#pragma GCC visibility push(default)
namespace halocline {

/// How many arrays of a field a subdomain holds.
namespace buffers {
inline constexpr int one = 1;
inline constexpr int two = 2;  ///< read one, write the other, then Domain::swap
}  // namespace buffers

/// A field of a domain, with its element type. Made by Domain::add_field.
template <typename T>
struct Field {
  field_id id;
};

/// An array of the user's own: all its cells, halos included, in any order and with any gaps in memory.
struct UserArray {
  void* data = nullptr;                        ///< cell (0, 0, 0) of the array, the outermost below in each dimension
  Vec3 extent;                                 ///< cells, halos included
  std::array<std::int64_t, 3> stride_bytes{};  ///< of a step in x, y, z
  Vec3 halo_below;                             ///< cells of it below the owned ones; at least the radius
  Vec3 halo_above;                             ///< and above
  std::int64_t component_stride_bytes = 0;     ///< of a step from one component to the next
};

class Domain;
class DomainInternals;

/// One subdomain of this rank. A view into its domain; valid until the domain is closed. Its cells are in the memory of
/// its device: a GPU's are for kernels; from the host they are reached through to_host() (host_array.hpp).
class Subdomain {
 public:
  [[nodiscard]] subdomain_id id() const { return id_; }
  /// The ordinal of its device among the rank's own.
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] DeviceInfo device_info() const;
  /// The cells it owns, in global coordinates.
  [[nodiscard]] const Box& owned() const { return owned_; }
  /// The cells that a step has to update, counted from the last exchange: 0 is the step behind it, the last one is
  /// DomainOptions::halo_multiplier - 1 and updates the owned cells alone; the steps before it update a part of the
  /// neighbours' too, in the halo. Throws InvalidArgument for a step that the exchange does not serve.
  [[nodiscard]] Box update_box(int step) const;
  /// Of update_box(0) the cells that may be updated between start_exchange and finish_exchange, and the rest, as
  /// disjoint boxes.
  [[nodiscard]] const Box& interior() const { return interior_; }
  [[nodiscard]] const std::vector<Box>& exterior() const { return exterior_; }
  /// Whether there is no halo in a dimension, because it is Boundary::wrapped and not cut: a kernel then finds the cell beyond
  /// one end at the other. The same for all subdomains.
  [[nodiscard]] bool wraps(int dim) const;
  /// Where to enqueue work. Exchanges are ordered with it.
  [[nodiscard]] Stream& stream() const;
  /// What a step reads: the field's current array.
  template <typename T>
  [[nodiscard]] View<const T> read(Field<T> field) const {
    return view(Field<const T>{field.id});
  }
  /// What a step writes: the array that Domain::swap makes the current one; with Update::in_place the current one. Throws
  /// InvalidArgument for a field of one buffer with Update::double_buffered.
  template <typename T>
  [[nodiscard]] View<T> write(Field<T> field) const {
    return view(field, written_ahead(field.id));
  }
  /// A field's current array, or the one that comes next after `ahead` swaps. Throws InvalidArgument for more swaps than the field
  /// has other buffers.
  template <typename T>
  [[nodiscard]] View<T> view(Field<T> field, int ahead = 0) const;
  /// The same of a field of any type: a reference to the first byte of each element.
  [[nodiscard]] View<std::byte> bytes(field_id field, int ahead = 0) const;
  [[nodiscard]] const FieldDescriptor& descriptor(field_id field) const;
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
  std::vector<Box> exterior_;
  Stream* stream_ = nullptr;
};

/// Makes a subdomain's device the current one of the calling thread, as kernel launches need it, and restores the one before in its
/// destructor. Does nothing for host devices.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Subdomain& subdomain);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  std::unique_ptr<device::Current> current_;
};

/// Steps that were recorded once and can be replayed; see Domain::capture.
class Recording {
 public:
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

 private:
  friend class Domain;
  struct Impl;
  explicit Recording(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A distributed 3-D domain: the facade over all stages.
///
/// Add fields, call plan() (only where the boxes are needed before memory is there) and realize(), then exchange.
/// Methods marked "collective" must be called by all ranks in the same order; where one rank fails, all throw the
/// same error.
///
/// Calls in the wrong order throw InvalidArgument and change nothing. After any other error of plan(), realize(), close(), or an
/// exchange and what belongs to it (synchronize(), swap(), replay(), updates of exteriors), the domain has failed: every call but
/// close() throws that first error again, and the other ranks of the node are given it as the reason why their exchanges end.
class Domain {
 public:
  /// Without MPI: this process drives all devices.
  Domain(const Vec3& extent, const Radius& radius, DomainOptions options = {});
  /// Takes over a communicator, e.g. comm::from_mpi(MPI_COMM_WORLD).
  Domain(const Vec3& extent, const Radius& radius, std::unique_ptr<comm::Communicator> comm,
         DomainOptions options = {});
  /// Uses a communicator that outlives the domain; several domains may use one, each over a private group made in
  /// plan().
  Domain(const Vec3& extent, const Radius& radius, comm::Communicator& comm, DomainOptions options = {});
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;
  /// Does not communicate. A realized domain that was not closed leaks its device memory, which is logged; exchanges of the other
  /// ranks of the node then end with the error that this rank left.
  ~Domain();

  /// Before plan() or realize(); the same on all ranks. Throws InvalidArgument for a name that is taken.
  field_id add_field(FieldDescriptor descriptor);
  template <typename T>
  Field<T> add_field(const std::string& name, int buffer_count = buffers::one) {
    FieldDescriptor descriptor;
    descriptor.name = name;
    descriptor.element = element_of<T>();
    descriptor.buffers = buffer_count;
    return {add_field(std::move(descriptor))};
  }

  /// Collective: discovers, partitions and places, so that subdomains() are known. Called by realize() where it was not before.
  /// Throws InvalidArgument where ranks ask for different domains: it names what differs, with the values.
  void plan();

  /// The user's own array for a field of a local subdomain; see UserArray. After plan(), before realize(); once for
  /// each of the field's buffers (set), for all local subdomains. Throws InvalidArgument where the array has not the
  /// owned cells' extent plus its halos, or halos thinner than the radius.
  void use_array(field_id field, subdomain_id subdomain, int set, const UserArray& array);
  /// The same without a check: address of the first owned cell, byte strides of a
  /// step in x, y, z, and of a step from one component to the next. It must hold the owned cells and their halo.
  /// After plan(), before realize(); once for each of the field's buffers (set), for all local subdomains.
  void use_array(field_id field, subdomain_id subdomain, int set, void* first_owned_cell,
                 std::array<std::int64_t, 3> stride_bytes, std::int64_t component_stride_bytes = 0);

  /// Collective: allocates, finds out what the machine can do, routes, and builds the exchange.
  void realize();

  /// What was decided, and why. Lists the routes of the messages that this rank sends.
  [[nodiscard]] std::string explain() const;

  /// This rank's, after plan(). Their memory and streams are there after realize().
  [[nodiscard]] std::span<const Subdomain> subdomains() const;
  /// The devices that this rank drives, after plan().
  [[nodiscard]] Devices devices() const;
  /// A private group of the domain's ranks, after plan().
  [[nodiscard]] comm::Communicator& comm() const;
  /// Steps that one exchange serves.
  [[nodiscard]] int halo_multiplier() const;
  /// From here on interiors are whole tiles of so many cells (overlap::whole_tiles), and exteriors the rest: for kernels whose
  /// blocks are slower at an edge, or in thin boxes. At first 1 cell, the largest interior. Local; ranks may differ in it. After
  /// realize(), not while an exchange is under way. References to earlier interiors and exteriors show the new ones.
  void use_tiles(const Vec3& tile);

  /// Stream-ordered exchange of all fields (or some) in their current sets; the same on all ranks.
  void start_exchange();
  void start_exchange(std::span<const field_id> fields);
  void finish_exchange();
  /// The same, with the update of what surrounds the interiors: update(subdomain, boxes) is called for parts of each local
  /// subdomain's exterior, each as soon as what it reads has arrived, also while messages for others are under way. It enqueues
  /// the update of these boxes, at most 26, in subdomain.stream(), which is a stream of the part's own: ordered behind what was
  /// enqueued before start_exchange, and behind the halos that the boxes read, but not behind what was enqueued since, such as
  /// the interior. Later work in the subdomains' streams comes behind all parts. It calls nothing of the domain but views. What
  /// it throws leaves the domain unusable. With Update::in_place, where parts would race, all come after the exchange,
  /// as exterior() has them.
  using ExteriorUpdate = std::function<void(const Subdomain&, std::span<const Box>)>;
  void finish_exchange(const ExteriorUpdate& update);
  /// Both.
  void exchange();

  /// Takes other streams for the local subdomains, in their order, each of its subdomain's device; Subdomain::stream() is
  /// then the new one. Later work comes behind what is in the earlier streams by now. They must outlive the domain, or the
  /// next call. For streams of your own: Devices::borrow_stream(). A stream that is being captured can be taken only
  /// where the work in the earlier one is done.
  void use_streams(std::span<Stream* const> streams);
  /// use_streams() and exchange(): enqueues behind what is in these streams, and returns; later work in them sees full halos
  /// and may overwrite sent cells.
  void exchange(std::span<Stream* const> streams);
  /// The next set of a field becomes the current one. Local; must be done alike on all ranks, and not while the field is being
  /// exchanged.
  void swap(field_id field);
  template <typename T>
  void swap(Field<T> field) {
    swap(field.id);
  }

  /// Records what steps() enqueues on this rank's subdomain streams (exchanges, swaps, the caller's own work) instead of
  /// running it: each device's work by itself, unless exchanges order devices by events (`peer_copy`), so work of one
  /// device may wait for another's through exchanges alone. Local. Throws CapabilityError where a route needs the host, and
  /// InvalidArgument where a field's current set is another one afterwards: steps() holds whole cycles of swaps. (With a
  /// halo multiplier it should hold whole cycles of steps between exchanges, so that each replay begins with an exchange.)
  /// Not while an exchange is under way; steps() finishes those that it starts.
  [[nodiscard]] Recording capture(const std::function<void()>& steps);
  /// Enqueues recorded steps, as one launch a device, behind the work on the streams; later work comes behind them. All ranks do
  /// so alike, and not while an exchange is under way. The recording must outlive the work, and be destroyed before the domain is
  /// closed.
  void replay(const Recording& recording);

  /// Fills halos beyond open boundaries: called by finish_exchange for each local subdomain at an end of an open
  /// dimension, x then y then z, to enqueue work on the subdomain's stream. The boxes are as thick as the field's
  /// radius, and span the halos that were filled before.
  using BoundaryFill = std::function<void(const Subdomain&, field_id, const overlap::BoundaryBox&)>;
  void on_open_boundary(BoundaryFill fill);
  /// The same before a step that no exchange precedes (see Subdomain::update_box): calls the hook for the current sets
  /// of all fields, or some. Local.
  void fill_open_boundaries(int step);
  void fill_open_boundaries(int step, std::span<const field_id> fields);

  /// Blocks until all work on all local subdomains' streams is done, however long kernels of the caller's own run: timeouts are of
  /// an exchange's steps, each of which waits no longer. Throws what failed.
  void synchronize();
  /// Collective: waits for all work in the subdomains' streams, and frees everything. Views and subdomains are invalid afterwards.
  /// The caller synchronises before what the domain cannot see: work on its arrays in other streams, and graphs with its exchanges
  /// that were launched there. After a failure it does not communicate, and leaks what other ranks may still write into.
  void close();

 private:
  friend class Subdomain;
  friend class DomainInternals;
  struct ArrayView {
    std::byte* origin = nullptr;
    Box owned;
    Box with_halo;
    std::array<std::int64_t, 3> stride_bytes{};
    std::int64_t component_stride_bytes = 0;
  };
  [[nodiscard]] ArrayView array_of(std::size_t position, field_id field, int ahead, Element element) const;

  class Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename T>
View<T> Subdomain::view(Field<T> field, int ahead) const {
  const auto found = domain_->array_of(position_, field.id, ahead, element_of<std::remove_const_t<T>>());
  return {found.origin, found.owned, found.with_halo, found.stride_bytes, found.component_stride_bytes};
}

}  // namespace halocline
#pragma GCC visibility pop
