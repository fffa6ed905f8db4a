// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "comm/uncounted.hpp"
#include "device/memory_account.hpp"
#include "device/tracer.hpp"
#include "domain/detail/accumulation.hpp"
#include "domain/detail/arena.hpp"
#include "domain/detail/exchange_timer.hpp"
#include "domain/detail/flight_recorder.hpp"
#include "domain/detail/life_cycle.hpp"
#include "domain/detail/reductions.hpp"
#include "domain/detail/slow_path_watch.hpp"
#include "exchange/exchange.hpp"
#include "halocline/domain.hpp"
#include "halocline/error.hpp"
#include "io/tuning_cache.hpp"
#include "overlap/boundary_updater.hpp"
#include "overlap/regions.hpp"
#include "overlap/steps.hpp"
#include "plan/message_ranking.hpp"
#include "plan/plan.hpp"
#include "routing/choose.hpp"

namespace halocline {

/// The members of a domain, in the order in which they are made; destroyed in the opposite order.
class Domain::Impl {
 public:
  static Impl& of(const Domain& domain) { return *domain.impl_; }

  Impl(Domain* domain_in, const Vec3& extent_in, const Stencil& stencil_in, DomainOptions options_in)
      : domain(domain_in), extent(extent_in), stencil(stencil_in), options(std::move(options_in)) {}

  Domain* domain;
  std::optional<OwnedBoxes> owned_boxes;
  Vec3 extent;      ///< from plan() on, the extent of the owned boxes of all ranks, if these are given
  Stencil stencil;  ///< the stencil of fields that are added without one
  DomainOptions options;
  std::vector<FieldDescriptor> fields;
  std::vector<Reductions::Item> reduced;  ///< by reduction_id

  /// The user's communicator: owned, or only used to make a private group, so that messages of several domains cannot
  /// mix.
  std::unique_ptr<comm::RankGroup> owned_comm;
  comm::RankGroup* users_comm = nullptr;
  [[nodiscard]] comm::RankGroup& users_group() const { return users_comm != nullptr ? *users_comm : *owned_comm; }
  /// The communicator that the domain uses.
  comm::RankGroup* comm = nullptr;
  std::unique_ptr<comm::RankGroup> node_comm;
  std::shared_ptr<device::Backend> backend;
  /// Of what the backend has allocated for the domain.
  std::shared_ptr<device::MemoryAccount> account = std::make_shared<device::MemoryAccount>();
  std::optional<Plan> plan;
  std::optional<Machine> machine;  ///< the plan's, made when first asked for

  /// A local subdomain's memory and stream. The arrays are in the arena, or are the user's own if given.
  struct Local {
    Arena arena;
    std::vector<std::vector<exchange::Array>> arrays;
    Verdict storable = Verdict::of(true);  ///< other devices of the rank may store to the arrays
    std::unique_ptr<device::Stream> stream;
  };
  std::vector<subdomain_id> mine;
  std::map<std::pair<field_id, subdomain_id>, std::map<int, exchange::Array>> user_arrays;
  std::vector<Local> locals;
  std::vector<Subdomain> subdomains;
  std::vector<device::Stream*> streams;
  std::vector<std::unique_ptr<device::Event>> marks;  ///< by stream: of those that meet for a recording
  std::vector<int> current;
  std::optional<MessageRanking> message_ranking;  ///< where the option leaves the messages to the model
  std::vector<RoutedMessage> routes;
  std::string tuned;                            ///< what tune() has chosen, as a line; empty without it
  std::unique_ptr<io::TunedEntry> tuned_entry;  ///< the same with all that was tried
  std::unique_ptr<device::Tracer> tracer;       ///< if exchanges are traced
  std::unique_ptr<FlightRecorder> flight;       ///< from plan() on
  std::unique_ptr<exchange::Exchange> exchange;
  std::unique_ptr<Accumulation> accumulation;                  ///< made when first used
  std::unique_ptr<Reductions> reductions;                      ///< null without add_reduction()
  std::unique_ptr<overlap::BoundaryUpdater> boundary_updater;  ///< made when first used
  std::unique_ptr<ExchangeTimer> timer;                        ///< if exchanges are timed
  std::unique_ptr<SlowPathWatch> slow_paths;                   ///< if slow paths are reported
  std::vector<Transfer> all_transfers;                         ///< of all fields, whole
  std::vector<field_id> exchanging;
  exchange::Selection selected;      ///< see selection()
  std::int64_t rebalanced = 0;       ///< how often
  Vec3 tiles = Vec3::filled(1);      ///< of the interiors
  std::optional<BoundaryFill> fill;  ///< unset: on_open_boundary() was not called; empty: nothing is to be filled

