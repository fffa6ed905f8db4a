// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <halocline/error.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "communicators.hpp"

namespace halocline::python {
namespace {

namespace nb = nanobind;

/// The library calls a store without the interpreter lock.
class PythonStore final : public comm::Store {
 public:
  PythonStore(nb::object set, nb::object take) : set_(std::move(set)), take_(std::move(take)) {}
  PythonStore(const PythonStore&) = delete;
  PythonStore& operator=(const PythonStore&) = delete;
  ~PythonStore() override {
    if (!nb::is_alive()) {  // the interpreter has ended, and its objects with it
      static_cast<void>(set_.release());
      static_cast<void>(take_.release());
      return;
    }
    const nb::gil_scoped_acquire held;
    set_.reset();
    take_.reset();
  }

  void set(const std::string& key, std::span<const std::byte> value) override {
    const nb::gil_scoped_acquire held;
    called([&] { set_(key.c_str(), nb::bytes(value.data(), value.size())); });
  }

  [[nodiscard]] std::optional<std::vector<std::byte>> take(const std::string& key) override {
    const nb::gil_scoped_acquire held;
    std::optional<std::vector<std::byte>> taken;
    called([&] {
      const nb::object value = take_(key.c_str());
      if (value.is_none()) return;
      const auto bytes = nb::cast<nb::bytes>(value);
      const auto* first = static_cast<const std::byte*>(bytes.data());
      taken.emplace(first, first + bytes.size());
    });
    return taken;
  }

 private:
  /// Errors of Python as errors of the library. What is no Exception, such as KeyboardInterrupt, stays set in this thread, where the
  /// translator of errors leaves it.
  template <typename Call>
  static void called(Call&& call) {
    // Python may not be called while one is set.
    if (PyErr_Occurred() != nullptr) throw CommunicationError("interrupted by a signal");
    try {
      call();
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_Exception)) throw CommunicationError(std::string("the store failed: ") + error.what());
      error.restore();
      throw CommunicationError("interrupted by a signal");
    }
  }

  nb::object set_, take_;
};

}  // namespace

StoreRanks::StoreRanks(nb::object set, nb::object take, std::string of_ranks, int mine, int all)
    : store(std::make_shared<PythonStore>(std::move(set), std::move(take))),
      name(std::move(of_ranks)),
      rank(mine),
      size(all) {}

comm::Communicator communicator_of(const std::variant<std::int64_t, StoreRanks>& ranks, Duration timeout) {
  if (const auto* handle = std::get_if<std::int64_t>(&ranks)) return from_fortran_handle(*handle, timeout);
  const auto& shared = std::get<StoreRanks>(ranks);
  return comm::from_store(shared.store, shared.name, shared.rank, shared.size, timeout);
}

}  // namespace halocline::python
