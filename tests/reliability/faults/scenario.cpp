// SPDX-License-Identifier: BSD-3-Clause
// The life of a domain, for runs in which one call fails: scenario RANKS|mpi FOLDER [cuda] [LIVES]. RANKS are threads; with mpi, the ranks are
// those of the launcher. A rank has two devices of the host, or one GPU. LIVES: so many lives one after another, in FOLDER/0, FOLDER/1,
// ..., each with another fault; the folder's file "errors" has what is printed meanwhile, and "ended with CODE" by each process at its end.
// Plans, realizes, exchanges, swaps, captures, replays, gathers,
// writes a checkpoint and an image, restores, accumulates, closes, with every owned and halo cell compared. A rank prints "rank R:
// verified", or "rank R: PHASE: ERROR", and then uses the domain again: that must throw the first error once more. Exit code 0 if all
// ranks verified; 1 after an error; 4 if a rule was broken ("rank R: broken: ...").
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "comm/gather.hpp"
#include "comm/local_ranks.hpp"
#include "halocline/files.hpp"
#include "halocline/halocline.hpp"
#include "halocline/host_array.hpp"
#include "halocline/session.hpp"

namespace {

using namespace halocline;
using namespace std::chrono_literals;

constexpr Vec3 extent{10, 9, 8};
/// Of each collective and each step of an exchange: a rank that fails keeps the others no longer.
constexpr Duration timeout = 4s;
/// Of what ranks do together before and between their lives. A machine makes the contexts of processes on its GPUs one after the other, in
/// more than a second each, and a rank may be in all its timeouts while another one is ready for the next life.
constexpr Duration timeout_between = 60s;

/// Text on standard error in one write, without memory: this program must be able to say what happened.
struct Line {
  char text[600];
  std::size_t size = 0;
  Line& operator<<(std::string_view part) {
    size += part.copy(text + size, sizeof text - 2 - size);
    return *this;
  }
  ~Line() {
    text[size++] = '\n';
    static_cast<void>(::syscall(SYS_write, STDERR_FILENO, text, size));  // in which there is no fault point
  }
};

std::string_view digit(int rank) {
  constexpr std::string_view digits = "0123456789";
  return digits.substr(static_cast<std::size_t>(rank % 10), 1);
}

std::string_view text_of(const std::exception_ptr& error) {
  thread_local char text[400];
  std::string_view found = "an exception of an unknown type";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    found = known.what();
  } catch (...) {
  }
  return {text, found.copy(text, sizeof text)};
}

struct Broken {
  const char* what;
};

/// Tells the fault points of this thread, if there are any, which rank it is.
void set_rank(int rank) {
  if (void* const set = ::dlsym(RTLD_DEFAULT, "faults_set_rank")) reinterpret_cast<void (*)(int)>(set)(rank);
}

double value_at(const Vec3& p, int round) {
  const auto wrapped = [](std::int64_t at, std::int64_t size) { return (at % size + size) % size; };
  return static_cast<double>(
      ((wrapped(p.x, extent.x) * 100 + wrapped(p.y, extent.y)) * 100 + wrapped(p.z, extent.z)) * 10 + round);
}

template <typename Body>
void for_each(const Box& box, Body&& body) {
  for (std::int64_t z = box.lo.z; z < box.hi.z; ++z) {
    for (std::int64_t y = box.lo.y; y < box.hi.y; ++y) {
      for (std::int64_t x = box.lo.x; x < box.hi.x; ++x) body(Vec3{x, y, z});
    }
  }
}

class Life {
 public:
  /// A domain that has failed keeps its part of a GPU: where several lives follow each other, none reserves one.
  Life(comm::RankGroup& comm, DeviceKind kind, bool others_follow)
      : comm_(comm), kind_(kind), rank_(static_cast<int>(comm.rank().value())) {
    options_.timeout = timeout;
    options_.devices.kind = kind;
    options_.devices.per_rank = kind == DeviceKind::host ? 2 : 1;
    if (others_follow) options_.tuning.domains_at_once = 1;
  }

  int run(const char* folder) {
    try {
      live(folder);
      Line() << "rank " << digit(rank_) << ": verified";
      return 0;
    } catch (const Broken& broken) {
      Line() << "rank " << digit(rank_) << ": broken: " << broken.what;
      std::_Exit(4);
    } catch (...) {
      after(std::current_exception());
      throw;
    }
  }

