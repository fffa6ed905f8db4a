#include "halocline/core/anonymous_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "halocline/core/error.hpp"

namespace halocline {
namespace {

TEST(AnonymousFile, another_process_sees_the_same_memory) {
  AnonymousFile file(4096);
  file.data()[5] = std::byte{1};
  const auto handle = file.handle();
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      const AnonymousFile mapped = AnonymousFile::open(handle);
      code = mapped.data()[5] == std::byte{1} ? 0 : 2;
      mapped.data()[6] = std::byte{2};
    } catch (const Error&) {
      code = 3;
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(file.data()[6], std::byte{2});
}

TEST(AnonymousFile, a_handle_that_points_to_something_else_is_refused) {
  AnonymousFile file(4096);
  auto handle = file.handle();
  ++handle.inode;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
  handle = file.handle();
  handle.fd = 100000;
  EXPECT_THROW(AnonymousFile::open(handle), CapabilityError);
}

TEST(AnonymousFile, what_cannot_be_had_is_an_error_with_the_number_of_bytes) {
  EXPECT_THROW(AnonymousFile(0), InvalidArgument);
  try {
    AnonymousFile(std::size_t{1} << 62);
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("4611686018427387904 bytes"), std::string::npos) << error.what();
  }
}

TEST(AnonymousFile, moving_leaves_nothing_behind) {
  AnonymousFile a(4096);
  std::byte* at = a.data();
  AnonymousFile b(std::move(a));
  EXPECT_EQ(b.data(), at);
  a = std::move(b);
  EXPECT_EQ(a.data(), at);
}

}  // namespace
}  // namespace halocline
