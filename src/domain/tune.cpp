// SPDX-License-Identifier: BSD-3-Clause
// Options chosen by trials, and kept in a file.
#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "comm/agree.hpp"
#include "comm/in_step.hpp"
#include "comm/phase.hpp"
#include "core/log.hpp"
#include "domain/detail/agreement.hpp"
#include "domain/detail/domain_impl.hpp"
#include "domain/detail/tuning_ceilings.hpp"
#include "domain/detail/tuning_key.hpp"
#include "domain/internals.hpp"
#include "domain/tuned_options.hpp"
#include "io/update_file.hpp"
#include "io/write_file.hpp"
#include "tune/candidates.hpp"
#include "tune/choice.hpp"
#include "tune/trials.hpp"

namespace halocline {
namespace {

constexpr const char* cache_name = "tuning cache";
constexpr auto patience_for_lock = std::chrono::seconds(10);

/// A domain of its own with some settings, whose exchanges are timed.
class TrialDomain final : public tune::Contestant {
 public:
  TrialDomain(std::unique_ptr<Domain> domain, const std::vector<FieldDescriptor>& fields) : domain_(std::move(domain)) {
    for (const FieldDescriptor& field : fields) domain_->add_field(field);
    domain_->on_open_boundary({});
  }
  [[nodiscard]] Domain& domain() { return *domain_; }
  double seconds_of_one(std::int64_t exchanges) override {
    const Duration begin = Clock::steady().now();
    for (std::int64_t i = 0; i < exchanges; ++i) domain_->exchange();
    domain_->synchronize();
    const std::chrono::duration<double> took = Clock::steady().now() - begin;
    return took.count() / static_cast<double>(exchanges);
  }
  void close() override { domain_->close(); }

