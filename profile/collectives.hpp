// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

/// What one rank of a group sends in a collective, if it goes by the textbook's algorithm: send(to, bytes, messages) is
/// called for each receiver. Pure; which algorithm an MPI library takes for a size and a machine is its own business, and not asked.
namespace halocline::profile::pattern {

[[nodiscard]] constexpr int lowest_bit(int v) { return v & -v; }

/// Returns the largest power of two that is at most n.
[[nodiscard]] constexpr int floor_of_two(int n) {
  int power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

/// Ranks are counted from the root in trees.
[[nodiscard]] constexpr int from_root(int rank, int root, int size) { return (rank - root + size) % size; }

/// Dissemination: in step k to the rank 2^k further, nothing but the message itself.
template <typename Send>
void barrier(int size, int rank, Send&& send) {
  for (std::int64_t step = 1; step < size; step *= 2) {
    send(static_cast<int>((rank + step) % size), std::int64_t{0}, std::int64_t{1});
  }
}

/// The children of a rank in a binomial tree: visit(child, ranks of its subtree).
template <typename Visit>
void children(int size, int rank, int root, Visit&& visit) {
  const int v = from_root(rank, root, size);
  for (int m = v == 0 ? floor_of_two(size) : lowest_bit(v) / 2; m > 0; m /= 2) {
    if (m < size - v) visit((v + m + root) % size, std::min(m, size - v - m));
  }
}

/// Binomial tree: all bytes to each child.
template <typename Send>
void broadcast(int size, int rank, int root, std::int64_t bytes, Send&& send) {
  children(size, rank, root, [&](int child, int) { send(child, bytes, std::int64_t{1}); });
}

/// Binomial tree: to each child the blocks of its subtree.
template <typename Send>
void scatter(int size, int rank, int root, std::int64_t block, Send&& send) {
  children(size, rank, root, [&](int child, int subtree) { send(child, subtree * block, std::int64_t{1}); });
}

/// Binomial tree: to the parent the blocks of the own subtree.
template <typename Send>
void gather(int size, int rank, int root, std::int64_t block, Send&& send) {
  const int v = from_root(rank, root, size);
  if (v == 0) return;
  const int subtree = std::min(lowest_bit(v), size - v);
  send((v - lowest_bit(v) + root) % size, subtree * block, std::int64_t{1});
}

/// Binomial tree: to the parent one result of the own subtree.
template <typename Send>
void reduce(int size, int rank, int root, std::int64_t bytes, Send&& send) {
  const int v = from_root(rank, root, size);
  if (v != 0) send((v - lowest_bit(v) + root) % size, bytes, std::int64_t{1});
}

/// Recursive doubling among p ranks, p the largest power of two. Of the first 2 (size - p) ranks, the even ones give
/// theirs to the odd ones before, and get the result from them after.
template <typename Send>
void all_reduce(int size, int rank, std::int64_t bytes, Send&& send) {
  const int power = floor_of_two(size);
  const int paired = 2 * (size - power);
  if (rank < paired && rank % 2 == 0) {
    send(rank + 1, bytes, std::int64_t{1});
    return;
  }
  const int place = rank < paired ? rank / 2 : rank - paired / 2;
  for (int mask = 1; mask < power; mask *= 2) {
    const int other = place ^ mask;
    send(other < paired / 2 ? 2 * other + 1 : other + paired / 2, bytes, std::int64_t{1});
  }
  if (rank < paired) send(rank - 1, bytes, std::int64_t{1});
}

/// Ring: in size - 1 steps everything but the next rank's own block goes to the next rank.
template <typename Block, typename Send>
void all_gather(int size, int rank, Block&& block, Send&& send) {
  if (size < 2) return;
  const int next = (rank + 1) % size;
  std::int64_t bytes = 0;
  for (int i = 0; i < size; ++i) bytes += i == next ? 0 : block(i);
  send(next, bytes, std::int64_t{size - 1});
}

/// Pairwise: each block straight to its rank.
template <typename Block, typename Send>
void all_to_all(int size, int rank, Block&& block, Send&& send) {
  for (int to = 0; to < size; ++to) {
    if (to != rank) send(to, block(to), std::int64_t{1});
  }
}

/// A chain: each rank to the next.
template <typename Send>
void scan(int size, int rank, std::int64_t bytes, Send&& send) {
  if (rank + 1 < size) send(rank + 1, bytes, std::int64_t{1});
}

}  // namespace halocline::profile::pattern