 private:
  void live(const char* folder) {
    phase_ = "making";
    domain_.emplace(extent, Stencil::box(1), comm::Communicator(comm_), options_);
    const auto u = domain_->add_field<double>("u", {.buffers = 2});
    const auto v = domain_->add_field<float>("v");
    phase_ = "plan";
    domain_->plan();
    phase_ = "realize";
    domain_->realize();
    for (int round = 0; round < 2; ++round) {
      phase_ = "exchange";
      fill(u, round);
      fill(v, round);
      if (round == 0) {
        domain_->exchange();
      } else {
        ExchangeHandle handle = domain_->start_exchange();
        handle.finish([&](const Subdomain& subdomain, std::span<const Box> boxes) {
          for (const Box& box : boxes) {
            if (kind_ == DeviceKind::host) subdomain.launch(box, [](const Box&) {});
          }
        });
      }
      domain_->synchronize();
      compare(u, round, true);
      compare(v, round, true);
      if (round == 0) domain_->swap(u);
    }
    phase_ = "capture";
    {
      fill(u, 2);
      Capture capture = domain_->capture();
      domain_->exchange();
      Graph graph = capture.finish();
      graph.launch();
      domain_->synchronize();
      compare(u, 2, true);
      fill(u, 1);
    }
    phase_ = "gather";
    const auto boxes = comm::gather_value(comm_, static_cast<std::int64_t>(domain_->subdomains().size()));
    if (boxes.size() != static_cast<std::size_t>(comm_.size()) || boxes[0] != options_.devices.per_rank)
      throw Broken{"a gathered number is wrong"};
    phase_ = "files";
    {
      Checkpoints checkpoints(*domain_, std::string(folder) + "/checkpoints");
      checkpoints.write({{"step", "1"}});
      Output output(*domain_, std::string(folder) + "/image.pvd");
      output.write(1, 0.5);
      fill(u, 7);
      const auto restored = checkpoints.restore();
      if (!restored || restored->metadata.at("step") != "1") throw Broken{"what was restored is not what was written"};
      domain_->synchronize();
      compare(u, 1, false);
      compare(v, 1, false);
    }
    phase_ = "accumulate";
    domain_->accumulate(Combine::replace);
    domain_->synchronize();
    phase_ = "close";
    domain_->close();
  }

  template <typename T>
  void fill(Field<T> field, int round) {
    for (const Subdomain& subdomain : domain_->subdomains()) {
      const HostArray<T> cells(subdomain, field);
      for_each(cells.view().with_halo(), [&](const Vec3& p) { cells(p) = T(-1); });
      for_each(subdomain.owned(), [&](const Vec3& p) { cells(p) = static_cast<T>(value_at(p, round)); });
      cells.upload(subdomain, field);
    }
  }

  template <typename T>
  void compare(Field<T> field, int round, bool with_halo) {
    for (const Subdomain& subdomain : domain_->subdomains()) {
      const auto cells = to_host(subdomain, field);
      for_each(with_halo ? cells.view().with_halo() : subdomain.owned(), [&](const Vec3& p) {
        if (cells(p) != static_cast<T>(value_at(p, round)))
          throw Broken{with_halo ? "a halo cell is wrong" : "a restored cell is wrong"};
      });
    }
  }

  /// A file's error leaves a domain usable. After any other, each call throws the first error, and close() returns.
  void after(const std::exception_ptr& error) {
    Line() << "rank " << digit(rank_) << ": " << phase_ << ": " << text_of(error);
    if (!domain_ || phase_ == std::string_view("making")) return;
    try {
      const auto text = [](const std::exception_ptr& one) { return one ? std::string(text_of(one)) : std::string(); };
      const std::string once = text(again());
      const std::string twice = text(again());
      if (once != twice) {
        Line() << "rank " << digit(rank_) << ": broken: the domain gives another error when it is used again";
        std::_Exit(4);
      }
    } catch (const std::bad_alloc&) {  // of the comparison
    }
    try {
      domain_->close();
    } catch (const std::exception& second) {
      Line() << "rank " << digit(rank_) << ": close after it: " << second.what();
    }
  }

  std::exception_ptr again() {
    try {
      static_cast<void>(domain_->subdomains());
      return {};
    } catch (...) {
      return std::current_exception();
    }
  }

