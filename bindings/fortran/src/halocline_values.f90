! SPDX-License-Identifier: BSD-3-Clause
! What a domain is made with: boxes, stencils, options. Cells are numbered from 1 in each dimension; boxes contain both ends.
module halocline_values
  use, intrinsic :: iso_c_binding
  use halocline_c
  implicit none
  private
  public :: halocline_stencil_box, halocline_stencil_star, halocline_stencil_sides, halocline_direction
  public :: box_of, from_box, c_options_of, c_text

  integer, parameter, public :: HALOCLINE_PERIODIC = 0, HALOCLINE_OPEN = 1, HALOCLINE_PERIODIC_IN_KERNEL = 2
  integer, parameter, public :: HALOCLINE_BACKEND_DEFAULT = 0, HALOCLINE_BACKEND_HOST = 1, HALOCLINE_BACKEND_CUDA = 2
  integer, parameter, public :: HALOCLINE_PARTITION_DEFAULT = 0, HALOCLINE_PARTITION_BISECTION = 1, HALOCLINE_PARTITION_EXACT = 2, &
    HALOCLINE_PARTITION_Z_ORDER = 3, HALOCLINE_PARTITION_GIVEN = 4, HALOCLINE_PARTITION_FASTEST = 5, &
    HALOCLINE_PARTITION_AUTOMATIC = 6
  integer, parameter, public :: HALOCLINE_PLACEMENT_DEFAULT = 0, HALOCLINE_PLACEMENT_TRIVIAL = 1, HALOCLINE_PLACEMENT_EXACT = 2, &
    HALOCLINE_PLACEMENT_CRAFT = 3, HALOCLINE_PLACEMENT_RANDOM = 4, HALOCLINE_PLACEMENT_AUTOMATIC = 5, &
    HALOCLINE_PLACEMENT_GIVEN = 6, HALOCLINE_PLACEMENT_FASTEST = 7, HALOCLINE_PLACEMENT_SYSTEM = 8
  integer, parameter, public :: HALOCLINE_MESSAGES_DEFAULT = 0, HALOCLINE_MESSAGES_BY_NEIGHBOUR = 1, &
    HALOCLINE_MESSAGES_BY_DIRECTION = 2, HALOCLINE_MESSAGES_BY_RANK = 3, HALOCLINE_MESSAGES_BY_NODE = 4, &
    HALOCLINE_MESSAGES_AUTO = 5
  integer, parameter, public :: HALOCLINE_I8 = 1, HALOCLINE_U8 = 2, HALOCLINE_I16 = 3, HALOCLINE_U16 = 4, HALOCLINE_I32 = 5, &
    HALOCLINE_U32 = 6, HALOCLINE_I64 = 7, HALOCLINE_U64 = 8, HALOCLINE_F16 = 9, HALOCLINE_BF16 = 10, HALOCLINE_F32 = 11, &
    HALOCLINE_F64 = 12, HALOCLINE_C64 = 13, HALOCLINE_C128 = 14
  integer, parameter, public :: HALOCLINE_ADD = 0, HALOCLINE_REPLACE = 1
  integer, parameter, public :: HALOCLINE_SUM = 0, HALOCLINE_SUM_OF_SQUARES = 1, HALOCLINE_MIN = 2, HALOCLINE_MAX = 3, &
    HALOCLINE_MAX_ABS = 4
  ! Sets of directions.
  integer, parameter, public :: HALOCLINE_EDGES = int(z'1554aaa'), HALOCLINE_CORNERS = int(z'28a0145')

  ! Cells lower(i) to upper(i) in dimension i, both included: do x = box%lower(1), box%upper(1)
  type, public :: halocline_box
    integer :: lower(3) = 1, upper(3) = 0
  end type

  ! What a step reads around a cell. Made by halocline_stencil_box(), _star() and _sides().
  type, public :: halocline_stencil
    integer :: lower(3) = 0, upper(3) = 0  ! cells below and above
    integer :: without = 0                 ! edges and corners that are not read
  end type

  ! A device, by the rank (from 0, as MPI has it) that drives it, and its number (from 1) among the rank's own.
  type, public :: halocline_owner
    integer :: rank = 0, device = 1
  end type

  ! What a user may decide. 0, or a component that is not allocated: the default. Components as in halocline_options of C.
  type, public :: halocline_options
    integer :: boundaries(3) = HALOCLINE_PERIODIC
    logical :: in_place = .false.
    integer :: steps_per_exchange = 1
    integer :: backend = HALOCLINE_BACKEND_DEFAULT
    integer :: devices = 0
    integer :: host_workers = 0
    integer :: ranks_per_node = 0
    integer :: partition = HALOCLINE_PARTITION_DEFAULT
    integer :: node_grid(3) = 0, device_grid(3) = 0
    integer, allocatable :: cuts_x(:), cuts_y(:), cuts_z(:)  ! the numbers of cells below each cut: 0, ..., extent
    real(c_double), allocatable :: weights(:)
    logical :: measure_weights = .false.
    integer :: placement = HALOCLINE_PLACEMENT_DEFAULT
    integer :: placement_seed = 0
    type(halocline_owner), allocatable :: owners(:)
    logical :: by_direction = .false.
    integer :: messages = HALOCLINE_MESSAGES_DEFAULT
    character(:), allocatable :: transports
    character(:), allocatable :: machine  ! a document of JSON
    logical :: validate_ordering = .false.
    real(c_double) :: timeout = 0  ! seconds
  end type

  ! Memory to which a c_options refers, as long as it is used.
  type, public :: options_memory
    integer(c_int64_t), allocatable :: x(:), y(:), z(:)
    real(c_double), allocatable :: weights(:)
    type(c_owner), allocatable :: owners(:)
    character(kind=c_char), allocatable :: transports(:), machine(:)
  end type

