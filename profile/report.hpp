// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/recorder.hpp"

namespace halocline::profile {

/// On rank 0, checks before the program has done anything that the file can be written; the file of an earlier job
/// stays until the new one is complete. If it cannot be written, the job ends with an error.
void prepare_report(const Recorder& all) noexcept;
/// Gathers the counts of all ranks on rank 0, which writes them. Collective, before MPI_Finalize.
void report(Recorder& all) noexcept;
/// One line on standard error, on rank 0.
void tell_unfinished(const Recorder& all) noexcept;
/// One line on standard error.
void tell_aborted() noexcept;
/// One line on standard error of the launcher's first process.
void tell_unseen() noexcept;

}  // namespace halocline::profile