  comm::RankGroup& comm_;
  DeviceKind kind_;
  int rank_;
  DomainOptions options_;
  const char* phase_ = "start";
  std::optional<Domain> domain_;
};

/// Ends the process if a rank breaks a rule. Returns as a process with this life alone would.
int live_once(int ranks, const char* folder, DeviceKind kind, bool others_follow) {
  comm::ThreadsOptions options;
  options.timeout = timeout;
  try {
    comm::run_as_threads(
        ranks,
        [&](comm::RankGroup& comm) {
          set_rank(static_cast<int>(comm.rank().value()));
          Life(comm, kind, others_follow).run(folder);
        },
        options);
    return 0;
  } catch (...) {
    Line() << "scenario: error: " << text_of(std::current_exception());
    return 1;
  }
}

/// The next of the faults of FAULTS_FAIL holds.
void next_fault() {
  if (void* const next = ::dlsym(RTLD_DEFAULT, "faults_next_life")) reinterpret_cast<void (*)()>(next)();
}

/// Calls live(life, folder) for each life, and meet() after it. Of the faults, the first, third, ... are for what precedes the lives and lies between them.
template <typename Live, typename Meet>
void live_often(const char* folder, int lives, Live&& live, Meet&& meet) {
  for (int life = 0; life < lives; ++life) {
    const std::string place = std::string(folder) + "/" + std::to_string(life);
    const int errors = ::open((place + "/errors").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (errors < 0 || ::dup2(errors, STDERR_FILENO) < 0) std::_Exit(2);
    ::close(errors);
    next_fault();
    const int code = live(life, place.c_str());
    next_fault();
    Line() << "ended with " << digit(code);
    meet();
  }
}

/// Makes the context of a rank's GPU: with ranks that are processes, of the GPU with the rank's number, if there are as many.
void make_context(int rank) {
  void* const init = ::dlsym(RTLD_DEFAULT, "cudaInitDevice");
  if (init == nullptr) return;
  const auto make = [init](int device) {
    return reinterpret_cast<int (*)(int, unsigned, unsigned)>(init)(device, 0, 0) == 0;
  };
  if (!make(rank)) static_cast<void>(make(0));
}

/// Each life has ranks of its own, made before the first: what one leaves behind is not in the way of the others.
[[noreturn]] void live_often_by_mpi(comm::Session& session, const char* folder, DeviceKind kind, int lives) {
  comm::Communicator world = session.world();
  comm::RankGroup& all = world;
  std::vector<std::unique_ptr<comm::RankGroup>> groups;
  for (int life = 0; life < lives; ++life) {
    groups.push_back(all.split(0, static_cast<int>(all.rank().value())));
    groups.back()->set_timeout(timeout);
  }
  live_often(
      folder, lives,
      [&](int life, const char* place) {
        try {
          return Life(*groups[static_cast<std::size_t>(life)], kind, true).run(place);
        } catch (...) {  // it has printed why
          return 1;
        }
      },
      [&] { world.barrier(); });
  session.abort(0);
}

int run(int argc, char** argv) {
  int words = 3;
  const bool cuda = argc > words && std::strcmp(argv[words], "cuda") == 0;
  if (cuda) ++words;
  const int lives = argc > words ? std::atoi(argv[words++]) : 0;
  const bool mpi = argc > 1 && std::strcmp(argv[1], "mpi") == 0;
  if (argc < 3 || argc != words) {
    std::fputs("usage: scenario RANKS|mpi FOLDER [cuda] [LIVES]\n", stderr);
    return 2;
  }
  const DeviceKind kind = cuda ? DeviceKind::cuda : DeviceKind::host;
  if (mpi) {
    Environment environment;
    environment.timeout = cuda || lives != 0 ? timeout_between : timeout;
    comm::Session session(&argc, &argv, environment);
    comm::Communicator world = session.world();
    if (cuda) {
      make_context(static_cast<int>(world.rank().value()));
      world.barrier();
    }
    if (lives != 0) live_often_by_mpi(session, argv[2], kind, lives);
    world.set_timeout(timeout);
    return Life(world, kind, false).run(argv[2]);
  }
  const int ranks = std::atoi(argv[1]);
  if (lives == 0) return live_once(ranks, argv[2], kind, false);
  live_often(
      argv[2], lives, [&](int, const char* place) { return live_once(ranks, place, kind, true); }, [] {});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    Line() << "scenario: error: " << text_of(std::current_exception());
    return 1;
  }
}