contains

  ! radius cells on all sides, with edges and corners.
  pure function halocline_stencil_box(radius) result(stencil)
    integer, intent(in) :: radius
    type(halocline_stencil) :: stencil
    stencil = halocline_stencil(radius, radius, 0)
  end function

  ! The same without edges and corners, such as the 7-point stencil.
  pure function halocline_stencil_star(radius) result(stencil)
    integer, intent(in) :: radius
    type(halocline_stencil) :: stencil
    stencil = halocline_stencil(radius, radius, ior(HALOCLINE_EDGES, HALOCLINE_CORNERS))
  end function

  ! Cells below and above in each dimension, with edges and corners.
  pure function halocline_stencil_sides(lower, upper) result(stencil)
    integer, intent(in) :: lower(3), upper(3)
    type(halocline_stencil) :: stencil
    stencil = halocline_stencil(lower, upper, 0)
  end function

  ! One of the 26 directions as a set, for ior(); 0 for a direction that there is not.
  pure integer function halocline_direction(x, y, z) result(bit)
    integer, intent(in) :: x, y, z
    integer :: i
    bit = 0
    if (max(abs(x), abs(y), abs(z)) /= 1) return
    i = (z + 1) * 9 + (y + 1) * 3 + x + 1
    bit = ishft(1, merge(i - 1, i, i > 13))
  end function

  pure function box_of(c) result(box)
    type(c_box), intent(in) :: c
    type(halocline_box) :: box
    box = halocline_box(int(c%lo) + 1, int(c%hi))
  end function

  elemental function from_box(box) result(c)
    type(halocline_box), intent(in) :: box
    type(c_box) :: c
    c%lo = box%lower - 1
    c%hi = box%upper
  end function

  pure function c_text(text) result(bytes)
    character(*), intent(in) :: text
    character(kind=c_char) :: bytes(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      bytes(i) = text(i:i)
    end do
    bytes(len(text) + 1) = c_null_char
  end function

  function c_options_of(options, memory) result(c)
    type(halocline_options), intent(in) :: options
    type(options_memory), intent(inout), target :: memory
    type(c_options) :: c
    c%size = c_sizeof(c)
    c%boundaries = options%boundaries
    c%in_place = merge(1, 0, options%in_place)
    c%steps_per_exchange = options%steps_per_exchange
    c%backend = options%backend
    c%devices = options%devices
    c%host_workers = options%host_workers
    c%ranks_per_node = options%ranks_per_node
    c%partition = options%partition
    c%node_grid = options%node_grid
    c%device_grid = options%device_grid
    if (allocated(options%cuts_x)) call set_cuts(options%cuts_x, memory%x, 1)
    if (allocated(options%cuts_y)) call set_cuts(options%cuts_y, memory%y, 2)
    if (allocated(options%cuts_z)) call set_cuts(options%cuts_z, memory%z, 3)
    if (allocated(options%weights)) then
      memory%weights = options%weights
      c%weights = c_loc(memory%weights)
      c%weight_count = size(memory%weights)
    end if
    c%placement = options%placement
    c%placement_seed = options%placement_seed
    if (allocated(options%owners)) then
      allocate (memory%owners(size(options%owners)))
      memory%owners%rank = options%owners%rank
      memory%owners%device = options%owners%device - 1
      c%owners = c_loc(memory%owners)
      c%owner_count = size(memory%owners)
    end if
    c%by_direction = merge(1, 0, options%by_direction)
    c%messages = options%messages
    if (allocated(options%transports)) then
      memory%transports = c_text(options%transports)
      c%transports = c_loc(memory%transports)
    end if
    if (allocated(options%machine)) then
      memory%machine = c_text(options%machine)
      c%machine = c_loc(memory%machine)
    end if
    c%measure_weights = merge(1, 0, options%measure_weights)
    c%validate_ordering = merge(1, 0, options%validate_ordering)
    c%timeout = options%timeout

  contains

    subroutine set_cuts(cuts, kept, dimension)
      integer, intent(in) :: cuts(:), dimension
      integer(c_int64_t), allocatable, intent(inout), target :: kept(:)
      kept = cuts
      c%cuts(dimension) = c_loc(kept)
      c%cut_counts(dimension) = size(kept)
    end subroutine
  end function
end module
