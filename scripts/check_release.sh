#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a tag needs beyond .ci/run: that the GPU tests ran on the very sources that are tagged. Exit code 1 where they did not.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -DMODE=check -P scripts/gpu_record.cmake