  /// The present state: a failure of an exchange is a failure of the domain.
  LifeCycle& life() {
    if (exchange && exchange->failure()) life_.fail(exchange->failure());
    if (accumulation && accumulation->failure()) life_.fail(accumulation->failure());
    if (reductions && reductions->failure()) life_.fail(reductions->failure());
    return life_;
  }
  void note(EventKind kind) noexcept {
    if (flight) flight->recorder().note(kind);
  }
  void check_realized(std::string_view call) { life().check_realized(call); }
  /// Realized, and no exchange under way.
  void check_idle(std::string_view call) {
    check_realized(call);
    if (!exchange->under_way()) return;
    throw InvalidArgument(
        fmt::format("{} must not be called while an exchange is under way; finish() it before", call));
  }
  void check_step(int step) const {
    if (step >= 0 && step < options.steps_per_exchange) return;
    throw InvalidArgument(
        fmt::format("step is {}; allowed are 0 to {}, the steps that an exchange serves (steps_per_exchange)", step,
                    options.steps_per_exchange - 1));
  }
  const FieldDescriptor& field(field_id id) const {
    if (id.value() < 0 || std::cmp_greater_equal(id.value(), fields.size())) {
      throw InvalidArgument(
          fmt::format("field is {}; allowed are 0 to {}", id.value(), static_cast<std::int64_t>(fields.size()) - 1));
    }
    return fields[id.index()];
  }

