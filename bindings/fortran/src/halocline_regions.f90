! SPDX-License-Identifier: BSD-3-Clause
! Ranks, subdomains and views of a domain.
submodule(halocline) halocline_regions
contains

  ! The position of a local subdomain for C. Before plan(), where there are none, functions of C report it.
  module procedure at_position
    integer(c_int32_t) :: count
    character(40) :: numbers
    position = 0
    if (present(subdomain)) position = subdomain - 1
    count = 0
    at_position = halocline_domain_subdomain_count(self%handle, count) /= HALOCLINE_SUCCESS
    if (.not. at_position) at_position = position >= 0 .and. position < count
    if (at_position) return
    write (numbers, '(i0, a, i0)') position + 1, '; allowed is 1 to ', count
    call refused(HALOCLINE_INVALID_ARGUMENT, 'subdomain is ' // trim(numbers), stat, errmsg)
  end procedure

  ! A local subdomain, from 1; the first where it is left out.
  function described(self, subdomain, stat, errmsg) result(c)
    class(halocline_domain), intent(in) :: self
    integer, intent(in), optional :: subdomain
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_subdomain) :: c
    integer(c_int32_t) :: position
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    call finished(halocline_subdomain_get(self%handle, position, c), stat, errmsg)
  end function

  module procedure rank
    integer(c_int32_t) :: c
    c = -1
    call finished(halocline_domain_rank(self%handle, c), stat, errmsg)
    found = c
  end procedure

  module procedure ranks
    integer(c_int32_t) :: c
    c = 0
    call finished(halocline_domain_size(self%handle, c), stat, errmsg)
    found = c
  end procedure

  module procedure on_host
    integer(c_int32_t) :: c
    c = 0
    call finished(halocline_domain_on_host(self%handle, c), stat, errmsg)
    found = c == 1
  end procedure

  module procedure explain
    type(c_ptr) :: text
    text = c_null_ptr
    call finished(halocline_domain_explain(self%handle, text), stat, errmsg)
    found = text_of(text)
  end procedure

  module procedure machine
    type(c_ptr) :: text
    text = c_null_ptr
    call finished(halocline_domain_machine(self%handle, text), stat, errmsg)
    found = text_of(text)
  end procedure

  module procedure subdomains
    integer(c_int32_t) :: c
    c = 0
    call finished(halocline_domain_subdomain_count(self%handle, c), stat, errmsg)
    found = c
  end procedure

  module procedure subdomain_id
    type(c_subdomain) :: c
    c = described(self, subdomain, stat, errmsg)
    found = int(c%id) + 1
  end procedure

  module procedure device
    type(c_subdomain) :: c
    c = described(self, subdomain, stat, errmsg)
    found = c%device + 1
  end procedure

  module procedure native_device
    type(c_subdomain) :: c
    c = described(self, subdomain, stat, errmsg)
    found = c%native_device
  end procedure

  module procedure owned
    type(c_subdomain) :: c
    c = described(self, subdomain, stat, errmsg)
    found = box_of(c%owned)
  end procedure

  module procedure interior
    type(c_subdomain) :: c
    c = described(self, subdomain, stat, errmsg)
    found = box_of(c%interior)
  end procedure

  module procedure boundary
    type(c_box), allocatable :: c(:)
    integer(c_int32_t) :: position, count, status, i
    count = 0
    allocate (c(1))
    if (.not. at_position(self, subdomain, position, stat, errmsg)) then
      allocate (found(0))
      return
    end if
    status = halocline_subdomain_boundary(self%handle, position, 0, c, count)
    if (status == HALOCLINE_SUCCESS .and. count > 0) then
      deallocate (c)
      allocate (c(count))
      status = halocline_subdomain_boundary(self%handle, position, count, c, count)
    end if
    allocate (found(count))
    do i = 1, count
      found(i) = box_of(c(i))
    end do
    call finished(status, stat, errmsg)
  end procedure

  module procedure update_box
    type(c_box) :: c
    integer(c_int32_t) :: position
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    call finished(halocline_subdomain_update_box(self%handle, position, step, c), stat, errmsg)
    found = box_of(c)
  end procedure

  module procedure wraps
    type(c_subdomain) :: c
    found = .false.
    if (dim < 1 .or. dim > 3) then
      call refused(HALOCLINE_INVALID_ARGUMENT, 'dim is not 1, 2 or 3', stat, errmsg)
      return
    end if
    c = described(self, subdomain, stat, errmsg)
    found = c%wraps(dim) == 1
  end procedure

  module procedure use_tiles
    call finished(halocline_domain_use_tiles(self%handle, int(tile, c_int64_t)), stat, errmsg)
  end procedure

  module procedure view
    type(c_view) :: c
    integer(c_int32_t) :: swaps, position
    swaps = 0
    if (present(ahead)) swaps = ahead
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    call finished(halocline_subdomain_view(self%handle, position, field, swaps, c), stat, errmsg)
    found = view_of(c)
  end procedure

  module procedure stream
    integer(c_int32_t) :: position
    found = c_null_ptr
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    call finished(halocline_subdomain_stream(self%handle, position, found), stat, errmsg)
  end procedure

  module procedure host_array
    integer(c_int32_t) :: position
    if (.not. at_position(self, subdomain, position, stat, errmsg)) return
    call finished(halocline_host_array_create(self%handle, position, field, c_null_ptr, found%handle), stat, errmsg)
  end procedure
end submodule
