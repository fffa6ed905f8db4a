! SPDX-License-Identifier: BSD-3-Clause
! Exchanges and streams of a domain.
submodule(halocline) halocline_exchange
contains

  ! None: all fields.
  function c_transfers(transfers) result(c)
    type(halocline_transfer), intent(in), optional :: transfers(:)
    type(c_transfer), allocatable :: c(:)
    integer :: i
    if (.not. present(transfers)) then
      allocate (c(0))
      return
    end if
    allocate (c(size(transfers)))
    do i = 1, size(transfers)
      c(i) = c_transfer(transfers(i)%field, transfers(i)%directions, transfers(i)%depth)
    end do
  end function

  ! Reports a list of transfers without any: for C it would be all fields.
  logical function empty(transfers, stat, errmsg)
    type(halocline_transfer), intent(in), optional :: transfers(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    empty = .false.
    if (present(transfers)) empty = size(transfers) == 0
    if (empty) call refused(HALOCLINE_INVALID_ARGUMENT, &
      'transfers is empty; allowed is one transfer or more, or no list for all fields', stat, errmsg)
  end function

  ! Reports a status, after waiting for the work where that is asked for, or is the rule for this domain's memory.
  subroutine waited(self, status, wait, stat, errmsg)
    class(halocline_domain), intent(in) :: self
    integer(c_int32_t), intent(in) :: status
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: now
    now = self%waits
    if (present(wait)) now = wait
    if (status == HALOCLINE_SUCCESS .and. now) then
      call finished(halocline_domain_synchronize(self%handle), stat, errmsg)
    else
      call finished(status, stat, errmsg)
    end if
  end subroutine

  module procedure exchange
    type(c_transfer), allocatable :: c(:)
    if (empty(transfers, stat, errmsg)) return
    allocate (c, source=c_transfers(transfers))
    call waited(self, halocline_domain_exchange(self%handle, size(c), c), wait, stat, errmsg)
  end procedure

  module procedure start_exchange
    type(c_transfer), allocatable :: c(:)
    if (empty(transfers, stat, errmsg)) return
    allocate (c, source=c_transfers(transfers))
    call finished(halocline_domain_start_exchange(self%handle, size(c), c), stat, errmsg)
  end procedure

  module procedure finish_exchange
    call waited(self, halocline_domain_finish_exchange(self%handle), wait, stat, errmsg)
  end procedure

  module procedure is_ready
    integer(c_int32_t) :: c
    c = 0
    call finished(halocline_domain_is_ready(self%handle, c), stat, errmsg)
    found = c == 1
  end procedure

  module procedure accumulate
    type(c_transfer), allocatable :: c(:)
    integer(c_int32_t) :: how
    how = HALOCLINE_ADD
    if (present(combine)) how = combine
    if (empty(transfers, stat, errmsg)) return
    allocate (c, source=c_transfers(transfers))
    call waited(self, halocline_domain_accumulate(self%handle, how, size(c), c), wait, stat, errmsg)
  end procedure

  module procedure add_reduction
    integer(c_int32_t) :: c
    c = -1
    call finished(halocline_domain_add_reduction(self%handle, field, what, c), stat, errmsg)
    reduction = c
  end procedure

  module procedure reduce
    integer(c_int32_t) :: c(size(reductions))
    c = reductions
    call waited(self, halocline_domain_reduce(self%handle, size(c), c), wait, stat, errmsg)
  end procedure

  module procedure reduced_value
    number = 0
    call finished(halocline_domain_value(self%handle, reduction, number), stat, errmsg)
  end procedure

  module procedure reduced_address
    integer(c_int32_t) :: position
    position = 0
    if (present(subdomain)) position = subdomain - 1
    address = c_null_ptr
    call finished(halocline_subdomain_result(self%handle, position, reduction, address), stat, errmsg)
  end procedure

  module procedure swap
    call finished(halocline_domain_swap(self%handle, field), stat, errmsg)
  end procedure

  module procedure synchronize
    call finished(halocline_domain_synchronize(self%handle), stat, errmsg)
  end procedure

  module procedure leave_open_boundaries
    call finished(halocline_domain_on_open_boundary(self%handle, c_null_funptr, c_null_ptr), stat, errmsg)
  end procedure

  module procedure use_streams
    call finished(halocline_domain_use_streams(self%handle, size(streams), streams), stat, errmsg)
  end procedure

  module procedure wait_for_stream
    call finished(halocline_domain_wait_for_stream(self%handle, stream), stat, errmsg)
  end procedure

  module procedure let_stream_wait
    call finished(halocline_domain_let_stream_wait(self%handle, stream), stat, errmsg)
  end procedure

  module procedure begin_capture
    call finished(halocline_domain_begin_capture(self%handle), stat, errmsg)
  end procedure

  module procedure end_capture
    call finished(halocline_domain_end_capture(self%handle, found%handle), stat, errmsg)
  end procedure
end submodule
