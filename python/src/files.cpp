// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace halocline::python {
namespace {

std::vector<field_id> fields_of(const FieldNumbers& numbers) {
  std::vector<field_id> fields;
  for (const std::int64_t number : numbers) fields.emplace_back(number);
  return fields;
}

template <typename T, typename Options>
std::unique_ptr<T> make(DomainHandle& domain, const std::string& path, const Options& options) {
  Domain& all = domain.domain();
  const nb::gil_scoped_release release;
  return std::make_unique<T>(all, path, options);
}

}  // namespace

OutputHandle::OutputHandle(DomainHandle& domain, const std::string& series, const std::array<double, 3>& origin,
                           const std::array<double, 3>& spacing, const FieldNumbers& fields, bool resume)
    : domain_(&domain),
      output_(make<Output>(domain, series, OutputOptions{origin, spacing, fields_of(fields), resume})) {}

void OutputHandle::start(std::int64_t step, double time, std::uintptr_t stream, bool keep, bool wait) {
  domain_->in_order(stream, keep, wait, [&](Domain&) { output_->start(step, time); });
}

void OutputHandle::finish() {
  static_cast<void>(domain_->domain());
  const nb::gil_scoped_release release;
  output_->finish();
}

CheckpointsHandle::CheckpointsHandle(DomainHandle& domain, const std::string& folder, int generations,
                                     const FieldNumbers& fields, bool all_buffers, double most_bytes_per_second)
    : domain_(&domain),
      checkpoints_(make<Checkpoints>(
          domain, folder, CheckpointOptions{generations, fields_of(fields), all_buffers, most_bytes_per_second})) {}

void CheckpointsHandle::start(const Metadata& metadata, std::uintptr_t stream, bool keep, bool wait) {
  domain_->in_order(stream, keep, wait, [&](Domain&) { checkpoints_->start(metadata); });
}

void CheckpointsHandle::finish() {
  static_cast<void>(domain_->domain());
  const nb::gil_scoped_release release;
  checkpoints_->finish();
}

std::optional<RestoredParts> CheckpointsHandle::restore(std::uintptr_t stream, bool keep, bool wait) {
  std::optional<Restored> restored;
  domain_->in_order(stream, keep, wait, [&](Domain&) { restored = checkpoints_->restore(); });
  if (!restored) return std::nullopt;
  return RestoredParts{std::move(restored->metadata), std::move(restored->file), std::move(restored->refused)};
}

void add_files(nb::module_& module) {
  nb::class_<OutputHandle>(module, "Output")
      .def(nb::init<DomainHandle&, const std::string&, const std::array<double, 3>&, const std::array<double, 3>&,
                    const FieldNumbers&, bool>(),
           nb::keep_alive<1, 2>(), nb::arg("domain"), nb::arg("series"), nb::arg("origin"), nb::arg("spacing"),
           nb::arg("fields"), nb::arg("resume"))
      .def("start", &OutputHandle::start, nb::arg("step"), nb::arg("time"), nb::arg("stream"), nb::arg("keep"),
           nb::arg("wait"))
      .def("finish", &OutputHandle::finish);
  nb::class_<CheckpointsHandle>(module, "Checkpoints")
      .def(nb::init<DomainHandle&, const std::string&, int, const FieldNumbers&, bool, double>(),
           nb::keep_alive<1, 2>(), nb::arg("domain"), nb::arg("folder"), nb::arg("generations"), nb::arg("fields"),
           nb::arg("all_buffers"), nb::arg("most_bytes_per_second"))
      .def("start", &CheckpointsHandle::start, nb::arg("metadata"), nb::arg("stream"), nb::arg("keep"), nb::arg("wait"))
      .def("finish", &CheckpointsHandle::finish)
      .def("restore", &CheckpointsHandle::restore, nb::arg("stream"), nb::arg("keep"), nb::arg("wait"));
}

}  // namespace halocline::python