 private:
  std::unique_ptr<Domain> domain_;
};

/// What settings put first has to carry something, or they are the default under another name.
void check_transport(Domain& domain, const io::Settings& settings) {
  const auto first = settings.find(std::string(tune::first_setting));
  if (first == settings.end()) return;
  const std::int64_t messages = internals(domain).traffic(routing::transport_from_string(first->second)).messages;
  if (domain.plan().comm.all_reduce(messages, comm::Reduction::sum) > 0) return;
  throw CapabilityError(fmt::format("no message can go by {}", first->second));
}

/// On rank 0: the cache's choice, or nothing and one warning if there should be one.
std::optional<io::TunedEntry> cached(const std::string& file, const io::TunedKey& key) {
  try {
    const auto text = io::content_if_there(cache_name, file, io::most_cache_bytes);
    if (!text) return std::nullopt;
    const io::TuningCache cache = io::tuning_cache_from(*text, file);
    if (const io::TunedEntry* const entry = cache.find(key)) {
      static_cast<void>(with_settings({}, entry->winner));
      return *entry;
    }
    const std::string why = cache.why_not(key);
    if (!why.empty()) log(LogLevel::warning, fmt::format("{} '{}': {}; trials decide", cache_name, file, why));
  } catch (const Error& error) {
    log(LogLevel::warning, fmt::format("{}; trials decide", error.what()));
  }
  return std::nullopt;
}

/// On rank 0. What others wrote meanwhile stays. A choice that cannot be kept is used all the same.
void keep(const std::string& file, const io::TunedEntry& entry) {
  try {
    io::update_file(cache_name, file, io::most_cache_bytes, patience_for_lock, [&](const auto& before) {
      io::TuningCache cache;
      try {
        if (before) cache = io::tuning_cache_from(*before, file);
      } catch (const InvalidArgument&) {  // damaged or foreign, which is known by now
      }
      cache.put(entry);
      return io::text_of(cache);
    });
  } catch (const Error& error) {
    log(LogLevel::warning, fmt::format("{}; the choice is not kept", error.what()));
  }
}

/// Rank 0's choice on all ranks.
std::optional<io::TunedEntry> shared(comm::RankGroup& comm, const std::optional<io::TunedEntry>& entry) {
  std::vector<std::byte> bytes;
  if (entry) {
    const std::string text = io::text_of(*entry);
    const auto view = std::as_bytes(std::span(text));
    bytes.assign(view.begin(), view.end());
  }
  comm.broadcast(bytes, rank_id(0));
  if (bytes.empty()) return std::nullopt;
  return io::tuned_entry_from({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string text_of_choice(const io::TunedEntry& entry, const std::string& from) {
  std::string how = "nothing was 3 % faster in trials";
  if (entry.confirmed)
    how = fmt::format("{:.2f} times as fast as the default in trials", 1 / tune::ratio_of(*entry.confirmed));
  return fmt::format("tuned: {} ({}; {})\n", io::text_of(entry.winner), how, from);
}

}  // namespace

DomainOptions Domain::Impl::options_for_trials() const {
  DomainOptions trial = options;
  trial.debug = {};
  trial.time_exchanges = false;
  trial.slow_paths = false;
  trial.internal.reset();
  if (options.internal) set_launch_threads(trial, options.internal->launch_threads);
  return trial;
}

io::TunedEntry Domain::Impl::tuned_by_trials(comm::RankGroup& group, const std::string& file, Duration budget,
                                             bool again) {
  const auto make = [&](const DomainOptions& with) {
    std::unique_ptr<Domain> made;
    if (owned_boxes) {
      made = std::make_unique<Domain>(*owned_boxes, stencil, comm::Communicator(group), with);
    } else {
      made = std::make_unique<Domain>(extent, stencil, comm::Communicator(group), with);
    }
    return std::make_unique<TrialDomain>(std::move(made), fields);
  };
  DomainOptions trial = options_for_trials();
  auto first = make(trial);
  const Planned planned = first->domain().plan();
  const Impl& of_first = Impl::of(first->domain());
  PlanRequest request = of_first.plan_request();
  std::vector<NamedValue> compared = values_of(plan_request());
  for (NamedValue& value : values_of(options)) {
    if (value.name != "timeout" && value.name != "validate_ordering") compared.push_back(std::move(value));
  }
  const auto key = tuning_key(group, *of_first.plan, compared, owned_boxes ? owned_boxes->boxes : std::vector<Box>{},
                              *of_first.backend);
  if (!again && !file.empty()) {
    const bool root = group.rank() == rank_id(0);
    if (auto found = shared(group, root ? cached(file, key) : std::nullopt)) {
      first->close();
      tuned = text_of_choice(*found, fmt::format("from '{}'", file));
      return *std::move(found);
    }
  }
  // Others need not find the machine again, nor measure its devices.
  trial.machine.map = planned.machine;
  trial.devices.existing = planned.devices;
  trial.internal.reset();
  if (of_first.plan->balance) {
    trial.partition.measure_weights = false;
    trial.partition.weights = of_first.plan->balance->speeds;
  }
  first->domain().realize();
  const auto all_routes = internals(first->domain()).gather_routes();
  request.machine = planned.machine.map();
  const bool own_grid = owned_boxes || request.cuts || request.node_grid || request.device_grid ||
                        !request.weights.empty() || of_first.plan->balance || !request.placement.owners.empty();
  tune::CandidateList candidates;
  comm::agree_on(group, [&] {
    candidates = tune::candidates_of({.request = &request,
                                      .plan = &*of_first.plan,
                                      .routes = all_routes,
                                      .messages = of_first.messages(),  // as chosen, where that is automatic
                                      .gpus = of_first.backend->kind() != DeviceKind::host,
                                      .may_cut = !own_grid});
  });
  auto ceilings = tuning_ceilings(group, *of_first.backend);
  const auto contestant = [&](const io::Settings& settings) -> std::unique_ptr<tune::Contestant> {
    if (settings.empty()) return std::move(first);
    auto made = make(with_settings(trial, settings));
    made->domain().realize();
    try {
      check_transport(made->domain(), settings);
    } catch (const CapabilityError&) {
      made->close();  // all ranks throw the same
      throw;
    }
    return made;
  };
  io::TunedEntry entry = tune::run_trials(group, Clock::steady(), contestant, candidates.list, budget);
  entry.key = key;
  entry.ceilings = std::move(ceilings);
  entry.predicted = candidates.predicted;
  for (io::TunedSkip& skip : candidates.skipped) entry.skipped.push_back(std::move(skip));
  if (!file.empty() && group.rank() == rank_id(0)) keep(file, entry);
  tuned = text_of_choice(entry, fmt::format("by trials of {:.1f} s{}", entry.spent,
                                            file.empty() ? "" : fmt::format(", kept in '{}'", file)));
  return entry;
}

void Domain::tune(const std::string& file, Duration budget, bool again) {
  impl_->life().check_before_plan("tune()");
  const comm::Uncounted set_up;
  const comm::Phase phase("tune()");
  comm::RankGroup& users = impl_->users_group();
  comm::agree(users, nullptr);
  const auto group = users.split(0, static_cast<int>(users.rank().value()));
  group->set_timeout(impl_->options.timeout);
  try {
    comm::agreed_or_out_of_step(*group, [&] {
      comm::agree_on(*group, [&] {
        impl_->check_options();
        if (budget <= Duration::zero()) {
          throw InvalidArgument(fmt::format("budget of tune() is {} s; allowed is more than 0",
                                            std::chrono::duration<double>(budget).count()));
        }
        if (!file.empty() && group->rank() == rank_id(0)) io::check_writable(cache_name, file);
      });
      const std::array compared{named("file of tune()", file),
                                named("budget of tune()", fmt::format("{}", budget.count())),
                                named("again of tune()", again ? "true" : "false")};
      check_alike(*group, compared);
      io::TunedEntry entry = impl_->tuned_by_trials(*group, file, budget, again);
      impl_->options = with_settings(std::move(impl_->options), entry.winner);
      impl_->tuned_entry = std::make_unique<io::TunedEntry>(std::move(entry));
    });
  } catch (...) {
    impl_->life().fail(std::current_exception());
    if (!group->poisoned()) group->close();
    throw;
  }
  group->close();
}

}  // namespace halocline
