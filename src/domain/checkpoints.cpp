// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>

#include "comm/agree.hpp"
#include "comm/gather.hpp"
#include "comm/patience.hpp"
#include "core/log.hpp"
#include "core/start_thread.hpp"
#include "domain/detail/agreement.hpp"
#include "domain/detail/checkpoint_folder.hpp"
#include "domain/detail/file_step.hpp"
#include "domain/detail/stored_cells.hpp"
#include "domain/detail/stored_names.hpp"
#include "domain/internals.hpp"
#include "halocline/files.hpp"
#include "io/digest.hpp"
#include "io/manifest.hpp"
#include "io/write_file.hpp"

namespace halocline {
namespace {

constexpr auto pause = std::chrono::microseconds(200);

/// A file that a thread writes. It is removed unless its checkpoint has a manifest.
class Writing {
 public:
  Writing(const Snapshot& snapshot, const std::vector<io::StoredField>& fields, const CheckpointFolder& folder,
          std::int64_t generation, std::string name, double most_bytes_per_second)
      : path_(folder.path() + "/" + name),
        manifest_(folder.manifest_path(generation)),
        pace_(most_bytes_per_second),
        thread_(start_thread("the writer of a checkpoint", [this, &snapshot, &fields, folder, name = std::move(name)] {
          try {
            // Not by the backend, whose waits call the user's hook.
            while (!snapshot.done()) std::this_thread::sleep_for(pause);
            stored_ = write_cells(snapshot, fields, folder.path(), name, pace_);
          } catch (...) {
            failure_ = std::current_exception();
          }
        })) {}
  Writing(const Writing&) = delete;  // the thread refers to it
  Writing& operator=(const Writing&) = delete;
  ~Writing() {
    pace_.end();
    if (thread_.joinable()) thread_.join();
    const bool written = !stored_.file.name.empty();
    std::error_code ignored;
    if (written && !kept_ && !has_manifest()) std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const io::StoredFile& join() {
    pace_.end();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    return stored_;
  }
  void keep() { kept_ = true; }

 private:
  /// An error may come after the manifest, whose files stay.
  [[nodiscard]] bool has_manifest() const {
    std::error_code unknown;
    return std::filesystem::exists(manifest_, unknown) || unknown;
  }

  // Of this type because the destructor, where no allocation may fail, uses them.
  std::filesystem::path path_;
  std::filesystem::path manifest_;
  bool kept_ = false;
  io::Pace pace_;
  io::StoredFile stored_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

void check_metadata(const Metadata& metadata) {
  io::Manifest alone;
  alone.metadata = metadata;
  static_cast<void>(io::text_of(alone));
}

}  // namespace

class Checkpoints::Impl {
 public:
  Impl(const Domain& domain, std::string folder, const CheckpointOptions& options)
      : domain_(&domain),
        folder_(std::move(folder)),
        generations_(options.generations),
        most_bytes_per_second_(options.most_bytes_per_second) {
    comm::agree_on(comm(), [&] {
      if (const Verdict digests = io::has_digests(); !digests.yes)
        throw CapabilityError("checkpoints: " + digests.why_not);
      if (options.generations < 1) {
        throw InvalidArgument(
            fmt::format("generations of checkpoints is {}; allowed is 1 or more", options.generations));
      }
      if (!(options.most_bytes_per_second >= 0)) {
        throw InvalidArgument(
            fmt::format("most bytes per second of checkpoints is {}; allowed is 0, for no limit, or more",
                        options.most_bytes_per_second));
      }
      if (folder_.path().empty()) throw InvalidArgument("checkpoint folder is ''; allowed is a path");
      const auto& geometry = internals(domain).geometry();
      extent_ = geometry.partition.extent();
      for (const field_id field : Snapshot::fields_of(domain, options.fields, "Checkpoints")) {
        const auto& descriptor = geometry.fields[field.index()];
        check_stored_name("field name", descriptor.name);
        const int buffers = options.all_buffers ? descriptor.buffers : 1;
        for (int ahead = 0; ahead < buffers; ++ahead) items_.push_back({field, ahead});
        fields_.push_back(
            {descriptor.name, descriptor.element, descriptor.components, geometry.domain_box(field).extent(), buffers});
      }
      snapshot_ = std::make_unique<Snapshot>(domain, items_);
    });
    std::string text;
    for (const io::StoredField& field : fields_) text += fmt::format("{} {} ", field.name, field.buffers);
    check_alike(comm(), std::array{named("checkpoint folder", folder_.path()), named("fields of checkpoints", text),
                                   named("generations of checkpoints", std::to_string(generations_))});
  }

  [[nodiscard]] const Domain& domain() const { return *domain_; }

  void start(const Metadata& metadata) {
    if (writing_) throw InvalidArgument("Checkpoints::start() while one is under way; finish() it before");
    comm::agree_on(comm(), [&] {
      if (root()) check_metadata(metadata);
      snapshot_->download("Checkpoints::start()");
      if (!root()) return;
      folder_.make();
      generation_ = folder_.next_generation();
    });
    generation_ = comm().all_reduce(root() ? generation_ : 0, comm::Reduction::max);
    metadata_ = metadata;
    try {
      comm::agree_on(comm(), [&] {
        writing_ = std::make_unique<Writing>(*snapshot_, fields_, folder_, generation_,
                                             io::data_name(generation_, comm().rank().value()), most_bytes_per_second_);
      });
    } catch (...) {  // on another rank: no rank has one under way
      writing_.reset();
      throw;
    }
  }

