// Which devices ranks get. What needs a GPU is in tests/gpu; here machines have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "halocline/halocline.hpp"
#include "support/error_of.hpp"

namespace halocline {
namespace {

using device::BackendKind;
using testing::HasSubstr;

/// Sets an environment variable for as long as it lives.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Setting() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <typename E>
std::string refusal(comm::Communicator& comm, const BackendRequest& request) {
  return test::error_of<E>([&] { static_cast<void>(make_backend(comm, request)); });
}

TEST(MakeBackend, host_devices_are_as_many_as_asked_for) {
  const auto comm = comm::serial();
  EXPECT_EQ(make_backend(*comm, {.kind = BackendKind::host})->device_count(), 1);
  const auto backend = make_backend(*comm, {.kind = BackendKind::host, .devices_per_rank = 3});
  EXPECT_EQ(backend->kind(), BackendKind::host);
  EXPECT_EQ(backend->device_count(), 3);
}

TEST(MakeBackend, the_environment_decides_where_nothing_is_asked_for) {
  const auto comm = comm::serial();
  {
    const Setting setting("HALOCLINE_BACKEND", "host");
    EXPECT_EQ(make_backend(*comm, {})->kind(), BackendKind::host);
  }
  const Setting setting("HALOCLINE_BACKEND", "gpu");
  EXPECT_EQ(refusal<InvalidArgument>(*comm, {}),
            "rank 0: HALOCLINE_BACKEND is 'gpu'; allowed is one of auto host cuda");
  EXPECT_EQ(make_backend(*comm, {.kind = BackendKind::host})->kind(), BackendKind::host);
}

TEST(MakeBackend, without_gpus_automatic_is_host_and_cuda_is_one_error_on_all_ranks) {
  if (!device::cuda_devices().empty()) GTEST_SKIP() << "there is a GPU";
  const Setting setting("HALOCLINE_BACKEND", "auto");
  std::vector<std::string> texts(3);
  comm::run_as_threads(3, [&](comm::Communicator& comm) {
    EXPECT_EQ(make_backend(comm, {})->kind(), BackendKind::host);
    texts[comm.rank().index()] = refusal<CapabilityError>(comm, {.kind = BackendKind::cuda});
  });
  for (const auto& text : texts) {
    EXPECT_THAT(text, HasSubstr("rank 0: "));
    EXPECT_EQ(text, texts[0]);
  }
}

TEST(MakeBackend, ranks_that_ask_for_different_devices_are_told) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::Communicator& comm) {
    const bool first = comm.rank() == rank_id(0);
    texts[comm.rank().index()] =
        refusal<InvalidArgument>(comm, {.kind = first ? BackendKind::host : BackendKind::cuda});
  });
  for (const auto& text : texts) EXPECT_EQ(text, "backend of rank 1 is cuda; allowed is that of rank 0, host");
}

TEST(MakeBackend, all_ranks_of_a_domain_bring_their_own_devices_or_none) {
  std::vector<std::string> texts(2);
  comm::run_as_threads(2, [&](comm::Communicator& comm) {
    DomainOptions options;
    options.backend_kind = BackendKind::host;
    if (comm.rank() == rank_id(0)) options.backend = device::make_host_backend({});
    Domain domain({8, 8, 8}, Radius::uniform(1), comm, options);
    domain.add_field<float>("u");
    try {
      domain.realize();
    } catch (const InvalidArgument& error) {
      texts[comm.rank().index()] = error.what();
    }
  });
  for (const auto& text : texts)
    EXPECT_EQ(text, "rank 1: a rank has no backend; allowed are all ranks with one, or none");
}

TEST(BackendKind, is_known_by_name) {
  EXPECT_EQ(backend_kind_of("auto"), std::nullopt);
  EXPECT_EQ(backend_kind_of("host"), BackendKind::host);
  EXPECT_EQ(backend_kind_of("cuda"), BackendKind::cuda);
  EXPECT_THROW(static_cast<void>(backend_kind_of("gpu")), InvalidArgument);
}

TEST(Options, come_from_the_environment) {
  const auto read = [](const std::string& backend) {
    return DomainOptions::from(Environment::read(
        [&](const std::string& name) { return name == "HALOCLINE_BACKEND" ? std::optional(backend) : std::nullopt; }));
  };
  EXPECT_EQ(read("cuda").backend_kind, BackendKind::cuda);
  EXPECT_EQ(read("host").backend_kind, BackendKind::host);
  EXPECT_FALSE(read("auto").backend_kind);
  EXPECT_FALSE(read("auto").devices_per_rank);
}

}  // namespace
}  // namespace halocline
