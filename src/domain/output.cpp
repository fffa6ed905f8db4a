// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "comm/agree.hpp"
#include "comm/shared_file.hpp"
#include "core/checked.hpp"
#include "core/posix_file.hpp"
#include "core/removed_file.hpp"
#include "core/serialise.hpp"
#include "domain/detail/agreement.hpp"
#include "domain/detail/file_step.hpp"
#include "domain/detail/image_cells.hpp"
#include "domain/detail/snapshot.hpp"
#include "domain/detail/stored_names.hpp"
#include "domain/internals.hpp"
#include "halocline/files.hpp"
#include "io/vtk.hpp"
#include "io/write_file.hpp"

namespace halocline {
namespace {

constexpr std::string_view extension = ".pvd";

void check_options(const std::string& series, const OutputOptions& options) {
  const auto name = std::string_view(series).substr(series.rfind('/') + 1);
  if (!name.ends_with(extension) || name.size() == extension.size()) {
    throw InvalidArgument(fmt::format("series file of an output is '{}'; allowed is a name that ends in .pvd", series));
  }
  check_stored_name("series file of an output", name);
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const double spacing = options.spacing[dim];
    if (!std::isfinite(options.origin[dim])) {
      throw InvalidArgument(
          fmt::format("origin of an output is {} in {}; allowed are finite numbers", options.origin[dim], "xyz"[dim]));
    }
    if (!std::isfinite(spacing) || spacing <= 0) {
      throw InvalidArgument(
          fmt::format("spacing of an output is {} in {}; allowed are finite numbers above 0", spacing, "xyz"[dim]));
    }
  }
}

/// The content of a file; empty if there is none.
std::string content_of(const std::string& path) {
  try {
    return read_file(path);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return {};
    throw InvalidArgument(fmt::format("series file of an output is '{}'; allowed is a file that can be read: {}", path,
                                      error.code().message()));
  }
}

template <typename Body>
void broadcast_from_root(comm::RankGroup& comm, Body& value) {
  auto bytes = to_bytes(value);
  comm.broadcast(bytes, rank_id(0));
  value = from_bytes<Body>(bytes);
}

std::vector<Snapshot::Item> current_buffers(const std::vector<field_id>& fields) {
  std::vector<Snapshot::Item> items;
  for (const field_id field : fields) items.push_back({field, 0});
  return items;
}

}  // namespace

class Output::Impl {
 public:
  Impl(const Domain& domain, std::string series, OutputOptions options)
      : domain_(&domain), series_(std::move(series)), options_(std::move(options)) {
    comm::agree_on(comm(), [&] {
      check_options(series_, options_);
      folder_ = series_.substr(0, series_.rfind('/') + 1);
      stem_ = series_.substr(folder_.size(), series_.size() - folder_.size() - extension.size());
      const auto fields = Snapshot::fields_of(domain, options_.fields, "Output");
      extent_ = internals(domain).geometry().partition.extent();
      for (const Dim dim : all_dims) {  // MPI counts the cells of a row with an int
        static_cast<void>(checked_cast<int>(extent_[dim], "extent of an output's image"));
      }
      snapshot_ = std::make_unique<Snapshot>(domain, current_buffers(fields), Box::of_extent(extent_));
      for (const field_id field : fields) {
        const auto& descriptor = internals(domain).geometry().fields[field.index()];
        check_stored_name("field name", descriptor.name);
        arrays_.push_back({descriptor.name, descriptor.element, descriptor.components});
      }
      layout_ = io::image_layout(extent_, options_.origin, options_.spacing, arrays_);
      if (!root()) return;
      io::check_writable("series file of an output", series_);
      const std::string before = options_.resume ? content_of(series_) : "";
      if (!before.empty()) steps_ = io::series_from(before, stem_, series_);
    });
    check_alike(comm(), std::array{named("series file of an output", series_),
                                   named("the begin of an output's images", layout_.head)});
    rounds_ = comm().all_reduce(static_cast<std::int64_t>(domain.subdomains().size()), comm::Reduction::max);
  }

  [[nodiscard]] const Domain& domain() const { return *domain_; }

  void start(std::int64_t step, double time) {
    internals(*domain_).check_realized("Output::start()");
    if (started_) throw InvalidArgument("Output::start() while a step is under way; finish() it before");
    if (step < 0) throw InvalidArgument(fmt::format("step of an output is {}; allowed is 0 or more", step));
    if (!std::isfinite(time)) {
      throw InvalidArgument(fmt::format("time of an output is {}; allowed are finite numbers", time));
    }
    snapshot_->download("Output::start()");
    started_ = io::SeriesStep{step, time};
  }

