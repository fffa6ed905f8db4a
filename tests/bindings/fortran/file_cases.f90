! SPDX-License-Identifier: BSD-3-Clause
! Images and checkpoints of a domain with its cells' numbers: what is written is read byte by byte, what is restored cell by cell.
module file_cases
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use counting
  use halocline
  implicit none
  integer, parameter :: extent(3) = [12, 10, 8]

contains

  subroutine make(domain, u, devices, comm)
    type(halocline_domain), intent(inout) :: domain
    integer, intent(out) :: u
    integer, intent(in) :: devices
    integer, intent(in), optional :: comm
    type(halocline_options) :: options
    options%backend = HALOCLINE_BACKEND_HOST
    options%devices = devices
    call domain%create(extent, halocline_stencil_star(1), comm=comm, options=options)
    u = domain%add_field('u', HALOCLINE_F64)
    call domain%realize()
  end subroutine

  elemental real(real64) function number_of(x, y, z)
    integer, intent(in) :: x, y, z
    number_of = x - 1 + extent(1) * (y - 1 + extent(2) * (z - 1))
  end function

  ! Sets the owned cells to their numbers plus more.
  subroutine set(domain, u, more)
    type(halocline_domain), intent(in) :: domain
    integer, intent(in) :: u, more
    real(real64), pointer :: p(:, :, :)
    type(halocline_box) :: own
    integer :: s, x, y, z
    do s = 1, domain%subdomains()
      call halocline_point(p, domain%view(u, s))
      own = domain%owned(s)
      do z = own%lower(3), own%upper(3)
        do y = own%lower(2), own%upper(2)
          do x = own%lower(1), own%upper(1)
            p(x, y, z) = number_of(x, y, z) + more
          end do
        end do
      end do
    end do
  end subroutine

  ! How many owned cells of this rank are not their numbers plus more.
  integer function wrong(domain, u, more)
    type(halocline_domain), intent(in) :: domain
    integer, intent(in) :: u, more
    real(real64), pointer :: p(:, :, :)
    type(halocline_box) :: own
    integer :: s, x, y, z
    wrong = 0
    do s = 1, domain%subdomains()
      call halocline_point(p, domain%view(u, s))
      own = domain%owned(s)
      do z = own%lower(3), own%upper(3)
        do y = own%lower(2), own%upper(2)
          do x = own%lower(1), own%upper(1)
            if (p(x, y, z) /= number_of(x, y, z) + more) wrong = wrong + 1
          end do
        end do
      end do
    end do
  end function

  subroutine check_images(domain, u, folder)
    type(halocline_domain), intent(in) :: domain
    integer, intent(in) :: u
    character(*), intent(in) :: folder
    type(halocline_output) :: output
    integer, allocatable :: none(:)
    integer :: stat
    character(300) :: errmsg
    allocate (none(0))
    output = domain%output('u.vti', stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'ends in .pvd')
    output = domain%output(folder // '/u.pvd', fields=none, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'fields is empty')
    output = domain%output(folder // '/u.pvd', spacing=[1.0_real64, 1.0_real64, 0.0_real64], stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'spacing is not above 0')

    output = domain%output(folder // '/u.pvd', origin=[0.0_real64, 2.0_real64, 0.0_real64], &
                           spacing=[1.0_real64, 1.0_real64, 0.5_real64], fields=[u])
    call output%finish(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'without a start()')
    call set(domain, u, 1)
    call output%start(7, 0.25_real64)
    call set(domain, u, 2)  ! the copies are made
    call output%finish()
    call output%write(8_int64, 0.5_real64)
    call output%destroy()
    call output%write(9, 0.75_real64, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'output is NULL')
    if (domain%rank() == 0) then
      call check_image(folder // '/u-000007.vti', 1)
      call check_image(folder // '/u-000008.vti', 2)
    end if
    ! A run that continues keeps the steps before.
    output = domain%output(folder // '/u.pvd', resume=.true.)
    call output%write(9, 0.75_real64)
    call output%destroy()
    if (domain%rank() == 0) then
      call check(index(content_of(folder // '/u.pvd'), 'u-000007.vti') > 0, 'resume keeps step 7')
      call check(index(content_of(folder // '/u.pvd'), 'u-000009.vti') > 0, 'resume adds step 9')
    end if
  end subroutine

  function content_of(path) result(content)
    character(*), intent(in) :: path
    character(:), allocatable :: content
    integer :: file, bytes
    open (newunit=file, file=path, access='stream', form='unformatted', status='old', action='read')
    inquire (unit=file, size=bytes)
    allocate (character(bytes) :: content)
    read (file) content
    close (file)
  end function

  ! The whole domain, x fastest, behind the length of the array.
  subroutine check_image(path, more)
    character(*), intent(in) :: path
    integer, intent(in) :: more
    character(*), parameter :: mark = 'encoding="raw">' // new_line('a') // '_'
    character(:), allocatable :: content
    real(real64) :: cells(extent(1), extent(2), extent(3))
    integer :: file, begin, x, y, z, differ
    content = content_of(path)
    begin = index(content, mark) + len(mark) + 8
    call check(begin > len(mark) + 8, path)
    call check(index(content, 'Spacing="1 1 0.5"') > 0 .and. index(content, 'Origin="0 2 0"') > 0, 'place and size of ' // path)
    open (newunit=file, file=path, access='stream', form='unformatted', status='old', action='read')
    read (file, pos=begin) cells
    close (file)
    differ = 0
    do z = 1, extent(3)
      do y = 1, extent(2)
        do x = 1, extent(1)
          if (cells(x, y, z) /= number_of(x, y, z) + more) differ = differ + 1
        end do
      end do
    end do
    call check(differ == 0, 'cells of ' // path)
  end subroutine

  ! .false. in builds without xxHash.
  logical function write_checkpoints(domain, u, folder) result(can)
    type(halocline_domain), intent(in) :: domain
    integer, intent(in) :: u
    character(*), intent(in) :: folder
    type(halocline_checkpoints) :: saved
    type(halocline_metadata) :: half(1)
    integer :: stat
    character(300) :: errmsg
    saved = domain%checkpoints(folder, generations=1, stat=stat, errmsg=errmsg)
    can = stat /= HALOCLINE_CAPABILITY_ERROR
    if (.not. can) return
    call check(stat == HALOCLINE_SUCCESS, 'checkpoints() is ' // trim(errmsg))
    call check(.not. saved%restore(), 'no checkpoint is found in a new folder')
    half(1)%key = 'step'
    call saved%start(half, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'metadata(1) has no key or no value')
    call saved%write()
    call set(domain, u, 3)
    call saved%start([halocline_metadata('step', '7'), halocline_metadata('time', '0.25')])
    call set(domain, u, 4)  ! the copies are made
    call saved%finish()
    call saved%finish(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'without a start()')
    call saved%destroy()
    saved = domain%checkpoints(folder, generations=0, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'generations is below 1')
    saved = domain%checkpoints(folder, most_bytes_per_second=-2d0, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'most bytes per second of checkpoints is -2')
  end function

  subroutine restore_checkpoint(domain, u, folder)
    type(halocline_domain), intent(in) :: domain
    integer, intent(in) :: u
    character(*), intent(in) :: folder
    type(halocline_checkpoints) :: saved
    logical :: found
    call set(domain, u, 0)
    saved = domain%checkpoints(folder)
    call check(saved%restore(), 'a checkpoint is found')
    call check(wrong(domain, u, 3) == 0, 'restored cells')
    call check(saved%value('step', found) == '7' .and. found, 'the step')
    call check(saved%value('time') == '0.25', 'the time')
    call check(saved%value('no', found) == '' .and. .not. found, 'a key that there is not')
    call check(saved%refused() == '', 'nothing is refused')
    call saved%destroy()
  end subroutine
end module
