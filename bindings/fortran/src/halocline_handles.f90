! SPDX-License-Identifier: BSD-3-Clause
! Graphs and host arrays, which a domain makes.
module halocline_handles
  use, intrinsic :: iso_c_binding
  use halocline_c
  use halocline_errors
  use halocline_views
  implicit none
  private

  ! Steps that domain%end_capture() recorded. destroy() once their work is done; closing the domain ends them too.
  type, public :: halocline_graph
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: launch, destroy => destroy_graph
  end type

  ! Host memory of domain%host_array(): download() copies the field's buffer into it, after all work in the subdomain's stream, and
  ! upload() the opposite direction; view() is for halocline_point().
  type, public :: halocline_host_array
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: view => view_host_array, download, upload, destroy => destroy_host_array
  end type

contains

  ! Enqueues the recorded steps. All ranks launch the same graphs in the same order.
  subroutine launch(self, stat, errmsg)
    class(halocline_graph), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_graph_launch(self%handle), stat, errmsg)
  end subroutine

  subroutine destroy_graph(self, stat, errmsg)
    class(halocline_graph), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_graph_destroy(self%handle), stat, errmsg)
  end subroutine

  function view_host_array(self, stat, errmsg) result(view)
    class(halocline_host_array), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(halocline_view) :: view
    type(c_view) :: found
    call finished(halocline_host_array_view(self%handle, found), stat, errmsg)
    view = view_of(found)
  end function

  subroutine download(self, ahead, stat, errmsg)
    class(halocline_host_array), intent(in) :: self
    integer, intent(in), optional :: ahead
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: swaps
    swaps = 0
    if (present(ahead)) swaps = ahead
    call finished(halocline_host_array_download(self%handle, swaps), stat, errmsg)
  end subroutine

  subroutine upload(self, ahead, stat, errmsg)
    class(halocline_host_array), intent(in) :: self
    integer, intent(in), optional :: ahead
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: swaps
    swaps = 0
    if (present(ahead)) swaps = ahead
    call finished(halocline_host_array_upload(self%handle, swaps), stat, errmsg)
  end subroutine

  subroutine destroy_host_array(self, stat, errmsg)
    class(halocline_host_array), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_host_array_destroy(self%handle), stat, errmsg)
  end subroutine
end module