  void finish() {
    comm::agree(comm(), nullptr);  // where a rank makes another call, nothing has changed
    try {
      comm::agree_on(comm(), [&] {
        if (started_) snapshot_->wait();
      });
      // A step that was refused on one rank is none: the image would have cells of two steps.
      comm::agree_on(comm(), [&] {
        if (!started_) throw InvalidArgument("Output::finish() without a start(); call start() before");
      });
    } catch (...) {
      started_.reset();
      throw;
    }
    io::SeriesStep step = *std::exchange(started_, std::nullopt);
    broadcast_from_root(comm(), step);
    write_image(folder_ + io::image_name(stem_, step.step));
    comm::agree_on(comm(), [&] {
      if (!root()) return;
      auto steps = steps_;
      std::erase_if(steps, [&](const io::SeriesStep& other) { return other.step >= step.step; });
      steps.push_back(step);
      io::write_file("series file of an output", series_, io::series_text(stem_, steps));
      steps_ = std::move(steps);
    });
  }

 private:
  [[nodiscard]] comm::RankGroup& comm() const { return internals(*domain_).comm(); }
  [[nodiscard]] bool root() const { return comm().rank() == rank_id(0); }

  void write_image(const std::string& path) {
    const std::string name = "image file of an output";
    std::optional<io::PendingFile> pending;
    std::string temporary;
    comm::agree_on(comm(), [&] {
      if (!root()) return;
      pending.emplace(name, path);
      temporary = pending->temporary_path();
    });
    broadcast_from_root(comm(), temporary);
    // By each rank: rank 0 may be in a call of MPI that another does not make, and is ended by the launcher.
    const RemovedFile removed(temporary);
    write_temporary(temporary, fmt::format("{} '{}'", name, path));
    comm::agree_on(comm(), [&] {
      if (pending) pending->commit(layout_.bytes);
    });
  }

  void write_temporary(const std::string& path, const std::string& what) {
    const auto file = comm().open_shared_file(path, what, layout_.bytes);
    write_text(*file, 0, layout_.head);
    for (std::size_t array = 0; array < arrays_.size(); ++array) write_array(*file, array);
    write_text(*file, layout_.bytes - std::ssize(layout_.tail), layout_.tail);
    file->close();
  }

  /// Rank 0 writes it.
  void write_bytes(comm::SharedFile& file, std::int64_t offset, std::span<const std::byte> bytes) const {
    const Vec3 extent{std::ssize(bytes), 1, 1};
    file.write(
        {.offset = offset, .extent = extent, .box = root() ? Box::of_extent(extent) : Box{}, .data = bytes.data()});
  }
  void write_text(comm::SharedFile& file, std::int64_t offset, const std::string& text) const {
    write_bytes(file, offset, std::as_bytes(std::span(text)));
  }

  void write_array(comm::SharedFile& file, std::size_t array) const {
    const io::ImageArray& about = arrays_[array];
    const std::int64_t offset = layout_.offsets[array];
    const auto bytes = static_cast<std::uint64_t>(about.cell_bytes() * extent_.volume());
    write_bytes(file, offset - static_cast<std::int64_t>(sizeof bytes), std::as_bytes(std::span(&bytes, 1)));
    const std::size_t mine = domain_->subdomains().size();
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds_); ++round) {
      comm::FilePart part{.offset = offset, .extent = extent_, .element_bytes = about.cell_bytes()};
      std::vector<std::byte> converted;
      if (round < mine) {
        const Snapshot::Part& cells = snapshot_->parts()[array * mine + round];
        part.box = cells.box;
        converted = image_cells(cells.bytes(), about);
        part.data = converted.empty() ? cells.memory->data() : converted.data();
      }
      file.write(part);
    }
  }

  const Domain* domain_;
  std::string series_;
  OutputOptions options_;
  std::string folder_;  ///< of the series, with a slash, or empty
  std::string stem_;
  Vec3 extent_;
  std::unique_ptr<Snapshot> snapshot_;
  std::vector<io::ImageArray> arrays_;
  io::ImageLayout layout_;
  std::int64_t rounds_ = 0;            ///< the most subdomains of a rank
  std::vector<io::SeriesStep> steps_;  ///< in the series file; on rank 0
  std::optional<io::SeriesStep> started_;
};

Output::Output(const Domain& domain, std::string series, OutputOptions options)
    : impl_(file_step(domain, "Output",
                      [&] { return std::make_unique<Impl>(domain, std::move(series), std::move(options)); })) {}
Output::Output(Output&&) noexcept = default;
Output& Output::operator=(Output&&) noexcept = default;
Output::~Output() = default;

void Output::write(std::int64_t step, double time) {
  start(step, time);
  finish();
}
void Output::start(std::int64_t step, double time) { impl_->start(step, time); }
void Output::finish() {
  file_step(impl_->domain(), "Output::finish()", [&] { impl_->finish(); });
}

}  // namespace halocline
