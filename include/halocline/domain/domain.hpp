#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/comm/communicator.hpp"
#include "halocline/core/environment.hpp"
#include "halocline/core/field.hpp"
#include "halocline/device/backend.hpp"
#include "halocline/domain/plan.hpp"
#include "halocline/domain/view.hpp"
#include "halocline/exchange/exchange.hpp"
#include "halocline/overlap/regions.hpp"
#include "halocline/overlap/steps.hpp"

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

/// What a user may decide; the defaults leave everything to Halocline.
struct DomainOptions {
  Boundaries boundaries = all_periodic;
  overlap::Update update = overlap::Update::double_buffered;
  /// Steps that one exchange serves. Above 1, halos are that many times the radius (all fields' halos wide enough for
  /// the widest radius, edges and corners on), and each step updates Subdomain::update_box. 1 or more, the same on all
  /// ranks.
  int halo_multiplier = 1;

  /// The devices; by default those that make_backend() makes of the three options below.
  std::shared_ptr<device::Backend> backend;
  /// Host devices or GPUs. Unset, HALOCLINE_BACKEND decides, or else GPUs are taken where every rank sees one. The same
  /// on all ranks.
  std::optional<device::BackendKind> backend_kind;
  /// Devices that each rank drives. Unset: 1 host device, or an even part of the GPUs that its node's ranks see.
  std::optional<int> devices_per_rank;
  /// Threads that run the host devices' work in the background; 0: by cores and ranks.
  int host_workers = 0;
  /// A thread for each of this rank's devices enqueues its work, exchanges included, so that one rank can keep several
  /// devices busy; see device/launch_threads.hpp for what that asks of kernels. Ranks may differ in it.
  bool launch_threads = false;
  /// Virtual nodes of this many ranks; by default what the communicator finds.
  std::optional<int> ranks_per_node;

  /// A machine instead of the discovered one. Its ranks must be those of the communicator.
  std::optional<machine::MachineMap> machine;
  partition::Method partition = partition::Method::exact;
  std::optional<Vec3> node_grid;    ///< with Method::given
  std::optional<Vec3> device_grid;  ///< with Method::given
  std::vector<double> weights;      ///< relative speeds of devices; see partition::Request
  placement::Request placement;
  routing::Policy policy;
  exchange::Tuning tuning;
  /// One message a neighbour, or one a direction; the same on all ranks.
  exchange::Messages messages = exchange::Messages::by_neighbour;
  /// Looks for work that is not ordered with exchanges: see exchange::Setup::check_order.
  bool check_order = false;

  /// How long a collective or one step of an exchange may take before it is an error.
  Duration timeout = std::chrono::seconds(120);

  /// What the environment says (HALOCLINE_...) as options.
  static DomainOptions from(const Environment& environment);
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

/// One subdomain of this rank. A view into its domain; valid until the domain is closed. Its cells are in the memory of
/// its device: a GPU's are for kernels; from the host they are reached through to_host() (host_array.hpp).
class Subdomain {
 public:
  [[nodiscard]] subdomain_id id() const { return id_; }
  /// The backend's ordinal of its device.
  [[nodiscard]] int device() const { return device_; }
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
  [[nodiscard]] device::Stream& stream() const { return *stream_; }
  /// A field's current array, or the one that comes next after `ahead` swaps.
  template <typename T>
  [[nodiscard]] View<T> view(Field<T> field, int ahead = 0) const;
  /// The same of a field of any type: a reference to the first byte of each element.
  [[nodiscard]] View<std::byte> bytes(field_id field, int ahead = 0) const;
  /// The cells of it that the neighbour in a direction has in its halo, as they lie there, in a field's current array or the one
  /// that comes next after `ahead` swaps: a store there is one of the neighbour's, for kernels that store what they compute a
  /// second time instead of having it copied (Domain::mark_stored). owned() and with_halo() are these cells, in this subdomain's
  /// coordinates. None where there is no neighbour or no halo, or the route's memory is not mapped.
  template <typename T>
  [[nodiscard]] std::optional<View<T>> outlet(Field<T> field, Direction direction, int ahead = 0) const;
  /// What makes the stream's events, and memory that the device reaches.
  [[nodiscard]] device::Backend& backend() const;
  [[nodiscard]] const FieldDescriptor& descriptor(field_id field) const;
  /// Enqueues body(box) on the stream: body is called for disjoint parts of the box (host backend).
  void launch(const Box& box, std::function<void(const Box&)> body) const { stream_->launch(box, std::move(body)); }

