! SPDX-License-Identifier: BSD-3-Clause
! Images for ParaView and checkpoints, which a domain makes: see domain%output() and domain%checkpoints(). Collective, all but
! destroy(), which comes before the domain is closed.
module halocline_files
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use halocline_c
  use halocline_errors
  use halocline_values
  implicit none
  private

  ! A time series. start() copies the owned cells of the current buffers and returns: when the copies are made on host devices, and
  ! at once on GPUs, where later work in the subdomains' streams comes after them; wait chooses. The program may then overwrite the
  ! cells. finish() writes the files; write() is both. Steps are integers of 4 or 8 bytes.
  type, public :: halocline_output
    type(c_ptr) :: handle = c_null_ptr, domain = c_null_ptr
    logical :: waits = .true.
  contains
    procedure, private :: start_image_int32, start_image_int64, write_image_int32, write_image_int64
    generic :: start => start_image_int32, start_image_int64
    generic :: write => write_image_int32, write_image_int64
    procedure :: finish => finish_image, destroy => destroy_output
  end type

  ! Checkpoints, which may be restored with another number of ranks and another partition. start(), finish() and write() as for
  ! images; a thread writes this rank's file from start() on.
  type, public :: halocline_checkpoints
    type(c_ptr) :: handle = c_null_ptr, domain = c_null_ptr
    logical :: waits = .true.
  contains
    procedure :: start => start_checkpoint, finish => finish_checkpoint, write => write_checkpoint, restore, value, &
      refused => refused_checkpoints, destroy => destroy_checkpoints
  end type

  ! What a program keeps with a checkpoint, such as the step. UTF-8; rank 0's count.
  type, public :: halocline_metadata
    character(:), allocatable :: key, value
  end type

  ! Memory to which metadata for C refer.
  type :: text_memory
    character(kind=c_char), allocatable :: key(:), value(:)
  end type

contains

  ! Reports a status, after waiting for the streams where that is asked for, or is the rule for the domain's memory.
  subroutine waited(domain, status, waits, wait, stat, errmsg)
    type(c_ptr), intent(in) :: domain
    integer(c_int32_t), intent(in) :: status
    logical, intent(in) :: waits
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: now
    now = waits
    if (present(wait)) now = wait
    if (status == HALOCLINE_SUCCESS .and. now) then
      call finished(halocline_domain_synchronize(domain), stat, errmsg)
    else
      call finished(status, stat, errmsg)
    end if
  end subroutine

  subroutine start_image_int64(self, step, time, wait, stat, errmsg)
    class(halocline_output), intent(in) :: self
    integer(int64), intent(in) :: step
    real(c_double), intent(in) :: time
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call waited(self%domain, halocline_output_start(self%handle, step, time), self%waits, wait, stat, errmsg)
  end subroutine

  subroutine start_image_int32(self, step, time, wait, stat, errmsg)
    class(halocline_output), intent(in) :: self
    integer(int32), intent(in) :: step
    real(c_double), intent(in) :: time
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%start(int(step, int64), time, wait, stat, errmsg)
  end subroutine

  subroutine finish_image(self, stat, errmsg)
    class(halocline_output), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_output_finish(self%handle), stat, errmsg)
  end subroutine

  subroutine write_image_int64(self, step, time, stat, errmsg)
    class(halocline_output), intent(in) :: self
    integer(int64), intent(in) :: step
    real(c_double), intent(in) :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_output_write(self%handle, step, time), stat, errmsg)
  end subroutine

  subroutine write_image_int32(self, step, time, stat, errmsg)
    class(halocline_output), intent(in) :: self
    integer(int32), intent(in) :: step
    real(c_double), intent(in) :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%write(int(step, int64), time, stat, errmsg)
  end subroutine

  subroutine destroy_output(self, stat, errmsg)
    class(halocline_output), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_output_destroy(self%handle), stat, errmsg)
  end subroutine

  ! Metadata for C, which refer to memory; reports where a key or a value is not there.
  logical function prepared(metadata, c, memory, stat, errmsg)
    type(halocline_metadata), intent(in), optional :: metadata(:)
    type(c_metadata), allocatable, intent(out) :: c(:)
    type(text_memory), allocatable, target, intent(inout) :: memory(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(20) :: number
    integer :: i, count
    count = 0
    if (present(metadata)) count = size(metadata)
    allocate (c(count), memory(count))
    prepared = .true.
    do i = 1, count
      if (.not. (allocated(metadata(i)%key) .and. allocated(metadata(i)%value))) then
        write (number, '(i0)') i
        call refused(HALOCLINE_INVALID_ARGUMENT, 'metadata(' // trim(number) // ') has no key or no value', stat, errmsg)
        prepared = .false.
        return
      end if
      memory(i)%key = c_text(metadata(i)%key)
      memory(i)%value = c_text(metadata(i)%value)
      c(i)%key = c_loc(memory(i)%key)
      c(i)%value = c_loc(memory(i)%value)
    end do
  end function

  subroutine start_checkpoint(self, metadata, wait, stat, errmsg)
    class(halocline_checkpoints), intent(in) :: self
    type(halocline_metadata), intent(in), optional :: metadata(:)
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_metadata), allocatable :: c(:)
    type(text_memory), allocatable, target :: memory(:)
    if (.not. prepared(metadata, c, memory, stat, errmsg)) return
    call waited(self%domain, halocline_checkpoints_start(self%handle, size(c), c), self%waits, wait, stat, errmsg)
  end subroutine

  subroutine finish_checkpoint(self, stat, errmsg)
    class(halocline_checkpoints), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_checkpoints_finish(self%handle), stat, errmsg)
  end subroutine

  subroutine write_checkpoint(self, metadata, stat, errmsg)
    class(halocline_checkpoints), intent(in) :: self
    type(halocline_metadata), intent(in), optional :: metadata(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_metadata), allocatable :: c(:)
    type(text_memory), allocatable, target :: memory(:)
    if (.not. prepared(metadata, c, memory, stat, errmsg)) return
    call finished(halocline_checkpoints_write(self%handle, size(c), c), stat, errmsg)
  end subroutine

  ! Sets the owned cells to those of the newest checkpoint that is whole and fits, and returns as start() does; .false. if there is
  ! no checkpoint. An error, and nothing changed, if each is refused.
  function restore(self, wait, stat, errmsg) result(found)
    class(halocline_checkpoints), intent(in) :: self
    logical, intent(in), optional :: wait
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: found
    integer(c_int32_t) :: c
    c = 0
    call waited(self%domain, halocline_checkpoints_restore(self%handle, c), self%waits, wait, stat, errmsg)
    found = c == 1
  end function

  ! A value of the restored checkpoint; empty, and found .false., if it has none of that key. Local.
  function value(self, key, found, stat, errmsg) result(text)
    class(halocline_checkpoints), intent(in) :: self
    character(*), intent(in) :: key
    logical, intent(out), optional :: found
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: c
    c = c_null_ptr
    call finished(halocline_checkpoints_value(self%handle, c_text(key), c), stat, errmsg)
    text = text_of(c)
    if (present(found)) found = c_associated(c)
  end function

  ! Why newer checkpoints than the restored one were refused, a line for each. Local.
  function refused_checkpoints(self, stat, errmsg) result(text)
    class(halocline_checkpoints), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: c
    c = c_null_ptr
    call finished(halocline_checkpoints_refused(self%handle, c), stat, errmsg)
    text = text_of(c)
  end function

  subroutine destroy_checkpoints(self, stat, errmsg)
    class(halocline_checkpoints), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finished(halocline_checkpoints_destroy(self%handle), stat, errmsg)
  end subroutine
end module
