#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# make.sh HALOCLINE FOLDER: draws the pictures of the guide that the tool makes; the test cli_pictures compares them with docs/images.
set -euo pipefail
"$1" machine --machine summit --nodes 2 --picture "$2/summit.svg" > /dev/null
"$1" place --machine summit --nodes 2 --size 512 --node-grid 2 1 1 --device-grid 1 2 3 --picture "$2/placed.svg" > /dev/null