 private:
  friend class Domain;
  Domain* domain_ = nullptr;
  std::size_t position_ = 0;
  subdomain_id id_;
  int device_ = 0;
  Box owned_;
  Box interior_;
  std::vector<Box> exterior_;
  device::Stream* stream_ = nullptr;
};

/// Steps that were recorded once and can be replayed; see Domain::capture.
class Recording {
 private:
  friend class Domain;
  using Stored = std::vector<std::vector<Directions>>;  ///< by field and set: see Domain::mark_stored
  Recording(std::vector<std::unique_ptr<device::Graph>> graphs, Stored stored)
      : graphs_(std::move(graphs)), stored_(std::move(stored)) {}
  std::vector<std::unique_ptr<device::Graph>> graphs_;  ///< a device's each, or one for all
  Stored stored_;                                       ///< by what precedes the steps
};

/// A distributed 3-D domain: the facade over all stages.
///
/// Add fields, call plan() (only where the boxes are needed before memory is there) and realize(), then exchange.
/// Methods marked "collective" must be called by all ranks in the same order; where one rank fails, all throw the
/// same error.
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
  /// Does not communicate: a domain that was not closed leaks its device memory, and says so in the log.
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

  /// Collective: discovers, partitions and places. Called by realize() where it was not before.
  const Plan& plan();

  /// The user's own array for a field of a local subdomain; see UserArray. After plan(), before realize(); once for
  /// each of the field's buffers (set), for all local subdomains. Throws InvalidArgument where the array has not the
  /// owned cells' extent plus its halos, or halos thinner than the radius.
  void use_array(field_id field, subdomain_id subdomain, int set, const UserArray& array);
  /// The same without a check: address of the first owned cell, byte strides of a
  /// step in x, y, z, and of a step from one component to the next. It must hold all cells of Geometry::with_halo.
  /// After plan(), before realize(); once for each of the field's buffers (set), for all local subdomains.
  void use_array(field_id field, subdomain_id subdomain, int set, void* first_owned_cell,
                 std::array<std::int64_t, 3> stride_bytes, std::int64_t component_stride_bytes = 0);

  /// Collective: allocates, finds out what the machine can do, routes, and builds the exchange.
  void realize();

  /// What was decided, and why. The routes are those of the messages that this rank sends; see gather_routes.
  [[nodiscard]] std::string explain() const;
  /// This rank's routes.
  [[nodiscard]] const std::vector<RoutedMessage>& routes() const;
  /// Collective: the routes of all ranks, by sender then receiver.
  [[nodiscard]] std::vector<RoutedMessage> gather_routes();

  [[nodiscard]] std::span<const Subdomain> subdomains() const;
  [[nodiscard]] const partition::Geometry& geometry() const;
  [[nodiscard]] comm::Communicator& comm() const;
  [[nodiscard]] device::Backend& backend() const;
  [[nodiscard]] exchange::Traffic traffic(routing::Transport transport) const;
  /// Steps that one exchange serves.
  [[nodiscard]] int halo_multiplier() const;
  /// From here on interiors are whole tiles of so many cells (overlap::whole_tiles), and exteriors the rest: for kernels whose
  /// blocks are slower at an edge, or in thin boxes. At first 1 cell, the largest interior. Local; ranks may differ in it. After
  /// realize(), not while an exchange is under way. References to earlier interiors and exteriors show the new ones.
  void use_tiles(const Vec3& tile);

  /// Stream-ordered exchange of all fields (or some) in their current sets; see exchange::Exchange. The same on all
  /// ranks.
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
  /// next call. For streams of your own: device::Backend::borrow_stream(). A stream that is being captured can be taken only
  /// where the work in the earlier one is done.
  void use_streams(std::span<device::Stream* const> streams);
  /// use_streams() and exchange(): enqueues behind what is in these streams, and returns; later work in them sees full halos
  /// and may overwrite sent cells.
  void exchange(std::span<device::Stream* const> streams);
  /// The next set of a field becomes the current one. Local; must be done alike on all ranks.
  void swap(field_id field);
  template <typename T>
  void swap(Field<T> field) {
    swap(field.id);
  }
  [[nodiscard]] int current_set(field_id field) const;

