# SPDX-License-Identifier: BSD-3-Clause
"""What the page's blocks use."""

import numpy as np  # noqa: F401

import halocline

domain = halocline.Domain((12, 14, 16), stencil=halocline.Stencil.star(1), fields={"t": {"dtype": "float64", "buffers": 2}}, devices=2)
t, k, steps = domain["t"], 0.1, 2
