// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/recorder.hpp"

namespace halocline::profile {

/// Rank 0 sees, before the program has done anything, that the file can be written; one of an earlier job stays until the
/// new one is complete. Where it cannot, the job ends with an error.
void prepare_report(const Recorder& all) noexcept;
/// All ranks' counts go to rank 0, which writes them. Collective, before MPI_Finalize.
void report(Recorder& all) noexcept;
/// One line on standard error, on rank 0.
void tell_unfinished(const Recorder& all) noexcept;
/// One line on standard error.
void tell_aborted() noexcept;
/// One line on standard error of the launcher's first process.
void tell_unseen() noexcept;

}  // namespace halocline::profile