  /// Runs a collective part of the set-up. Its errors are agreed on, so that all ranks are here when it throws, or the groups
  /// are poisoned: nothing of it stays open.
  template <typename Step>
  void together(Step&& step) {
    const device::CountMemory counted(*account, device::Purpose::other);
    try {
      step();
    } catch (...) {
      give_up();
      undo();
      throw;
    }
  }
  /// Makes the plan if there is none.
  void ensure_plan();
  void make_plan();
  void check_options() const;
  [[nodiscard]] DomainOptions options_for_trials() const;
  /// Collective: what the file has for this domain, or what trials find. Sets `tuned`.
  [[nodiscard]] io::TunedEntry tuned_by_trials(comm::RankGroup& group, const std::string& file, Duration budget,
                                               bool again);
  void add_subdomains();
  /// Throws what forbids rebalance().
  void check_can_rebalance();
  void rebalance(std::span<const double> speeds, const std::string& from);
  /// This rank's part of values by rank, then device.
  [[nodiscard]] std::vector<double> own_part(const std::vector<double>& of_all) const;
  /// Runs a collective step of a realized domain, after which it has failed unless the error is an InvalidArgument.
  template <typename Step>
  auto collectively(Step&& step) {
    const comm::Uncounted set_up;
    try {
      return step();
    } catch (const InvalidArgument&) {
      throw;
    } catch (...) {
      give_up();
      throw;
    }
  }
  /// Begins a collective call, a comm::Phase: InvalidArgument, after which nothing is changed, if the ranks are in different ones. Does nothing
  /// where there is no group yet, or the ranks are out of step already.
  void begin_together();
  void rebalance_as(Plan next);
  [[nodiscard]] PlanRequest plan_request() const;
  void allocate();
  void check_user_arrays() const;
  void take_user_arrays(Local& local, subdomain_id id);
  /// Collective.
  void choose_messages();
  /// After choose_messages(): the option's value, or what was chosen.
  [[nodiscard]] routing::Messages messages() const {
    return message_ranking ? message_ranking->chosen : options.routing.messages;
  }
  [[nodiscard]] bool can_send_by_node() const;
  void route_and_connect();
  /// After realize().
  [[nodiscard]] std::string explain_memory() const;
  /// The memory that an exchange of a geometry uses, and whether other ranks and devices may access it, by local
  /// subdomain.
  struct Memory {
    const partition::Geometry* geometry;
    std::vector<exchange::LocalSubdomain> subdomains;
    std::vector<Verdict> exportable;
    std::vector<Verdict> storable;
    bool self_in_place = false;  ///< see exchange::Setup
    std::string recorded_as = "exchange";
    const exchange::Exchange* in_turn_with = nullptr;  ///< see exchange::Setup
    /// What other ranks need to map arrays of the user's, until they have.
    std::vector<std::shared_ptr<const void>> held{};
  };
  [[nodiscard]] Memory memory() const;
  /// Sets how other ranks map the subdomain's arrays: the user's own in their memory if all of them can be exported.
  void export_arrays(std::size_t place, Memory& memory) const;
  /// Collective: finds out what the machine can do, routes, and builds an exchange with these routes. both_ways: set to the routes of
  /// all messages that this rank sends or receives; may be null.
  [[nodiscard]] std::unique_ptr<exchange::Exchange> connect(comm::RankGroup& group, Memory memory,
                                                            std::vector<RoutedMessage>& routed,
                                                            std::vector<routing::Route>* both_ways = nullptr);
  /// Throws an error of a stream again if an exchange other than the domain's own explains it.
  void rethrow_explained(const std::exception_ptr& error) const;
  void make_accumulation();
  void make_reductions();
  /// Collective: an exchange for each round.
  void connect_reductions();
  void reduce(std::span<const reduction_id> which);
  /// Throws InvalidArgument for one that was not added.
  void check_reduction(reduction_id reduction) const;
  [[nodiscard]] bool captured() const {
    return std::ranges::any_of(streams, [](const device::Stream* stream) { return stream->capturing(); });
  }
  /// Collective if the groups are not poisoned.
  void close_groups();
  /// Collective.
  void close();
  /// Collective, after the exchange is closed: one warning on rank 0, of the slowest route, if all ranks waited too long in each timed
  /// exchange. arrivals: of this rank's exchange.
  void warn_of_slow_path(std::span<const exchange::Arrival> arrivals);
  /// For use after an error of the set-up. Collective if the groups are not poisoned.
  void undo() noexcept;
  /// For use after a failure, or if this rank destroys the domain without close(): sets the reason that other ranks
  /// report, and leaks the memory that they may still write into. Does not communicate. Returns false if there is no
  /// exchange.
  bool abandon(std::string_view why) noexcept;
  [[nodiscard]] Box update_box(const Box& owned, int step) const;
  /// Sets the subdomains' interiors, the largest that are whole tiles, and boundaries.
  void split(const Vec3& tile);
  [[nodiscard]] std::array<bool, 3> open_dims() const;
  /// The cells that a step of the fields reads beyond a subdomain's box, the widest on each side.
  [[nodiscard]] Stencil widest() const;
  /// Until the next call: of one object, so that steps allocate nothing.
  [[nodiscard]] const exchange::Selection& selection(std::span<const Transfer> which);
  /// Swaps of a field since the capture began, of which its device's count knows nothing; modulo its buffers.
  [[nodiscard]] int swaps_captured(field_id id) const;
  /// A transfer's depth. All depths that cover the whole halo become one value, because ranks must select the same.
  [[nodiscard]] std::int64_t depth_of(const Transfer& transfer) const;
  [[nodiscard]] std::vector<field_id> all_fields() const;
  /// The buffer of a field that is current after `ahead` swaps. what: the caller's function, for errors.
  [[nodiscard]] int buffer_of(std::string_view what, field_id id, int ahead, Element element);
  void start_exchange(std::span<const Transfer> which, exchange::Overlap overlap);
  void start_whole_exchange(exchange::Overlap overlap);
  void accumulate(std::span<const Transfer> which, Combine combine);
  void finish_exchange();
  void finish_exchange(const BoundaryUpdate& update);
  void finish_with(const BoundaryUpdate& update);
  /// Makes the streams wait for halos, between marks if exchanges are timed.
  void join_timed(const std::function<void()>& join);
  /// Throws InvalidArgument if the stencil of one of the fields reads beyond an open end and on_open_boundary() was not
  /// called. Does not depend on the local subdomains, so that all ranks throw or none.
  void check_open_ends(std::span<const Transfer> which) const;
  void fill_open_boundaries(const Subdomain& subdomain, int step, std::span<const field_id> which);
  void fill_open_boundaries(std::span<const field_id> which);
  void make_boundary_updater();
  /// Streams that are captured together: their positions.
  using StreamGroup = std::vector<std::size_t>;
  [[nodiscard]] std::vector<StreamGroup> stream_groups() const;
  void gather_streams(const StreamGroup& group);
  void spread_streams(const StreamGroup& group);
  /// The recorded work of a group's streams.
  struct Recorded {
    StreamGroup group;
    std::unique_ptr<device::Graph> graph;
  };
  /// What a capture began with, and how far it is.
  struct Capturing {
    std::vector<int> current;
    std::vector<StreamGroup> groups;
    std::size_t begun = 0;  ///< groups whose first stream is captured
    std::size_t ended = 0;  ///< and no longer
  };
  std::shared_ptr<Capturing> capturing;  ///< null: no capture is under way
  void begin_capture();
  /// The work that was captured, by group.
  [[nodiscard]] std::vector<Recorded> recorded();
  void take_back_captured();
  /// Ends a capture of which nothing is kept.
  void discard_capture() noexcept;
  std::vector<std::weak_ptr<Graph::Impl>> graphs;  ///< recorded by this domain
  /// Takes what they recorded from the graphs that exist, which cannot be launched from here on.
  [[nodiscard]] std::vector<Recorded> take_graphs() noexcept;

 private:
  /// In a handler: the domain has failed by the exception. One that is no Error, such as bad_alloc between the parts that ranks agree
  /// on, is this rank's alone, so that the groups are poisoned.
  void give_up() noexcept;
  void poison_groups() noexcept;
  void leak_memory() noexcept;

  LifeCycle life_;
};

struct Graph::Impl {
  Domain::Impl* domain;                          ///< null once it is closed
  std::vector<Domain::Impl::Recorded> recorded;  ///< one for each device, or one for all
};

}  // namespace halocline
