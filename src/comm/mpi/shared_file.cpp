// SPDX-License-Identifier: BSD-3-Clause
// A file that processes write together, by MPI's collective operations on files.
#include "comm/shared_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "comm/agree.hpp"
#include "comm/detail/file_errors.hpp"
#include "comm/detail/watchdog.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/mpi_communicator.hpp"
#include "core/checked.hpp"
#include "core/log.hpp"

namespace halocline::comm::mpi {
namespace {

/// A rank passes about so many bytes to MPI in one call: whole planes, at least one. Thus a call's duration has a bound that the
/// timeout can cover, and MPI's buffers have one, too.
constexpr std::int64_t call_bytes = std::int64_t{64} << 20;

class Datatype {
 public:
  explicit Datatype(MPI_Datatype type) : type_(type) { check(MPI_Type_commit(&type_), "MPI_Type_commit"); }
  Datatype(const Datatype&) = delete;  // one type one owner
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype() { MPI_Type_free(&type_); }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

MPI_Datatype element_type(std::int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(checked_cast<int>(bytes, "bytes of an element"), MPI_BYTE, &type), "MPI_Type_contiguous");
  return type;
}

/// The elements of a box of the file's array.
MPI_Datatype box_type(const FilePart& part, const Box& box, MPI_Datatype element) {
  std::array<int, 3> sizes{}, counts{}, starts{};
  for (int dim = 0; dim < 3; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    sizes[i] = checked_cast<int>(part.extent[dim], "extent of an array in a file");
    counts[i] = static_cast<int>(box.extent()[dim]);
    starts[i] = static_cast<int>(box.lo[dim]);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_subarray(3, sizes.data(), counts.data(), starts.data(), MPI_ORDER_FORTRAN, element, &type),
        "MPI_Type_create_subarray");
  return type;
}

/// Throws ResourceError unless code is MPI_SUCCESS.
void check_file(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  refuse_file(what, length > 0 ? text.data() : fmt::format("error {} of MPI", code));
}

class MpiFile final : public SharedFile {
 public:
  MpiFile(MpiCommunicator& comm, MPI_File file, std::string what, int largest_count)
      : comm_(&comm), file_(file), what_(std::move(what)), largest_count_(largest_count) {}
  ~MpiFile() override {
    if (file_ != MPI_FILE_NULL)
      log(LogLevel::warning, "a file of several ranks was destroyed without close(); it is leaked");
  }

  void write(const FilePart& part) override {
    const Vec3 extent = part.box.empty() ? Vec3{} : part.box.extent();
    const std::int64_t plane = std::max<std::int64_t>(part.element_bytes * extent.x * extent.y, 1);
    const std::int64_t planes = std::max<std::int64_t>(call_bytes / plane, 1);
    // All ranks make as many calls as the one with the largest part.
    const std::int64_t calls =
        together([&] { return comm_->all_reduce((extent.z + planes - 1) / planes, Reduction::max); });
    const SizeLimitAsError limit;
    for (std::int64_t call = 0; call < calls; ++call) {
      Box box = part.box;
      box.lo.z = std::min(part.box.lo.z + call * planes, part.box.hi.z);
      box.hi.z = std::min(box.lo.z + planes, part.box.hi.z);
      write_planes(part, part.box.empty() ? Box{} : box, plane);
    }
  }

  void close() override {
    {
      const Watchdog watchdog = watched("MPI_File_sync");
      keep(MPI_File_sync(file_));
    }
    {
      const Watchdog watchdog = watched("MPI_File_close");
      keep(MPI_File_close(&file_));
    }
    file_ = MPI_FILE_NULL;
    agree(*comm_, failure_.first());
  }

 private:
  void write_planes(const FilePart& part, const Box& box, std::int64_t plane) {
    const bool empty = box.empty();
    std::optional<Datatype> element;
    std::optional<Datatype> view;
    std::optional<Layout> layout;
    // A rank that cannot make them would leave the others in calls of MPI that do not end.
    const auto make = [&] {
      element.emplace(element_type(part.element_bytes));
      view.emplace(empty ? element_type(part.element_bytes) : box_type(part, box, element->get()));
      layout.emplace(static_cast<std::size_t>(part.element_bytes * box.volume()), largest_count_);
    };
    together([&] { agree_on(*comm_, make); });
    const std::byte* data = empty ? nullptr : part.data + plane * (box.lo.z - part.box.lo.z);
    {
      const Watchdog watchdog = watched("MPI_File_set_view");
      keep(MPI_File_set_view(file_, part.offset, element->get(), view->get(), "native", MPI_INFO_NULL));
    }
    const Watchdog watchdog = watched("MPI_File_write_at_all");
    MPI_Status status{};
    const int code = MPI_File_write_at_all(file_, 0, data, layout->count(), layout->type(), &status);
    failure_.keep([&] {
      check_file(code, what_);
      if (!empty) check_bytes(status, part.element_bytes * box.volume());
    });
  }

  /// Open MPI returns MPI_SUCCESS for some writes that have failed; their bytes are not in the status.
  void check_bytes(const MPI_Status& status, std::int64_t bytes) const {
    MPI_Count written = 0;
    check_file(MPI_Get_elements_x(&status, MPI_BYTE, &written), what_);
    if (written != bytes) refuse_file(what_, fmt::format("MPI has written {} of {} bytes", written, bytes));
  }

  /// A collective between calls of MPI-IO. If it ends because other ranks are still in the one that failed here, that failure is the error.
  template <typename Collective>
  std::invoke_result_t<Collective> together(Collective&& collective) {
    try {
      return collective();
    } catch (const Error& error) {
      const bool waited = error.kind() == ErrorKind::deadline || error.kind() == ErrorKind::communication;
      if (waited && failure_.failed()) std::rethrow_exception(failure_.first());
      throw;
    }
  }

  [[nodiscard]] Watchdog watched(std::string_view call) const { return {call, comm_->timeout(), failure_.first()}; }

  void keep(int code) {
    failure_.keep([&] { check_file(code, what_); });
  }

  MpiCommunicator* comm_;
  MPI_File file_;
  std::string what_;
  int largest_count_;
  KeptFailure failure_;
};

}  // namespace

std::unique_ptr<SharedFile> MpiCommunicator::open_shared_file(const std::string& path, const std::string& what,
                                                              std::int64_t bytes) {
  // So that MPI_File_open, which may leave ranks waiting for one that fails, is called only where it can work.
  agree_on(*this, [&] { (void)open_existing(*this, path, what, bytes); });
  MPI_File file = MPI_FILE_NULL;
  const auto open = [&] {
    const Watchdog watchdog("MPI_File_open", timeout());
    // Some MPIs read what is between their parts, and write it back.
    check_file(MPI_File_open(state_->comm, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file), what);
  };
  agree_on(*this, open);
  return std::make_unique<MpiFile>(*this, file, what, state_->largest_count);
}

}  // namespace halocline::comm::mpi
