// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
extern hc::Domain& domain;
