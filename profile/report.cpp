// SPDX-License-Identifier: BSD-3-Clause
#include "profile/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "core/printable.hpp"
#include "io/write_file.hpp"
#include "mapping/communication_matrix.hpp"

namespace halocline::profile {
namespace {

/// One pair of ranks on its way to rank 0.
struct Entry {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t cpu_bytes = 0;
  std::int64_t cpu_messages = 0;
  std::int64_t gpu_bytes = 0;
  std::int64_t gpu_messages = 0;
};
constexpr int numbers_of_entry = sizeof(Entry) / sizeof(std::int64_t);

std::string output() {
  const char* const name = std::getenv("HALOCLINE_PROFILE_OUTPUT");
  return name == nullptr || *name == '\0' ? "communication.csv" : name;
}

void tell(const char* kind, const std::string& what) noexcept {
  std::fprintf(stderr, "halocline profile: %s: %s\n", kind, printable(what).c_str());
}

void append(std::vector<Entry>& entries, int from, int to, const Cell& cell) {
  const Entry entry{from, to, cell.bytes[0], cell.messages[0], cell.bytes[1], cell.messages[1]};
  if (entry.cpu_messages > 0 || entry.gpu_messages > 0) entries.push_back(entry);
}

std::vector<Entry> entries_of(Recorder& all) {
  std::vector<Entry> entries;
  for (int other = 0; other < all.ranks(); ++other) {
    append(entries, all.rank(), other, *all.sent(other));
    append(entries, other, all.rank(), *all.fetched(other));
  }
  return entries;
}

/// Everybody's, on rank 0. Not all ranks may have counted all; then the result says so.
std::vector<Entry> gathered(const std::vector<Entry>& mine, int rank, int ranks) {
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets;
  int end = 0;
  for (const int one : counts) {
    offsets.push_back(end);
    end += one;
  }
  std::vector<Entry> entries(static_cast<std::size_t>(end));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(numbers_of_entry, MPI_INT64_T, &type);
  PMPI_Type_commit(&type);
  PMPI_Gatherv(mine.data(), count, type, entries.data(), counts.data(), offsets.data(), type, 0, MPI_COMM_WORLD);
  PMPI_Type_free(&type);
  return entries;
}

/// For errors: how a user chooses the file.
constexpr const char* output_option = "halocline profile --output";

void write(const std::vector<Entry>& entries, int ranks) {
  mapping::Communication communication(ranks);
  for (const Entry& e : entries) {
    const auto from = static_cast<int>(e.from);
    const auto to = static_cast<int>(e.to);
    if (e.cpu_messages > 0) communication.cpu.add(from, to, e.cpu_bytes, e.cpu_messages);
    if (e.gpu_messages > 0) communication.gpu.add(from, to, e.gpu_bytes, e.gpu_messages);
  }
  std::ostringstream text;
  mapping::write_communication(text, communication);
  io::write_file(output_option, output(), text.view());
}

}  // namespace

void prepare_report(const Recorder& all) noexcept {
  if (all.rank() != 0) return;
  try {
    io::check_writable(output_option, output());
  } catch (const std::exception& error) {
    tell("error", error.what());
    PMPI_Abort(MPI_COMM_WORLD, 2);
  }
}

void report(Recorder& all) noexcept {
  try {
    const auto entries = gathered(entries_of(all), all.rank(), all.ranks());
    const int mine = all.complete() ? 0 : 1;
    int incomplete = 0;
    PMPI_Reduce(&mine, &incomplete, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (all.rank() != 0) return;
    if (incomplete > 0) tell("warning", "some ranks had no memory to count everything; the numbers are too low");
    write(entries, all.ranks());
  } catch (const std::exception& error) {
    tell("error", std::string("no file is written: ") + error.what());
  }
}

void tell_unfinished(const Recorder& all) noexcept {
  if (all.rank() == 0) tell("warning", "the program ended without MPI_Finalize, so no file is written");
}

void tell_unseen() noexcept {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name); rank != nullptr && std::strcmp(rank, "0") != 0) return;
  }
  tell("warning", "MPI was started by a way that is not seen (sessions, a static MPI library?), so no file is written");
}

void tell_aborted() noexcept { tell("warning", "the program called MPI_Abort, so no file is written"); }

}  // namespace halocline::profile
