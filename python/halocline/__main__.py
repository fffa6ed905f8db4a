# SPDX-License-Identifier: BSD-3-Clause
"""python -m halocline: what this build can use."""

from . import show_config

show_config()
