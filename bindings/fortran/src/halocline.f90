! SPDX-License-Identifier: BSD-3-Clause
! Halocline for Fortran: halo exchanges of distributed 3-D stencil codes. docs/guide/18-c-and-fortran.md is its page.
!
!     type(halocline_domain) :: domain
!     call domain%create([nx, ny, nz], halocline_stencil_star(1), comm=MPI_COMM_WORLD%MPI_VAL)
!     u = domain%add_field('u', HALOCLINE_F64)
!     call domain%realize()
!     call halocline_point(p, domain%view(u))    ! p(x, y, z), halo included
!     call domain%exchange()
!
! Cells, subdomains, buffers, components and devices are numbered from 1, ranks from 0, as MPI has it. Cells have their numbers in the
! whole domain, so that the halo of its first cells has the number 0. All procedures take stat and errmsg, as allocate() does; without
! stat an error ends the program with its text. Collective: called by all ranks in the same order.
module halocline
  use, intrinsic :: iso_c_binding
  use halocline_arrays
  use halocline_c
  use halocline_errors
  use halocline_files
  use halocline_handles
  use halocline_values
  use halocline_views
  implicit none
  private

  public :: halocline_domain, halocline_transfer, halocline_graph, halocline_host_array
  public :: halocline_output, halocline_checkpoints, halocline_metadata
  public :: halocline_options, halocline_owner, halocline_box, halocline_stencil, halocline_view, halocline_array
  public :: halocline_stencil_box, halocline_stencil_star, halocline_stencil_sides, halocline_direction
  public :: halocline_point, halocline_device_array
  public :: HALOCLINE_SUCCESS, HALOCLINE_INVALID_ARGUMENT, HALOCLINE_CAPABILITY_ERROR, HALOCLINE_RESOURCE_ERROR, &
    HALOCLINE_COMMUNICATION_ERROR, HALOCLINE_DEVICE_ERROR, HALOCLINE_DEADLINE_ERROR, HALOCLINE_PROTOCOL_ERROR, &
    HALOCLINE_INTERNAL_ERROR
  public :: HALOCLINE_PERIODIC, HALOCLINE_OPEN, HALOCLINE_PERIODIC_IN_KERNEL
  public :: HALOCLINE_BACKEND_DEFAULT, HALOCLINE_BACKEND_HOST, HALOCLINE_BACKEND_CUDA
  public :: HALOCLINE_PARTITION_DEFAULT, HALOCLINE_PARTITION_BISECTION, HALOCLINE_PARTITION_EXACT, HALOCLINE_PARTITION_Z_ORDER, &
    HALOCLINE_PARTITION_GIVEN, HALOCLINE_PARTITION_FASTEST, HALOCLINE_PARTITION_AUTOMATIC
  public :: HALOCLINE_PLACEMENT_DEFAULT, HALOCLINE_PLACEMENT_TRIVIAL, HALOCLINE_PLACEMENT_EXACT, HALOCLINE_PLACEMENT_CRAFT, &
    HALOCLINE_PLACEMENT_RANDOM, HALOCLINE_PLACEMENT_AUTOMATIC, HALOCLINE_PLACEMENT_GIVEN, &
    HALOCLINE_PLACEMENT_FASTEST, HALOCLINE_PLACEMENT_SYSTEM
  public :: HALOCLINE_MESSAGES_DEFAULT, HALOCLINE_MESSAGES_BY_NEIGHBOUR, HALOCLINE_MESSAGES_BY_DIRECTION, &
    HALOCLINE_MESSAGES_BY_RANK, HALOCLINE_MESSAGES_BY_NODE, HALOCLINE_MESSAGES_AUTO
  public :: HALOCLINE_I8, HALOCLINE_U8, HALOCLINE_I16, HALOCLINE_U16, HALOCLINE_I32, HALOCLINE_U32, HALOCLINE_I64, HALOCLINE_U64, &
    HALOCLINE_F16, HALOCLINE_BF16, HALOCLINE_F32, HALOCLINE_F64, HALOCLINE_C64, HALOCLINE_C128
  public :: HALOCLINE_ADD, HALOCLINE_REPLACE, HALOCLINE_EDGES, HALOCLINE_CORNERS
  public :: HALOCLINE_SUM, HALOCLINE_SUM_OF_SQUARES, HALOCLINE_MIN, HALOCLINE_MAX, HALOCLINE_MAX_ABS

  ! What an exchange moves of a field. directions: in which owned cells are sent, 0 for all; depth: layers of the halo, 0 for all.
  type :: halocline_transfer
    integer :: field = 0, directions = 0, depth = 0
  end type

  type :: halocline_domain
    private
    type(c_ptr) :: handle = c_null_ptr
    logical :: waits = .true.  ! the memory is the host's, which sees an exchange when it is done
  contains
    procedure, private :: create_extent, create_boxes
    generic :: create => create_extent, create_boxes
    procedure :: add_field, tune, plan, use_array, realize, rebalance, close
    procedure :: rank, ranks, on_host, explain, machine
    procedure :: subdomains, subdomain_id, device, native_device, owned, interior, boundary, update_box, wraps, use_tiles, view
    procedure :: exchange, start_exchange, finish_exchange, is_ready, accumulate, swap, synchronize, leave_open_boundaries
    procedure :: add_reduction, reduce, reduced_value, reduced_address
    procedure :: stream, use_streams, wait_for_stream, let_stream_wait, begin_capture, end_capture, host_array
    procedure :: output, checkpoints
  end type

  interface
    ! extent: cells of the domain. comm: an MPI communicator, which is duplicated: MPI_COMM_WORLD of the module mpi, or
    ! MPI_COMM_WORLD%MPI_VAL of mpi_f08. Without comm, this process drives all devices. Collective.
    module subroutine create_extent(self, extent, stencil, comm, options, stat, errmsg)
      class(halocline_domain), intent(inout) :: self
      integer, intent(in) :: extent(3)
      type(halocline_stencil), intent(in) :: stencil
      integer, intent(in), optional :: comm
      type(halocline_options), intent(in), optional :: options
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! The same for codes with a decomposition of their own: the boxes that this rank owns, one for each device that it drives.
    module subroutine create_boxes(self, boxes, stencil, comm, options, stat, errmsg)
      class(halocline_domain), intent(inout) :: self
      type(halocline_box), intent(in) :: boxes(:)
      type(halocline_stencil), intent(in) :: stencil
      integer, intent(in), optional :: comm
      type(halocline_options), intent(in), optional :: options
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Before plan() or realize(). element: HALOCLINE_F64, ... component_directions: for each component a set of directions in which it
    ! is sent. wire: a narrower format in which its cells are sent, HALOCLINE_F32 of HALOCLINE_F64. Returns the field for other procedures.
    module function add_field(self, name, element, components, buffers, stencil, staggered, component_directions, wire, stat, &
      errmsg) result(field)
      class(halocline_domain), intent(in) :: self
      character(*), intent(in) :: name
      integer, intent(in) :: element
      integer, intent(in), optional :: components, buffers, component_directions(:), wire
      type(halocline_stencil), intent(in), optional :: stencil
      logical, intent(in), optional :: staggered(3)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: field
    end function
    ! Before plan(): chooses transports, messages, grid and sizes by trials of about budget seconds (2) in all. file: keeps choices for
    ! later jobs. again: tries even if the file has one. Collective.
    module subroutine tune(self, file, budget, again, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      character(*), intent(in), optional :: file
      real(c_double), intent(in), optional :: budget
      logical, intent(in), optional :: again
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Partitions and places, so that owned() is known before there is memory. Collective.
    module subroutine plan(self, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! The program's own array for a buffer of a field, after plan() and before realize(), for all buffers and subdomains.
    module subroutine use_array(self, field, array, subdomain, buffer, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: field
      type(halocline_array), intent(in) :: array
      integer, intent(in), optional :: subdomain, buffer
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Allocates, routes, and builds the exchange. Collective.
    module subroutine realize(self, stat, errmsg)
      class(halocline_domain), intent(inout) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Cuts the domain anew, in proportion to the speeds (above 0, any unit) of this rank's devices, or of a standard kernel without them,
    ! and moves the owned cells of all buffers there. Views and boxes from before are invalid. Collective.
    module subroutine rebalance(self, speeds, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      real(c_double), intent(in), optional :: speeds(:)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Waits for all work, and frees everything. Collective. Nothing for a domain that was not created.
    module subroutine close(self, stat, errmsg)
      class(halocline_domain), intent(inout) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! The number of this process in the domain's communicator, from 0, and how many there are. After plan().
    module function rank(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    module function ranks(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    ! Whether fields are in host memory. After plan().
    module function on_host(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      logical :: found
    end function
    ! What was decided, and why; after realize(). The machine that was planned for, as a document of JSON; after plan().
    module function explain(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      character(:), allocatable :: found
    end function
    module function machine(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      character(:), allocatable :: found
    end function
    ! How many subdomains this rank has, after plan(). subdomain is 1 in the procedures below where it is left out.
    module function subdomains(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    ! Its number in the whole domain, from 1; its device among the rank's own, from 1; the device's number for CUDA, from 0, -1 on the host.
    module function subdomain_id(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    module function device(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    module function native_device(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: found
    end function
    ! The cells that it owns, those of them whose update reads no halo, and the others, as disjoint boxes.
    module function owned(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_box) :: found
    end function
    module function interior(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_box) :: found
    end function
    module function boundary(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_box), allocatable :: found(:)
    end function
    ! The cells that a step has to update, counted from the last exchange: 0 is the step right after it.
    module function update_box(self, step, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: step
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_box) :: found
    end function
    ! Whether there is no halo in dimension dim (1 to 3): HALOCLINE_PERIODIC_IN_KERNEL, and not cut.
    module function wraps(self, dim, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: dim
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      logical :: found
    end function
    ! From here on interiors are whole tiles of so many cells. After realize(). Local.
    module subroutine use_tiles(self, tile, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: tile(3)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! A field's buffer that is current after ahead swaps (0): 0 is what a step reads, 1 what it writes with two buffers.
    module function view(self, field, subdomain, ahead, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: field
      integer, intent(in), optional :: subdomain, ahead
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_view) :: found
    end function
    ! Fills the halos of all fields, or of transfers. wait: returns when they are filled; .true. on host devices, and .false. on GPUs,
    ! where later work in the subdomains' streams comes after it. All ranks call it in the same order.
    module subroutine exchange(self, transfers, wait, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(halocline_transfer), intent(in), optional :: transfers(:)
      logical, intent(in), optional :: wait
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! The same in two halves. In between, owned cells may be read, those of interiors written, and halo cells neither.
    module subroutine start_exchange(self, transfers, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(halocline_transfer), intent(in), optional :: transfers(:)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    module subroutine finish_exchange(self, wait, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      logical, intent(in), optional :: wait
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Makes progress, as MPI_Test does, and whether finish_exchange() would not wait for messages.
    module function is_ready(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      logical :: found
    end function
    ! The exchange backwards: halo cells are added to the cells that they are copies of, or replace them (HALOCLINE_REPLACE), in a
    ! fixed order. The first call is collective.
    module subroutine accumulate(self, transfers, combine, wait, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(halocline_transfer), intent(in), optional :: transfers(:)
      integer, intent(in), optional :: combine
      logical, intent(in), optional :: wait
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! A number that reduce() computes from a field of HALOCLINE_F32 or HALOCLINE_F64, over all its components: HALOCLINE_SUM, ... Before
    ! plan() or realize(). Returns the reduction for other procedures.
    module function add_reduction(self, field, what, stat, errmsg) result(reduction)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: field, what
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      integer :: reduction
    end function
    ! Reductions of fields in their current buffers, over the cells that all ranks own: the same bits on all ranks and in every run. A NaN
    ! gives NaN. Ordered as exchange() is.
    module subroutine reduce(self, reductions, wait, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: reductions(:)
      logical, intent(in), optional :: wait
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! The latest result, for which it waits.
    module function reduced_value(self, reduction, stat, errmsg) result(number)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: reduction
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      real(c_double) :: number
    end function
    ! The address of the result, a real(c_double) in the memory of the subdomain's device, for kernels in its stream.
    module function reduced_address(self, reduction, subdomain, stat, errmsg) result(address)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: reduction
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(c_ptr) :: address
    end function
    ! The next buffer of a field becomes the current one. Local; all ranks do it at the same point.
    module subroutine swap(self, field, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: field
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Waits for all work in the subdomains' streams. Local.
    module subroutine synchronize(self, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Halo cells beyond open ends keep their values; the program sets them. Before the first exchange of a field that reads there.
    module subroutine leave_open_boundaries(self, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! A subdomain's stream (cudaStream_t); null on host devices.
    module function stream(self, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(c_ptr) :: found
    end function
    ! Takes the program's streams, one for each subdomain. GPUs only.
    module subroutine use_streams(self, streams, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(c_ptr), intent(in) :: streams(:)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Later work of the subdomains waits for the work so far in a stream of the program's; and the opposite direction. GPUs only.
    module subroutine wait_for_stream(self, stream, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(c_ptr), intent(in) :: stream
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    module subroutine let_stream_wait(self, stream, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      type(c_ptr), intent(in) :: stream
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    ! Records what is enqueued in this rank's streams between the two calls: whole cycles of swaps. GPUs only. Local.
    module subroutine begin_capture(self, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    module function end_capture(self, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_graph) :: found
    end function
    ! Host memory with the shape of a field's array; see halocline_host_array.
    module function host_array(self, field, subdomain, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      integer, intent(in) :: field
      integer, intent(in), optional :: subdomain
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_host_array) :: found
    end function
    ! A time series of images for ParaView: 'out/heat.pvd' has the images out/heat-000120.vti; the folder exists. origin: the lower
    ! corner of the first cell (0); spacing: the size of a cell (1); fields: all without them. resume keeps the steps that the series
    ! lists, for a run that continues another one. After realize(). Collective.
    module function output(self, series, origin, spacing, fields, resume, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      character(*), intent(in) :: series
      real(c_double), intent(in), optional :: origin(3), spacing(3)
      integer, intent(in), optional :: fields(:)
      logical, intent(in), optional :: resume
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_output) :: found
    end function
    ! Checkpoints in a folder of their own, of which the newest are kept (generations, 2), of all fields or of some. all_buffers:
    ! also those that are not current. most_bytes_per_second: of each rank's file, until finish(). After realize(). HALOCLINE_CAPABILITY_ERROR in builds without xxHash. Collective.
    module function checkpoints(self, folder, generations, fields, all_buffers, most_bytes_per_second, stat, errmsg) result(found)
      class(halocline_domain), intent(in) :: self
      character(*), intent(in) :: folder
      integer, intent(in), optional :: generations, fields(:)
      logical, intent(in), optional :: all_buffers
      real(c_double), intent(in), optional :: most_bytes_per_second
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(halocline_checkpoints) :: found
    end function
    ! Whether a subdomain exists, and its position for C; reports where it does not.
    module logical function at_position(self, subdomain, position, stat, errmsg)
      class(halocline_domain), intent(in) :: self
      integer, intent(in), optional :: subdomain
      integer(c_int32_t), intent(out) :: position
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
  end interface
end module
