! SPDX-License-Identifier: BSD-3-Clause
! What the module offers beyond MPI: numbering, errors, vectors, copies, accumulation, options. Cells hold their place in the domain.
module checks
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  use counting
  use halocline
  implicit none
  integer, parameter :: extent(3) = [12, 10, 8]

contains

  type(halocline_options) function on_host() result(options)
    options%backend = HALOCLINE_BACKEND_HOST
    options%devices = 2
  end function

  ! A cell's own value, by its place in the periodic domain, and a component.
  elemental real(real64) function value_of(x, y, z, component)
    integer, intent(in) :: x, y, z, component
    value_of = modulo(x - 1, extent(1)) + 100 * modulo(y - 1, extent(2)) + 10000 * modulo(z - 1, extent(3)) + 1000000 * component
  end function

  subroutine set(p, box, component)
    real(real64), pointer, intent(in) :: p(:, :, :)
    type(halocline_box), intent(in) :: box
    integer, intent(in) :: component
    integer :: x, y, z
    p = -1
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          p(x, y, z) = value_of(x, y, z, component)
        end do
      end do
    end do
  end subroutine

  integer function wrong(p, component)
    real(real64), pointer, intent(in) :: p(:, :, :)
    integer, intent(in) :: component
    integer :: x, y, z
    wrong = 0
    do z = lbound(p, 3), ubound(p, 3)
      do y = lbound(p, 2), ubound(p, 2)
        do x = lbound(p, 1), ubound(p, 1)
          if (p(x, y, z) /= value_of(x, y, z, component)) wrong = wrong + 1
        end do
      end do
    end do
  end function

  integer function volume(box)
    type(halocline_box), intent(in) :: box
    volume = product(max(box%upper - box%lower + 1, 0))
  end function

  subroutine check_exchange()
    type(halocline_domain) :: domain
    type(halocline_view) :: view
    type(halocline_box) :: own
    type(halocline_box), allocatable :: parts(:)
    real(real64), pointer :: p(:, :, :)
    integer :: u, s, i, cells
    call domain%create(extent, halocline_stencil_box(2), options=on_host())
    u = domain%add_field('u', HALOCLINE_F64)
    call domain%realize()
    call check(domain%subdomains() == 2 .and. domain%on_host(), 'two subdomains on the host')
    cells = 0
    do s = 1, 2
      own = domain%owned(s)
      cells = cells + volume(own)
      view = domain%view(u, s)
      call check(all(view%owned%lower == own%lower) .and. all(view%with_halo%lower == own%lower - 2), 'the box of a view')
      call check(domain%device(s) == s .and. domain%native_device(s) == -1 .and. domain%subdomain_id(s) == s, 'numbers')
      call check(.not. domain%wraps(1, s), 'no dimension wraps')
      parts = domain%boundary(s)
      call check(size(parts) > 0, 'there is a boundary')
      i = volume(domain%interior(s))
      call check(i + sum([(volume(parts(i)), i=1, size(parts))]) == volume(own), 'interior and boundary are all owned cells')
      call check(volume(domain%update_box(0, s)) == volume(own), 'a step updates owned cells')
      call halocline_point(p, view)
      call check(all(lbound(p) == view%with_halo%lower) .and. all(ubound(p) == view%with_halo%upper), 'bounds of a pointer')
      call set(p, own, 0)
    end do
    call check(cells == product(extent), 'subdomains are the domain')

    ! One direction, one layer.
    call domain%exchange([halocline_transfer(u, halocline_direction(1, 0, 0), 1)])
    own = domain%owned(1)
    call halocline_point(p, domain%view(u))
    associate (l => own%lower)
      call check(p(l(1) - 1, l(2), l(3)) == value_of(l(1) - 1, l(2), l(3), 0), 'the layer that was sent')
      call check(p(l(1) - 2, l(2), l(3)) == -1 .and. p(l(1), l(2) - 1, l(3)) == -1, 'what was not sent')
    end associate
    call domain%start_exchange()
    call check(domain%is_ready(), 'nothing to wait for')
    call domain%finish_exchange()
    do s = 1, 2
      call halocline_point(p, domain%view(u, s))
      call check(wrong(p, 0) == 0, 'all halo cells, corners included')
    end do

    ! Adding each cell's copies to it: a cell of the interior has none.
    do s = 1, 2
      call halocline_point(p, domain%view(u, s))
      p = 1
    end do
    call domain%accumulate()
    call halocline_point(p, domain%view(u))
    call check(p(own%lower(1), own%lower(2), own%lower(3)) > 1, 'a cell of a corner has copies')
    call domain%accumulate(combine=HALOCLINE_REPLACE)
    call check(p(own%lower(1), own%lower(2), own%lower(3)) == 1, 'a copy replaces the cell')
    call domain%rebalance([1.0d0, 3.0d0])
    own = domain%owned(2)
    call check(product(own%upper - own%lower + 1) > 12 * 10 * 8 / 2, 'the faster device has more cells')
    call domain%rebalance()
    call check(index(domain%explain(), '12 x 10 x 8') > 0 .and. index(domain%machine(), '{') == 1, 'texts')
    call domain%close()
    call domain%close()  ! of nothing
  end subroutine

  ! Options by trial.
  subroutine check_tuning()
    type(halocline_domain) :: domain
    integer :: u, stat
    character(200) :: errmsg
    call domain%create(extent, halocline_stencil_box(1), options=on_host())
    u = domain%add_field('u', HALOCLINE_F64)
    call domain%tune(budget=-1.0d0, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'budget_seconds is -1')
    call domain%tune(budget=0.1d0, again=.true.)
    call domain%realize()
    call check(u == 0 .and. index(domain%explain(), 'tuned: ') > 0, 'the choice is stated')
    call domain%close()
  end subroutine

  subroutine check_reductions()
    type(halocline_domain) :: domain
    type(halocline_box) :: own
    real(real64), pointer :: p(:, :, :), found(:)
    real(real64) :: total
    integer :: u, total_of_u, most, s, stat
    character(200) :: errmsg
    call domain%create(extent, halocline_stencil_star(1), options=on_host())
    u = domain%add_field('u', HALOCLINE_F64)
    total_of_u = domain%add_reduction(u, HALOCLINE_SUM)
    most = domain%add_reduction(u, HALOCLINE_MAX)
    s = domain%add_reduction(u, 5, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'what is 5')
    call domain%realize()
    total = 0
    do s = 1, domain%subdomains()
      own = domain%owned(s)
      call halocline_point(p, domain%view(u, subdomain=s))
      call set(p, own, 0)
      total = total + sum(p(own%lower(1):own%upper(1), own%lower(2):own%upper(2), own%lower(3):own%upper(3)))
    end do
    call domain%reduce([total_of_u, most])
    call check(domain%reduced_value(total_of_u) == total, 'the sum is of the owned cells')
    call check(domain%reduced_value(most) == value_of(extent(1), extent(2), extent(3), 0), 'the maximum is the last cell')
    call c_f_pointer(domain%reduced_address(most, subdomain=2), found, [1])
    call check(found(1) == domain%reduced_value(most), 'each subdomain has the result')
    call domain%close()
  end subroutine

  ! Vectors in the domain's memory and in the program's, and copies of them.
  subroutine check_vectors()
    type(halocline_domain) :: domain
    type(halocline_host_array) :: copy
    type(halocline_box) :: own
    real(real64), allocatable, target :: mine(:, :, :, :), other(:, :, :, :)
    real(real64), pointer :: p(:, :, :), q(:, :, :, :)
    integer :: v, c, stat
    character(200) :: errmsg
    type(halocline_options) :: options
    options = on_host()
    call domain%create([halocline_box([1, 1, 1], [12, 10, 5]), halocline_box([1, 1, 6], extent)], halocline_stencil_star(1), &
                       options=options)
    v = domain%add_field('v', HALOCLINE_F64, components=3)
    call domain%plan()
    own = domain%owned(2)
    call check(all(own%lower == [1, 1, 6]) .and. all(own%upper == extent), 'boxes are those of the program')
    allocate (mine(3, 0:13, 0:11, 0:6), source=-1.0_real64)        ! components side by side
    allocate (other(-1:15, 0:11, 5:9, 3), source=-1.0_real64)      ! more of x than is used
    call domain%use_array(v, halocline_array(mine, [1, 1, 1], axes='cxy'), stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, "axes is 'cxy'")
    call domain%use_array(v, halocline_array(mine(1:2, :, :, :), [1, 1, 1], axes='cxyz'), stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'components')
    call domain%use_array(v, halocline_array(mine, [1, 1, 1], axes='cxyz'))
    ! A section: its rows are not contiguous to one another.
    call domain%use_array(v, halocline_array(other(0:13, :, :, :), [1, 1, 1]), subdomain=2)
    call domain%realize()
    do c = 1, 3
      call fill(mine(c, :, :, :), [0, 0, 0], domain%owned(1), c)
      call halocline_point(p, domain%view(v, 2), component=c)
      call set(p, own, c)
    end do
    call domain%exchange()
    call halocline_point(q, domain%view(v, 2))
    call check(all(lbound(q) == [0, 0, 5, 1]), 'a pointer of rank 4')
    do c = 1, 3
      call check(q(4, 3, 5, c) == value_of(4, 3, 5, c) .and. other(4, 3, 5, c) == q(4, 3, 5, c), 'the halo of a section')
      call check(mine(c, 5, 6, 6) == value_of(5, 6, 6, c) .and. mine(c, 0, 6, 3) == value_of(0, 6, 3, c), 'an array of structures')
    end do
    call check(all(other(-1, :, :, :) == -1) .and. all(other(14:, :, :, :) == -1), 'what is around a section')
    call halocline_point(q, domain%view(v, 1), stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_CAPABILITY_ERROR, 'allowed is rank 3')
    call halocline_point(p, domain%view(v, 2), component=4, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'component is 4; allowed is 1 to 3')

    copy = domain%host_array(v, 2)
    call copy%download()
    call halocline_point(q, copy%view())
    call check(q(4, 3, 6, 2) == value_of(4, 3, 6, 2), 'a copy')
    q(4, 3, 6, 2) = 5
    call copy%upload()
    call check(other(4, 3, 6, 2) == 5, 'a copy that was uploaded')
    call copy%destroy()
    call domain%close()
  end subroutine

  subroutine fill(cells, first, box, component)
    integer, intent(in) :: first(3), component
    real(real64), intent(inout) :: cells(first(1):, first(2):, first(3):)
    type(halocline_box), intent(in) :: box
    integer :: x, y, z
    do z = box%lower(3), box%upper(3)
      do y = box%lower(2), box%upper(2)
        do x = box%lower(1), box%upper(1)
          cells(x, y, z) = value_of(x, y, z, component)
        end do
      end do
    end do
  end subroutine

  subroutine check_options()
    type(halocline_domain) :: domain, again
    type(halocline_options) :: options
    type(halocline_box) :: own
    integer :: u, s, how
    options = on_host()
    options%cuts_x = [0, 5, 12]
    options%cuts_y = [0, 10]
    options%cuts_z = [0, 8]
    options%owners = [halocline_owner(0, 2), halocline_owner(0, 1)]
    options%boundaries(2) = HALOCLINE_PERIODIC_IN_KERNEL
    options%boundaries(3) = HALOCLINE_OPEN
    options%transports = 'direct,self'
    options%timeout = 60
    call domain%create(extent, halocline_stencil_star(1), options=options)
    u = domain%add_field('u', HALOCLINE_F32, staggered=[.false., .false., .true.], buffers=2, &
                         stencil=halocline_stencil_sides([1, 0, 0], [0, 0, 1]))
    call domain%realize()
    do s = 1, 2
      own = domain%owned(s)
      call check(domain%device(s) == 3 - domain%subdomain_id(s), 'owners')
      call check(own%upper(1) == merge(5, 12, domain%subdomain_id(s) == 1), 'cuts')
      call check(domain%wraps(2, s) .and. .not. domain%wraps(1, s), 'a dimension that wraps')
    end do
    call domain%leave_open_boundaries()
    call domain%exchange()
    options = on_host()
    options%machine = domain%machine()
    options%transports = 'mpi_staged'
    do how = HALOCLINE_MESSAGES_BY_RANK, HALOCLINE_MESSAGES_BY_NODE
      options%messages = how
      call again%create(extent, halocline_stencil_star(1), options=options)
      u = again%add_field('u', HALOCLINE_F32)
      call again%realize()
      call check(index(again%explain(), 'routes     3 messages of 4 pairs') > 0, 'messages by rank and by node')
      call again%close()
    end do
    options%messages = HALOCLINE_MESSAGES_AUTO
    call again%create(extent, halocline_stencil_star(1), options=options)
    u = again%add_field('u', HALOCLINE_F32)
    call again%realize()
    call check(index(again%explain(), 'messages   by_neighbour: the machine map has no times') > 0, 'messages by prediction')
    call again%close()
    call domain%close()
  end subroutine

  subroutine check_errors()
    use, intrinsic :: iso_c_binding, only: c_null_ptr
    type(halocline_domain) :: domain
    type(halocline_options) :: options
    type(halocline_box) :: box
    type(halocline_view) :: view
    type(halocline_transfer), allocatable :: none(:)
    real, pointer :: single(:, :, :)
    integer :: u, stat
    character(200) :: errmsg
    call domain%realize(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, &
                       'domain is NULL; allowed is one that was created, before it is closed or destroyed')
    options%timeout = -1
    call domain%create(extent, halocline_stencil_box(1), options=options, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'timeout is -1')
    options = on_host()
    options%transports = 'pigeon'
    call domain%create(extent, halocline_stencil_box(1), options=options, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'pigeon')
    errmsg = 'unchanged'
    call domain%create(extent, halocline_stencil_box(1), options=on_host(), stat=stat, errmsg=errmsg)
    call check(stat == HALOCLINE_SUCCESS .and. errmsg == 'unchanged', 'errmsg is set on errors only')
    call domain%create(extent, halocline_stencil_box(1), stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'create() of a domain that exists')
    box = domain%owned(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'plan')
    u = domain%add_field('u', 99, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'element is 99')
    u = domain%add_field('u', HALOCLINE_F32, wire=HALOCLINE_F64, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'wire of field ''u'' is f64')
    u = domain%add_field('u', HALOCLINE_F64)
    call domain%realize()
    view = domain%view(u, 3, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'subdomain is 3; allowed is 1 to 2')
    box = domain%interior(0, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'subdomain is 0; allowed is 1 to 2')
    call halocline_point(single, domain%view(u), stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'element type of the pointer is f32; allowed is f64, the field''s')
    call domain%use_streams([c_null_ptr, c_null_ptr], stat=stat, errmsg=errmsg)
    call check(stat == HALOCLINE_CAPABILITY_ERROR, 'no streams on the host')
    call domain%finish_exchange(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'no exchange is under way')
    allocate (none(0))
    call domain%exchange(none, stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, 'transfers is empty')
    call domain%close()
    call domain%exchange(stat=stat, errmsg=errmsg)
    call check_refused(stat, errmsg, HALOCLINE_INVALID_ARGUMENT, &
                       'domain is NULL; allowed is one that was created, before it is closed or destroyed')
  end subroutine
end module

program features
  use checks
  implicit none
  type(halocline_domain) :: domain
  integer :: u
  if (command_argument_count() > 0) then
    call domain%create([12, -1, 8], halocline_stencil_box(1), options=on_host())
    u = domain%add_field('u', HALOCLINE_F64)
    call domain%realize()
    write (error_unit, '(a)') 'FAILED: the program did not end'
    stop
  end if
  call check_exchange()
  call check_tuning()
  call check_reductions()
  call check_vectors()
  call check_options()
  call check_errors()
  print '(a, i0)', 'cases passed: ', passed
end program
