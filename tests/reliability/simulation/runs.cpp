// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/runs.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "halocline/environment.hpp"

namespace halocline::simulation {
namespace {

/// Of the machine's time: more than any run takes. A loop without a point, or a wait that is not simulated, ends here.
constexpr unsigned most_seconds = 60;

void print_trace(const Simulator& run, Shows shows) {
  constexpr std::size_t last = 12;
  const auto& events = run.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (shows != Shows::everything && !event.disturbance && i + last < events.size()) continue;
    fmt::print("{:>14.3f} us  {:<22} {} {}\n", static_cast<double>(event.at.count()) * 1e-3, run.name(event.thread),
               event.what, event.detail);
  }
  std::fflush(stdout);
}

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t bytes = ::read(fd, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

[[noreturn]] void run_child(std::uint64_t seed, const Less& less, Shows shows, int to_parent) {
  ::alarm(most_seconds);
  set_log_sink([](LogLevel, std::string_view) {});
  Simulator& run = Simulator::instance();
  const auto answer = [&run, to_parent, shows](const std::string& failure) {
    run.end();
    if (shows != Shows::nothing) print_trace(run, shows);
    write_all(to_parent,
              fmt::format("{} {} {} {}\n{}", run.hash(), run.points(), run.disturbed(), run.now().count(), failure));
    ::_exit(0);
  };
  run.begin(disturbances_of(seed, less), Limits{}, shows != Shows::nothing, answer);
  answer(run_scenario(seed));
  ::_exit(1);
}

Outcome outcome_of(const std::string& text, int status) {
  Outcome outcome;
  if (WIFSIGNALED(status)) {
    outcome.failure = WTERMSIG(status) == SIGALRM
                          ? fmt::format("stuck: not done after {} s of the machine's time", most_seconds)
                          : fmt::format("signal: {}", ::strsignal(WTERMSIG(status)));
    return outcome;
  }
  std::array<std::uint64_t, 4> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint64_t& number : numbers) {
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || rest == end) {
      outcome.failure = fmt::format("exit: code {} without an answer", WEXITSTATUS(status));
      return outcome;
    }
    at = rest + 1;
  }
  outcome.hash = numbers[0];
  outcome.points = numbers[1];
  outcome.disturbed = numbers[2];
  outcome.virtual_s = static_cast<double>(numbers[3]) * 1e-9;
  outcome.failure.assign(at, end);
  return outcome;
}

}  // namespace

Outcome run_seed(std::uint64_t seed, const Less& less, Shows shows) {
  std::array<int, 2> pipe_ends{};
  if (::pipe(pipe_ends.data()) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  std::fflush(stdout);
  const auto begun = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(pipe_ends[0]);
    run_child(seed, less, shows, pipe_ends[1]);
  }
  ::close(pipe_ends[1]);
  const std::string text = read_all(pipe_ends[0]);
  ::close(pipe_ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome = outcome_of(text, status);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return outcome;
}

Less shrink(std::uint64_t seed, const Outcome& failed) {
  constexpr int most_runs = 300;
  int runs = 0;
  Less best;
  const auto still_fails = [&](const Less& less) {
    ++runs;
    return run_seed(seed, less).kind() == failed.kind();
  };
  // Whole kinds first.
  for (bool Less::*kind : {&Less::without_lost_wakes, &Less::without_delays}) {
    Less less = best;
    less.*kind = true;
    if (still_fails(less)) best = less;
  }
  // Then ranges of disturbances, by halves: those after the failure's cause are many, and go first.
  const std::uint64_t all = run_seed(seed, best).disturbed;
  for (std::uint64_t size = std::max<std::uint64_t>(all, 1); size > 0 && runs < most_runs; size /= 2) {
    for (std::uint64_t end = all; end > 0 && runs < most_runs; end -= std::min(end, size)) {
      const std::uint64_t begin = end - std::min(end, size);
      const bool gone = std::ranges::any_of(
          best.without, [&](const auto& range) { return begin >= range.first && end <= range.second; });
      if (gone) continue;
      Less less = best;
      // Other orders have more disturbances: the last range has no end.
      less.without.emplace_back(begin, end == all ? std::numeric_limits<std::uint64_t>::max() : end);
      if (still_fails(less)) best = less;
    }
  }
  // Ranges that lie within others are of no use.
  std::uint64_t left = 0;
  for (std::uint64_t number = 0; number < all; ++number) {
    left += std::ranges::none_of(best.without,
                                 [&](const auto& range) { return number >= range.first && number < range.second; })
                ? 1U
                : 0U;
  }
  fmt::print("shrunk in {} runs: {} of {} disturbances are left{}{}\n", runs, left, failed.disturbed,
             best.without_delays ? ", no delays" : "", best.without_lost_wakes ? ", no lost or early wake-ups" : "");
  return best;
}

}  // namespace halocline::simulation
