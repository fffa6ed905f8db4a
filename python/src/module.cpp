// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <halocline/environment.hpp>

#include "communicators.hpp"
#include "domain.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "interrupts.hpp"
#include "xla.hpp"

namespace halocline::python {

NB_MODULE(_core, module) {
  register_errors();
  end_waits_on_interrupts();
  module.attr("version") = HALOCLINE_VERSION;
  module.attr("backends") = HALOCLINE_HAS_CUDA ? nb::make_tuple("host", "cuda") : nb::make_tuple("host");
  module.def("mpi_library", &mpi_library);
  module.attr("mpi_plugins") = nb::cast(plugins::all());
  module.def("is_loaded", &plugins::is_loaded, nb::arg("library"));
  module.def("load_mpi_plugin", &plugins::load, nb::arg("file"));
  module.def("wanted_mpi_plugin", [] { return Environment::read().mpi_plugin; });
  module.def("dlpack_memory", &dlpack_memory);
  module.def("xla_handlers", &xla_handlers);

  nb::class_<Machine>(module, "Machine")
      .def_static("from_json", &Machine::from_json, nb::arg("text"))
      .def_static("read", &Machine::read, nb::arg("file"))
      .def("json", &Machine::json);
  nb::class_<StoreRanks>(module, "StoreRanks")
      .def(nb::init<nb::object, nb::object, std::string, int, int>(), nb::arg("set"), nb::arg("take"), nb::arg("name"),
           nb::arg("rank"), nb::arg("size"));
  nb::class_<StencilSpec>(module, "StencilSpec")
      .def(
          "__init__",
          [](StencilSpec* self, Triple lower, Triple upper, bool edges, bool corners) {
            new (self) StencilSpec{lower, upper, edges, corners};
          },
          nb::arg("lower"), nb::arg("upper"), nb::arg("edges"), nb::arg("corners"));
  nb::class_<Settings>(module, "Settings")
      .def(nb::init<>())
      .def_rw("backend", &Settings::backend)
      .def_rw("devices", &Settings::devices)
      .def_rw("boundary", &Settings::boundary)
      .def_rw("in_place", &Settings::in_place)
      .def_rw("steps_per_exchange", &Settings::steps_per_exchange)
      .def_rw("partition", &Settings::partition)
      .def_rw("transports", &Settings::transports)
      .def_rw("messages", &Settings::messages)
      .def_rw("ranks_per_node", &Settings::ranks_per_node)
      .def_rw("validate_ordering", &Settings::validate_ordering)
      .def_rw("measure_weights", &Settings::measure_weights)
      .def_rw("machine", &Settings::machine)
      .def_rw("cuts", &Settings::cuts)
      .def_rw("owners", &Settings::owners)
      .def_rw("timeout", &Settings::timeout);
  nb::class_<Selection>(module, "Selection")
      .def(nb::init<const std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>&>(), nb::arg("depths"));
  nb::class_<OpenBox>(module, "OpenBox")
      .def_ro("subdomain", &OpenBox::subdomain)
      .def_ro("field", &OpenBox::field)
      .def_ro("dimension", &OpenBox::dimension)
      .def_ro("upper", &OpenBox::upper)
      .def_ro("box", &OpenBox::box);

  nb::class_<Graph>(module, "Graph");

  nb::class_<DomainHandle>(module, "Domain")
      .def(nb::init<const Triple&, const std::vector<Corners>&, const StencilSpec&, const Ranks&, const Settings&>(),
           nb::arg("extent"), nb::arg("boxes"), nb::arg("stencil"), nb::arg("comm").none(), nb::arg("settings"))
      .def("add_field", &DomainHandle::add_field, nb::arg("name"), nb::arg("element"), nb::arg("components"),
           nb::arg("buffers"), nb::arg("stencil").none(), nb::arg("staggered"), nb::arg("wire").none())
      .def("plan", &DomainHandle::plan)
      .def("planned", &DomainHandle::planned)
      .def("use_array", &DomainHandle::use_array)
      .def("tune", &DomainHandle::tune)
      .def("realize", &DomainHandle::realize)
      .def("start_exchange", &DomainHandle::start_exchange, nb::arg("selection").none(), nb::arg("stream"),
           nb::arg("keep"))
      .def("finish", &DomainHandle::finish)
      .def("exchange", &DomainHandle::exchange, nb::arg("selection").none(), nb::arg("stream"), nb::arg("keep"),
           nb::arg("wait"))
      .def("begin_capture", &DomainHandle::begin_capture)
      .def("end_capture", &DomainHandle::end_capture)
      .def("launch", &DomainHandle::launch)
      .def("is_ready", &DomainHandle::is_ready)
      .def("accumulate", &DomainHandle::accumulate, nb::arg("selection").none(), nb::arg("replace"), nb::arg("stream"),
           nb::arg("keep"), nb::arg("wait"))
      .def("add_reduction", &DomainHandle::add_reduction)
      .def("reduce", &DomainHandle::reduce)
      .def("value", &DomainHandle::value)
      .def("result", &DomainHandle::result)
      .def("rebalance", &DomainHandle::rebalance)
      .def("leave_open_boundaries", &DomainHandle::leave_open_boundaries)
      .def("swap", &DomainHandle::swap)
      .def("synchronize", &DomainHandle::synchronize)
      .def("close", &DomainHandle::close)
      .def("explain", &DomainHandle::explain)
      .def("machine", &DomainHandle::machine)
      .def_prop_ro("rank", &DomainHandle::rank)
      .def_prop_ro("size", &DomainHandle::size)
      .def("all_gather", &DomainHandle::all_gather)
      .def_prop_ro("subdomain_count", &DomainHandle::subdomain_count)
      .def("subdomain_id", &DomainHandle::subdomain_id_at)
      .def("device", &DomainHandle::device_at)
      .def("stream", &DomainHandle::stream_at)
      .def_prop_ro("on_host", &DomainHandle::on_host)
      .def("owned", &DomainHandle::owned)
      .def("with_halo", &DomainHandle::with_halo)
      .def("interior", &DomainHandle::interior)
      .def("boundary", &DomainHandle::boundary)
      .def("array", [](const nb::object& self, std::size_t position, std::int64_t field,
                       int ahead) { return nb::cast<DomainHandle&>(self).array(self, position, field, ahead); })
      .def("device_array",
           [](const nb::object& self, std::size_t position, std::int64_t field, int ahead) {
             return nb::cast<DomainHandle&>(self).device_array(self, position, field, ahead);
           })
      .def("layout", &DomainHandle::layout)
      .def("wait_for_stream", &DomainHandle::wait_for_stream)
      .def("let_stream_wait", &DomainHandle::let_stream_wait)
      .def("forget_stream", &DomainHandle::forget_stream)
      .def("download", &DomainHandle::download)
      .def("upload", &DomainHandle::upload)
      .def_prop_ro("leases", &DomainHandle::leases);
  add_files(module);
}

}  // namespace halocline::python
