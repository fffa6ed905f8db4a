// SPDX-License-Identifier: BSD-3-Clause
// Images and checkpoints.
#include <cstddef>

#include "convert.hpp"
#include "handles.hpp"

using halocline::CheckpointOptions;
using halocline::Checkpoints;
using halocline::field_id;
using halocline::Metadata;
using halocline::Output;
using halocline::OutputOptions;
using halocline::c::checked_count;
using halocline::c::guarded;
using halocline::c::required;
using halocline::c::sized;

namespace {

std::vector<field_id> fields_of(std::int32_t count, const halocline_field* fields) {
  std::vector<field_id> all;
  for (std::size_t i = 0; i < checked_count(count, fields, "fields"); ++i) all.emplace_back(fields[i]);
  return all;
}

OutputOptions options_of(const halocline_output_options* given) {
  OutputOptions options;
  if (given == nullptr) return options;
  const auto own =
      sized(*given, offsetof(halocline_output_options, resume) + sizeof given->resume, "halocline_output_options");
  for (std::size_t dim = 0; dim < 3; ++dim) {
    options.origin[dim] = own.origin[dim];
    if (own.spacing[dim] != 0) options.spacing[dim] = own.spacing[dim];
  }
  options.fields = fields_of(own.field_count, own.fields);
  options.resume = own.resume != 0;
  return options;
}

CheckpointOptions options_of(const halocline_checkpoint_options* given) {
  CheckpointOptions options;
  if (given == nullptr) return options;
  const auto own =
      sized(*given, offsetof(halocline_checkpoint_options, all_buffers) + sizeof given->all_buffers,  // of 0.2
            "halocline_checkpoint_options");
  if (own.generations != 0) options.generations = own.generations;
  options.fields = fields_of(own.field_count, own.fields);
  options.all_buffers = own.all_buffers != 0;
  options.most_bytes_per_second = own.most_bytes_per_second;
  return options;
}

Metadata metadata_of(std::int32_t count, const halocline_metadata* metadata) {
  Metadata all;
  for (std::size_t i = 0; i < checked_count(count, metadata, "metadata"); ++i) {
    all[&required(metadata[i].key, "key")] = &required(metadata[i].value, "value");
  }
  return all;
}

}  // namespace

halocline_status halocline_output_create(const halocline_domain* domain, const char* series,
                                         const halocline_output_options* options, halocline_output** output) {
  return guarded([&] {
    auto& result = required(output, "output");
    const auto& state = required(domain, "domain").state;
    result = new halocline_output{state, Output(state->domain, &required(series, "series"), options_of(options))};
  });
}

halocline_status halocline_output_start(halocline_output* output, int64_t step, double time) {
  return guarded([&] { required(output, "output").output.start(step, time); });
}

halocline_status halocline_output_finish(halocline_output* output) {
  return guarded([&] { required(output, "output").output.finish(); });
}

halocline_status halocline_output_write(halocline_output* output, int64_t step, double time) {
  return guarded([&] { required(output, "output").output.write(step, time); });
}

halocline_status halocline_output_destroy(halocline_output** output) {
  return guarded([&] { delete std::exchange(required(output, "output"), nullptr); });
}

halocline_status halocline_checkpoints_create(const halocline_domain* domain, const char* folder,
                                              const halocline_checkpoint_options* options,
                                              halocline_checkpoints** checkpoints) {
  return guarded([&] {
    auto& result = required(checkpoints, "checkpoints");
    const auto& state = required(domain, "domain").state;
    Checkpoints made(state->domain, &required(folder, "folder"), options_of(options));
    result = new halocline_checkpoints{state, std::move(made), {}, {}};
  });
}

halocline_status halocline_checkpoints_start(halocline_checkpoints* checkpoints, int32_t count,
                                             const halocline_metadata* metadata) {
  return guarded([&] { required(checkpoints, "checkpoints").checkpoints.start(metadata_of(count, metadata)); });
}

halocline_status halocline_checkpoints_finish(halocline_checkpoints* checkpoints) {
  return guarded([&] { required(checkpoints, "checkpoints").checkpoints.finish(); });
}

halocline_status halocline_checkpoints_write(halocline_checkpoints* checkpoints, int32_t count,
                                             const halocline_metadata* metadata) {
  return guarded([&] { required(checkpoints, "checkpoints").checkpoints.write(metadata_of(count, metadata)); });
}

halocline_status halocline_checkpoints_restore(halocline_checkpoints* checkpoints, int32_t* found) {
  return guarded([&] {
    auto& own = required(checkpoints, "checkpoints");
    auto& result = required(found, "found");
    auto restored = own.checkpoints.restore();
    result = restored ? 1 : 0;
    own.metadata.clear();
    own.refused.clear();
    if (!restored) return;
    own.metadata = std::move(restored->metadata);
    for (const std::string& reason : restored->refused) own.refused += reason + "\n";
  });
}

halocline_status halocline_checkpoints_value(const halocline_checkpoints* checkpoints, const char* key,
                                             const char** value) {
  return guarded([&] {
    const Metadata& metadata = required(checkpoints, "checkpoints").metadata;
    const auto at = metadata.find(&required(key, "key"));
    required(value, "value") = at == metadata.end() ? nullptr : at->second.c_str();
  });
}

halocline_status halocline_checkpoints_refused(const halocline_checkpoints* checkpoints, const char** refused) {
  return guarded([&] { required(refused, "refused") = required(checkpoints, "checkpoints").refused.c_str(); });
}

halocline_status halocline_checkpoints_destroy(halocline_checkpoints** checkpoints) {
  return guarded([&] { delete std::exchange(required(checkpoints, "checkpoints"), nullptr); });
}