  void finish() {
    if (!writing_) throw InvalidArgument("Checkpoints::finish() without a start(); call start() before");
    const auto writing = std::move(writing_);
    io::StoredFile mine;
    const comm::Patience patience(comm());  // disks differ
    comm::agree_on(comm(), [&] {
      snapshot_->wait();  // which runs the copies where no other thread does
      mine = writing->join();
    });
    try {
      write_manifest(comm::gather(comm(), mine));
    } catch (const Error& error) {
      // Rank 0 may be late, and write the manifest yet.
      if (error.kind() == ErrorKind::deadline || error.kind() == ErrorKind::communication) writing->keep();
      throw;
    }
    writing->keep();
    comm::agree_on(comm(), [&] {
      if (root()) folder_.keep_newest(generations_);
    });
  }

  void write_manifest(const std::vector<io::StoredFile>& files) {
    comm::agree_on(comm(), [&] {
      if (!root()) return;
      const io::Manifest manifest{extent_, fields_, metadata_, files};
      io::write_file("checkpoint manifest", folder_.manifest_path(generation_), io::text_of(manifest));
    });
  }

  [[nodiscard]] std::optional<Restored> restore() {
    internals(*domain_).check_idle("Checkpoints::restore()");
    if (writing_) throw InvalidArgument("Checkpoints::restore() while one is written; finish() it before");
    std::vector<std::int64_t> generations;
    comm::agree_on(comm(), [&] {
      snapshot_->check_usable("Checkpoints::restore()");  // before its error could be taken for one of each checkpoint
      if (root()) generations = folder_.generations();
    });
    generations = comm::gather(comm(), generations).front();
    Restored restored;
    for (const std::int64_t generation : generations) {
      try {
        restored.metadata = restore(generation);
        restored.file = folder_.manifest_path(generation);
        return restored;
      } catch (const InvalidArgument& error) {  // on all ranks
        restored.refused.emplace_back(error.what());
        if (root()) log(LogLevel::warning, error.what());
      }
    }
    if (restored.refused.empty()) return std::nullopt;
    std::string reasons;
    for (const std::string& reason : restored.refused) reasons += "\n  " + reason;
    throw InvalidArgument(fmt::format("none of the {} checkpoints in '{}' can be restored:{}", generations.size(),
                                      folder_.path(), reasons));
  }

 private:
  [[nodiscard]] comm::RankGroup& comm() const { return internals(*domain_).comm(); }
  [[nodiscard]] bool root() const { return comm().rank() == rank_id(0); }

  /// Throws the same InvalidArgument on all ranks, before any cell is changed, if the checkpoint is not to be used.
  [[nodiscard]] Metadata restore(std::int64_t generation) {
    const std::string path = folder_.manifest_path(generation);
    std::string text;
    comm::agree_on(comm(), [&] {
      if (root()) text = folder_.manifest_text(generation);
    });
    text = comm::gather(comm(), text).front();
    io::Manifest manifest;
    const comm::Patience patience(comm());  // disks differ
    comm::agree_on(comm(), [&] {
      manifest = io::manifest_from(text, path);
      io::check_fits(manifest, extent_, fields_, path);
      snapshot_->wait();  // for the copies of a start() that has failed
      read_cells(*snapshot_, fields_, folder_.path(), manifest, path);
    });
    comm::agree_on(comm(), [&] { snapshot_->upload("Checkpoints::restore()"); });
    return manifest.metadata;
  }

  const Domain* domain_;
  CheckpointFolder folder_;
  int generations_;
  double most_bytes_per_second_;
  Vec3 extent_;
  std::vector<Snapshot::Item> items_;  ///< by field, then by buffer
  std::vector<io::StoredField> fields_;
  std::unique_ptr<Snapshot> snapshot_;
  std::int64_t generation_ = 0;  ///< that is being written
  Metadata metadata_;
  std::unique_ptr<Writing> writing_;  // last: its thread uses the others
};

Checkpoints::Checkpoints(const Domain& domain, std::string folder, CheckpointOptions options)
    : impl_(file_step(domain, "Checkpoints",
                      [&] { return std::make_unique<Impl>(domain, std::move(folder), options); })) {}
Checkpoints::Checkpoints(Checkpoints&&) noexcept = default;
Checkpoints& Checkpoints::operator=(Checkpoints&&) noexcept = default;
Checkpoints::~Checkpoints() = default;

void Checkpoints::write(const Metadata& metadata) {
  start(metadata);
  finish();
}
void Checkpoints::start(const Metadata& metadata) {
  file_step(impl_->domain(), "Checkpoints::start()", [&] { impl_->start(metadata); });
}
void Checkpoints::finish() {
  file_step(impl_->domain(), "Checkpoints::finish()", [&] { impl_->finish(); });
}
std::optional<Restored> Checkpoints::restore() {
  return file_step(impl_->domain(), "Checkpoints::restore()", [&] { return impl_->restore(); });
}

}  // namespace halocline
