! SPDX-License-Identifier: BSD-3-Clause
! The structs and functions of halocline.h, as they are. Programs use the module halocline.
module halocline_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: c_box
    integer(c_int64_t) :: lo(3) = 0, hi(3) = 0
  end type

  type, bind(C) :: c_stencil
    integer(c_int64_t) :: lower(3) = 0, upper(3) = 0
    integer(c_int32_t) :: without = 0
  end type

  type, bind(C) :: c_owner
    integer(c_int64_t) :: rank = 0
    integer(c_int32_t) :: device = 0
  end type

  type, bind(C) :: c_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: boundaries(3) = 0, in_place = 0, steps_per_exchange = 0, backend = 0, devices = 0, host_workers = 0
    integer(c_int32_t) :: ranks_per_node = 0, partition = 0
    integer(c_int64_t) :: node_grid(3) = 0, device_grid(3) = 0
    type(c_ptr) :: cuts(3) = c_null_ptr
    integer(c_int64_t) :: cut_counts(3) = 0
    type(c_ptr) :: weights = c_null_ptr
    integer(c_int64_t) :: weight_count = 0
    integer(c_int32_t) :: placement = 0, by_direction = 0
    integer(c_int64_t) :: placement_seed = 0
    type(c_ptr) :: owners = c_null_ptr
    integer(c_int64_t) :: owner_count = 0
    type(c_ptr) :: transports = c_null_ptr, machine = c_null_ptr
    integer(c_int32_t) :: validate_ordering = 0, measure_weights = 0
    real(c_double) :: timeout = 0
    integer(c_int32_t) :: messages = 0
  end type

  type, bind(C) :: c_field_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: components = 0, buffers = 0
    type(c_ptr) :: stencil = c_null_ptr
    integer(c_int32_t) :: staggered(3) = 0, wire = 0
    type(c_ptr) :: component_directions = c_null_ptr
  end type

  type, bind(C) :: c_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: extent(3) = 0, stride(3) = 0, halo_below(3) = 0, halo_above(3) = 0, component_stride = 0
    integer(c_int32_t) :: components = 0, element = 0
  end type

  type, bind(C) :: c_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: stride(3) = 0, component_stride = 0
    type(c_box) :: owned, with_halo
    integer(c_int32_t) :: element = 0, components = 0
  end type

  type, bind(C) :: c_transfer
    integer(c_int32_t) :: field = 0, directions = 0
    integer(c_int64_t) :: depth = 0
  end type

  type, bind(C) :: c_subdomain
    integer(c_int64_t) :: id = 0
    integer(c_int32_t) :: device = 0, native_device = 0, wraps(3) = 0, reserved = 0
    type(c_box) :: owned, interior
  end type

  type, bind(C) :: c_output_options
    integer(c_size_t) :: size = 0
    real(c_double) :: origin(3) = 0, spacing(3) = 0
    integer(c_int32_t) :: field_count = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int32_t) :: resume = 0
  end type

  type, bind(C) :: c_checkpoint_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: generations = 0, field_count = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int32_t) :: all_buffers = 0
    real(c_double) :: most_bytes_per_second = 0
  end type

  type, bind(C) :: c_metadata
    type(c_ptr) :: key = c_null_ptr, value = c_null_ptr
  end type

  interface
    function halocline_last_error() bind(C) result(text)
      import c_ptr
      type(c_ptr) :: text
    end function
    function halocline_status_name(status) bind(C) result(text)
      import c_ptr, c_int32_t
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function

    integer(c_int32_t) function halocline_domain_create(extent, stencil, options, domain) bind(C)
      import c_int32_t, c_int64_t, c_ptr, c_stencil, c_options
      integer(c_int64_t), intent(in) :: extent(3)
      type(c_stencil), intent(in) :: stencil
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: domain
    end function
    integer(c_int32_t) function halocline_domain_create_mpi(extent, stencil, comm, options, domain) bind(C)
      import c_int32_t, c_int64_t, c_ptr, c_stencil, c_options
      integer(c_int64_t), intent(in) :: extent(3)
      type(c_stencil), intent(in) :: stencil
      integer(c_int64_t), value :: comm
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: domain
    end function
    integer(c_int32_t) function halocline_domain_create_from_boxes(count, boxes, stencil, options, domain) bind(C)
      import c_int32_t, c_int64_t, c_ptr, c_box, c_stencil, c_options
      integer(c_int32_t), value :: count
      type(c_box), intent(in) :: boxes(*)
      type(c_stencil), intent(in) :: stencil
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: domain
    end function
    integer(c_int32_t) function halocline_domain_create_from_boxes_mpi(count, boxes, stencil, comm, options, domain) bind(C)
      import c_int32_t, c_int64_t, c_ptr, c_box, c_stencil, c_options
      integer(c_int32_t), value :: count
      type(c_box), intent(in) :: boxes(*)
      type(c_stencil), intent(in) :: stencil
      integer(c_int64_t), value :: comm
      type(c_options), intent(in) :: options
      type(c_ptr), intent(inout) :: domain
    end function

    integer(c_int32_t) function halocline_domain_plan(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_tune(domain, file, budget_seconds, again) bind(C)
      import c_char, c_double, c_int32_t, c_ptr
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: file(*)
      real(c_double), value :: budget_seconds
      integer(c_int32_t), value :: again
    end function
    integer(c_int32_t) function halocline_domain_realize(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_rebalance(domain, count, speeds) bind(C)
      import c_double, c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: count
      real(c_double), intent(in) :: speeds(*)
    end function
    integer(c_int32_t) function halocline_domain_close(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_destroy(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: domain
    end function
    integer(c_int32_t) function halocline_domain_rank(domain, rank) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), intent(inout) :: rank
    end function
    integer(c_int32_t) function halocline_domain_size(domain, size) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), intent(inout) :: size
    end function
    integer(c_int32_t) function halocline_domain_on_host(domain, on_host) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), intent(inout) :: on_host
    end function
    integer(c_int32_t) function halocline_domain_explain(domain, text) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int32_t) function halocline_domain_machine(domain, json) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(inout) :: json
    end function

    integer(c_int32_t) function halocline_domain_add_field(domain, name, element, options, field) bind(C)
      import c_int32_t, c_ptr, c_char, c_field_options
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), value :: element
      type(c_field_options), intent(in) :: options
      integer(c_int32_t), intent(inout) :: field
    end function
    integer(c_int32_t) function halocline_domain_use_array(domain, field, subdomain, buffer, array) bind(C)
      import c_int32_t, c_ptr, c_array
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: field, subdomain, buffer
      type(c_array), intent(in) :: array
    end function
    integer(c_int32_t) function halocline_subdomain_view(domain, subdomain, field, ahead, view) bind(C)
      import c_int32_t, c_ptr, c_view
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain, field, ahead
      type(c_view), intent(inout) :: view
    end function

    integer(c_int32_t) function halocline_domain_exchange(domain, count, transfers) bind(C)
      import c_int32_t, c_ptr, c_transfer
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: count
      type(c_transfer), intent(in) :: transfers(*)
    end function
    integer(c_int32_t) function halocline_domain_start_exchange(domain, count, transfers) bind(C)
      import c_int32_t, c_ptr, c_transfer
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: count
      type(c_transfer), intent(in) :: transfers(*)
    end function
    integer(c_int32_t) function halocline_domain_finish_exchange(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_is_ready(domain, ready) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), intent(inout) :: ready
    end function
    integer(c_int32_t) function halocline_domain_accumulate(domain, combine, count, transfers) bind(C)
      import c_int32_t, c_ptr, c_transfer
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: combine, count
      type(c_transfer), intent(in) :: transfers(*)
    end function
    integer(c_int32_t) function halocline_domain_add_reduction(domain, field, what, reduction) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: field, what
      integer(c_int32_t), intent(inout) :: reduction
    end function
    integer(c_int32_t) function halocline_domain_reduce(domain, count, reductions) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: count
      integer(c_int32_t), intent(in) :: reductions(*)
    end function
    integer(c_int32_t) function halocline_domain_value(domain, reduction, number) bind(C)
      import c_int32_t, c_ptr, c_double
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: reduction
      real(c_double), intent(inout) :: number
    end function
    integer(c_int32_t) function halocline_subdomain_result(domain, subdomain, reduction, address) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain, reduction
      type(c_ptr), intent(inout) :: address
    end function
    integer(c_int32_t) function halocline_domain_swap(domain, field) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: field
    end function
    integer(c_int32_t) function halocline_domain_synchronize(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_on_open_boundary(domain, fill, user) bind(C)
      import c_int32_t, c_ptr, c_funptr
      type(c_ptr), value :: domain
      type(c_funptr), value :: fill
      type(c_ptr), value :: user
    end function

    integer(c_int32_t) function halocline_domain_subdomain_count(domain, count) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), intent(inout) :: count
    end function
    integer(c_int32_t) function halocline_subdomain_get(domain, subdomain, result) bind(C)
      import c_int32_t, c_ptr, c_subdomain
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain
      type(c_subdomain), intent(inout) :: result
    end function
    integer(c_int32_t) function halocline_subdomain_boundary(domain, subdomain, capacity, boxes, count) bind(C)
      import c_int32_t, c_ptr, c_box
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain, capacity
      type(c_box), intent(inout) :: boxes(*)
      integer(c_int32_t), intent(inout) :: count
    end function
    integer(c_int32_t) function halocline_subdomain_update_box(domain, subdomain, step, box) bind(C)
      import c_int32_t, c_ptr, c_box
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain, step
      type(c_box), intent(inout) :: box
    end function
    integer(c_int32_t) function halocline_domain_use_tiles(domain, tile) bind(C)
      import c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int64_t), intent(in) :: tile(3)
    end function

    integer(c_int32_t) function halocline_subdomain_stream(domain, subdomain, stream) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain
      type(c_ptr), intent(inout) :: stream
    end function
    integer(c_int32_t) function halocline_domain_use_streams(domain, count, streams) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: count
      type(c_ptr), intent(in) :: streams(*)
    end function
    integer(c_int32_t) function halocline_domain_wait_for_stream(domain, stream) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain, stream
    end function
    integer(c_int32_t) function halocline_domain_let_stream_wait(domain, stream) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain, stream
    end function
    integer(c_int32_t) function halocline_domain_begin_capture(domain) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
    end function
    integer(c_int32_t) function halocline_domain_end_capture(domain, graph) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(inout) :: graph
    end function
    integer(c_int32_t) function halocline_graph_launch(graph) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: graph
    end function
    integer(c_int32_t) function halocline_graph_destroy(graph) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: graph
    end function

    integer(c_int32_t) function halocline_host_array_create(domain, subdomain, field, box, array) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: domain
      integer(c_int32_t), value :: subdomain, field
      type(c_ptr), value :: box
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int32_t) function halocline_host_array_view(array, view) bind(C)
      import c_int32_t, c_ptr, c_view
      type(c_ptr), value :: array
      type(c_view), intent(inout) :: view
    end function
    integer(c_int32_t) function halocline_host_array_download(array, ahead) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: array
      integer(c_int32_t), value :: ahead
    end function
    integer(c_int32_t) function halocline_host_array_upload(array, ahead) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: array
      integer(c_int32_t), value :: ahead
    end function
    integer(c_int32_t) function halocline_host_array_destroy(array) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: array
    end function

    integer(c_int32_t) function halocline_output_create(domain, series, options, output) bind(C)
      import c_char, c_int32_t, c_ptr, c_output_options
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: series(*)
      type(c_output_options), intent(in) :: options
      type(c_ptr), intent(inout) :: output
    end function
    integer(c_int32_t) function halocline_output_start(output, step, time) bind(C)
      import c_double, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: output
      integer(c_int64_t), value :: step
      real(c_double), value :: time
    end function
    integer(c_int32_t) function halocline_output_finish(output) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: output
    end function
    integer(c_int32_t) function halocline_output_write(output, step, time) bind(C)
      import c_double, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: output
      integer(c_int64_t), value :: step
      real(c_double), value :: time
    end function
    integer(c_int32_t) function halocline_output_destroy(output) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: output
    end function

    integer(c_int32_t) function halocline_checkpoints_create(domain, folder, options, checkpoints) bind(C)
      import c_char, c_int32_t, c_ptr, c_checkpoint_options
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: folder(*)
      type(c_checkpoint_options), intent(in) :: options
      type(c_ptr), intent(inout) :: checkpoints
    end function
    integer(c_int32_t) function halocline_checkpoints_start(checkpoints, count, metadata) bind(C)
      import c_int32_t, c_ptr, c_metadata
      type(c_ptr), value :: checkpoints
      integer(c_int32_t), value :: count
      type(c_metadata), intent(in) :: metadata(*)
    end function
    integer(c_int32_t) function halocline_checkpoints_finish(checkpoints) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: checkpoints
    end function
    integer(c_int32_t) function halocline_checkpoints_write(checkpoints, count, metadata) bind(C)
      import c_int32_t, c_ptr, c_metadata
      type(c_ptr), value :: checkpoints
      integer(c_int32_t), value :: count
      type(c_metadata), intent(in) :: metadata(*)
    end function
    integer(c_int32_t) function halocline_checkpoints_restore(checkpoints, found) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: checkpoints
      integer(c_int32_t), intent(inout) :: found
    end function
    integer(c_int32_t) function halocline_checkpoints_value(checkpoints, key, value) bind(C)
      import c_char, c_int32_t, c_ptr
      type(c_ptr), value :: checkpoints
      character(kind=c_char), intent(in) :: key(*)
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int32_t) function halocline_checkpoints_refused(checkpoints, refused) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), value :: checkpoints
      type(c_ptr), intent(inout) :: refused
    end function
    integer(c_int32_t) function halocline_checkpoints_destroy(checkpoints) bind(C)
      import c_int32_t, c_ptr
      type(c_ptr), intent(inout) :: checkpoints
    end function
  end interface
end module
