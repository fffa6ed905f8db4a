! SPDX-License-Identifier: BSD-3-Clause
! Images and checkpoints of a domain: made.
submodule(halocline) halocline_series
contains

  ! No list is all fields, which a list without any would be for C, too.
  logical function no_field(fields, stat, errmsg)
    integer, intent(in), optional :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    no_field = .false.
    if (present(fields)) no_field = size(fields) == 0
    if (no_field) call refused(HALOCLINE_INVALID_ARGUMENT, &
      'fields is empty; allowed is one field or more, or no list for all fields', stat, errmsg)
  end function

  module procedure output
    type(c_output_options) :: c
    integer(c_int32_t), allocatable, target :: chosen(:)
    if (no_field(fields, stat, errmsg)) return
    c%size = c_sizeof(c)
    if (present(origin)) c%origin = origin
    c%spacing = 1
    if (present(spacing)) c%spacing = spacing
    if (.not. all(c%spacing > 0)) then  ! 0 is the default for C
      call refused(HALOCLINE_INVALID_ARGUMENT, 'spacing is not above 0 in each dimension; allowed is a finite number above 0', &
                   stat, errmsg)
      return
    end if
    if (present(fields)) then
      chosen = fields
      c%fields = c_loc(chosen)
      c%field_count = size(chosen)
    end if
    if (present(resume)) c%resume = merge(1, 0, resume)
    call finished(halocline_output_create(self%handle, c_text(series), c, found%handle), stat, errmsg)
    found%domain = self%handle
    found%waits = self%waits
  end procedure

  module procedure checkpoints
    type(c_checkpoint_options) :: c
    integer(c_int32_t), allocatable, target :: chosen(:)
    if (no_field(fields, stat, errmsg)) return
    c%size = c_sizeof(c)
    if (present(generations)) then
      if (generations < 1) then  ! 0 is the default for C
        call refused(HALOCLINE_INVALID_ARGUMENT, 'generations is below 1; allowed is 1 or more', stat, errmsg)
        return
      end if
      c%generations = generations
    end if
    if (present(fields)) then
      chosen = fields
      c%fields = c_loc(chosen)
      c%field_count = size(chosen)
    end if
    if (present(all_buffers)) c%all_buffers = merge(1, 0, all_buffers)
    if (present(most_bytes_per_second)) c%most_bytes_per_second = most_bytes_per_second
    call finished(halocline_checkpoints_create(self%handle, c_text(folder), c, found%handle), stat, errmsg)
    found%domain = self%handle
    found%waits = self%waits
  end procedure
end submodule
