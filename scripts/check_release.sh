#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a release needs in addition to .ci/run: the GPU tests must have run on exactly the tagged sources. Exit code 1 if
# not.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -DMODE=check -P scripts/gpu_record.cmake
