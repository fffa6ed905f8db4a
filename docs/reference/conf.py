# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings for the documentation site; build.py runs Sphinx."""

import os

project = "Halocline"
author = "the Halocline developers"
version = release = os.environ["HALOCLINE_DOCS_VERSION"]

extensions = ["myst_parser", "breathe"]
root_doc = "index"
primary_domain = "cpp"
highlight_language = "none"
myst_heading_anchors = 4

breathe_projects = {"halocline": os.environ["HALOCLINE_DOCS_XML"]}
breathe_default_project = "halocline"
breathe_default_members = ("members",)

html_theme = "alabaster"
html_theme_options = {
    "description": "Halo exchange of distributed 3-D stencil codes",
    "page_width": "1100px",
    "sidebar_width": "260px",
    "fixed_sidebar": False,
}
html_copy_source = False
html_show_sourcelink = False
