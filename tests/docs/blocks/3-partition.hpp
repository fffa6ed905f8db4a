// SPDX-License-Identifier: BSD-3-Clause
// What the page's blocks use.
extern hc::DomainOptions options;
extern const hc::Subdomain& subdomain;
extern const hc::Box my_box;
extern const hc::comm::Communicator cart_comm;  // or an MPI_Comm, with halocline/mpi.hpp
extern const hc::UserArray my_array[2];
extern hc::Domain& domain;
extern const hc::Field<double> u;
void relax(const hc::Box& box, const hc::View<const double>& from, const hc::View<double>& to);
void allocate_scratch(const hc::Box& owned);