  /// Records what steps() enqueues on this rank's subdomain streams (exchanges, swaps, the caller's own work) instead of
  /// running it: each device's work by itself, unless exchanges order devices by events (`peer_copy`), so work of one
  /// device may wait for another's through exchanges alone. Local. Throws CapabilityError where a route needs the host, and
  /// InvalidArgument where a field's current set is another one afterwards: steps() holds whole cycles of swaps. (With a
  /// halo multiplier it should hold whole cycles of steps between exchanges, so that each replay begins with an exchange.)
  [[nodiscard]] Recording capture(const std::function<void()>& steps);
  /// Enqueues recorded steps, as one launch a device, behind the work on the streams; later work comes behind them. All ranks do
  /// so alike. The recording must outlive the work, and be destroyed before the domain is closed.
  void replay(const Recording& recording);

  /// Says that kernels which are enqueued by now have stored the cells of a field's array, of the one that comes next after
  /// `ahead` swaps, through all outlets that there are towards some directions. The next exchange of that array then only makes
  /// sure of that order, and moves what is left. Local; must be done alike on all ranks, behind an exchange of the field, before
  /// the field is swapped. Throws InvalidArgument where neighbours may still read what was stored: in the current array, with a
  /// halo multiplier above 1, or without an exchange since the last swap.
  void mark_stored(field_id field, const Directions& directions, int ahead = 1);
  template <typename T>
  void mark_stored(Field<T> field, const Directions& directions, int ahead = 1) {
    mark_stored(field.id, directions, ahead);
  }
  /// Takes that back, for all arrays of a field: where owned cells have been written since, or before a new start. The next
  /// exchange moves everything. Local; must be done alike on all ranks.
  void forget_stored(field_id field);

  /// Fills halos beyond open boundaries: called by finish_exchange for each local subdomain at an end of an open
  /// dimension, x then y then z, to enqueue work on the subdomain's stream. The boxes are as thick as the field's
  /// radius, and span the halos that were filled before.
  using BoundaryFill = std::function<void(const Subdomain&, field_id, const overlap::BoundaryBox&)>;
  void on_open_boundary(BoundaryFill fill);
  /// The same before a step that no exchange precedes (see Subdomain::update_box): calls the hook for the current sets
  /// of all fields, or some. Local.
  void fill_open_boundaries(int step);
  void fill_open_boundaries(int step, std::span<const field_id> fields);

  /// Blocks until all work on all local subdomains' streams is done. Throws what failed.
  void synchronize();
  /// Collective: waits for all work and frees everything. Views and subdomains are invalid afterwards.
  void close();

 private:
  friend class Subdomain;
  struct ArrayView {
    exchange::Array array;
    Box owned;
    Box with_halo;
  };
  [[nodiscard]] ArrayView array_of(std::size_t position, field_id field, int ahead, Element element) const;
  [[nodiscard]] std::optional<exchange::Outlet> outlet_of(std::size_t position, field_id field, Direction direction,
                                                          int ahead, Element element) const;
  [[nodiscard]] Box update_box(const Box& owned, int step) const;

  class Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename T>
View<T> Subdomain::view(Field<T> field, int ahead) const {
  const auto found = domain_->array_of(position_, field.id, ahead, element_of<std::remove_const_t<T>>());
  return {found.array.origin, found.owned, found.with_halo, found.array.stride_bytes,
          found.array.component_stride_bytes};
}

template <typename T>
std::optional<View<T>> Subdomain::outlet(Field<T> field, Direction direction, int ahead) const {
  const auto found = domain_->outlet_of(position_, field.id, direction, ahead, element_of<std::remove_const_t<T>>());
  if (!found) return std::nullopt;
  return View<T>(found->array.origin, found->cells, found->cells, found->array.stride_bytes,
                 found->array.component_stride_bytes);
}

inline Box Subdomain::update_box(int step) const { return domain_->update_box(owned_, step); }

inline bool Subdomain::wraps(int dim) const { return domain_->geometry().wraps(dim); }

inline device::Backend& Subdomain::backend() const { return domain_->backend(); }

inline const FieldDescriptor& Subdomain::descriptor(field_id field) const {
  return domain_->geometry().fields.at(field.index());
}

inline View<std::byte> Subdomain::bytes(field_id field, int ahead) const {
  const Element element = domain_->geometry().fields.at(field.index()).element;
  const auto found = domain_->array_of(position_, field, ahead, element);
  return {found.array.origin, found.owned, found.with_halo, found.array.stride_bytes,
          found.array.component_stride_bytes};
}

}  // namespace halocline
