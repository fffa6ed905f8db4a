! SPDX-License-Identifier: BSD-3-Clause
! Domains: created, planned, realized, closed; their fields.
submodule(halocline) halocline_set_up
contains

  module procedure create_extent
    type(c_options) :: c
    type(options_memory), target :: memory
    type(c_stencil) :: read
    integer(c_int32_t) :: status
    if (already_created(self, stat, errmsg)) return
    call prepare(stencil, options, read, c, memory)
    if (present(comm)) then
      status = halocline_domain_create_mpi(int(extent, c_int64_t), read, int(comm, c_int64_t), c, self%handle)
    else
      status = halocline_domain_create(int(extent, c_int64_t), read, c, self%handle)
    end if
    call finished(status, stat, errmsg)
  end procedure

  module procedure create_boxes
    type(c_options) :: c
    type(options_memory), target :: memory
    type(c_stencil) :: read
    type(c_box) :: own(size(boxes))
    integer(c_int32_t) :: status
    if (already_created(self, stat, errmsg)) return
    call prepare(stencil, options, read, c, memory)
    own = from_box(boxes)
    if (present(comm)) then
      status = halocline_domain_create_from_boxes_mpi(size(own), own, read, int(comm, c_int64_t), c, self%handle)
    else
      status = halocline_domain_create_from_boxes(size(own), own, read, c, self%handle)
    end if
    call finished(status, stat, errmsg)
  end procedure

  logical function already_created(self, stat, errmsg)
    class(halocline_domain), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    already_created = c_associated(self%handle)
    if (already_created) call refused(HALOCLINE_INVALID_ARGUMENT, &
      'create() of a domain that exists; allowed is a new one, or after close()', stat, errmsg)
  end function

  subroutine prepare(stencil, options, read, c, memory)
    type(halocline_stencil), intent(in) :: stencil
    type(halocline_options), intent(in), optional :: options
    type(c_stencil), intent(out) :: read
    type(c_options), intent(out) :: c
    type(options_memory), intent(inout), target :: memory
    read = stencil_of(stencil)
    if (present(options)) then
      c = c_options_of(options, memory)
    else
      c = c_options_of(halocline_options(), memory)
    end if
  end subroutine

  pure function stencil_of(stencil) result(c)
    type(halocline_stencil), intent(in) :: stencil
    type(c_stencil) :: c
    c%lower = stencil%lower
    c%upper = stencil%upper
    c%without = stencil%without
  end function

  module procedure add_field
    type(c_field_options) :: c
    type(c_stencil), target :: read
    integer(c_int32_t), allocatable, target :: directions(:)
    integer(c_int32_t) :: found
    found = -1
    c%size = c_sizeof(c)
    if (present(components)) c%components = components
    if (present(buffers)) c%buffers = buffers
    if (present(wire)) c%wire = wire
    if (present(staggered)) c%staggered = merge(1, 0, staggered)
    if (present(stencil)) then
      read = stencil_of(stencil)
      c%stencil = c_loc(read)
    end if
    field = -1
    if (present(component_directions)) then
      if (size(component_directions) /= max(c%components, 1)) then
        call refused(HALOCLINE_INVALID_ARGUMENT, 'component_directions has another size than the field has components', &
                     stat, errmsg)
        return
      end if
      directions = component_directions
      c%component_directions = c_loc(directions)
    end if
    call finished(halocline_domain_add_field(self%handle, c_text(name), element, c, found), stat, errmsg)
    field = found
  end procedure

  module procedure tune
    character(:), allocatable :: name
    real(c_double) :: seconds
    integer(c_int32_t) :: flag
    name = ''
    if (present(file)) name = file
    seconds = 0
    if (present(budget)) seconds = budget
    flag = 0
    if (present(again)) flag = merge(1, 0, again)
    call finished(halocline_domain_tune(self%handle, c_text(name), seconds, flag), stat, errmsg)
  end procedure

  module procedure plan
    call finished(halocline_domain_plan(self%handle), stat, errmsg)
  end procedure

  module procedure use_array
    type(c_array) :: c
    integer(c_int32_t) :: position, number
    if (allocated(array%mistake)) then
      call refused(HALOCLINE_INVALID_ARGUMENT, array%mistake, stat, errmsg)
      return
    end if
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    number = 0
    if (present(buffer)) number = buffer - 1
    c = c_array(array%data, array%extent, array%stride, array%halo_below, array%halo_above, array%component_stride, &
                array%components, array%element)
    call finished(halocline_domain_use_array(self%handle, field, position, number, c), stat, errmsg)
  end procedure

  module procedure realize
    integer(c_int32_t) :: status, host
    status = halocline_domain_realize(self%handle)
    host = 1
    if (status == HALOCLINE_SUCCESS) status = halocline_domain_on_host(self%handle, host)
    self%waits = host == 1
    call finished(status, stat, errmsg)
  end procedure

  module procedure rebalance
    real(c_double) :: none(0)
    if (present(speeds)) then
      call finished(halocline_domain_rebalance(self%handle, size(speeds), speeds), stat, errmsg)
    else
      call finished(halocline_domain_rebalance(self%handle, 0, none), stat, errmsg)
    end if
  end procedure

  module procedure close
    integer(c_int32_t) :: status, freed
    status = HALOCLINE_SUCCESS
    if (c_associated(self%handle)) then
      status = halocline_domain_close(self%handle)
      freed = halocline_domain_destroy(self%handle)
      if (status == HALOCLINE_SUCCESS) status = freed
    end if
    call finished(status, stat, errmsg)
  end procedure
end submodule
