// SPDX-License-Identifier: BSD-3-Clause
#include "halocline/error.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

TEST(Error, a_kind_that_travelled_is_thrown_as_its_own_type) {
  EXPECT_THROW(throw_error(ErrorKind::invalid_argument, "x"), InvalidArgument);
  EXPECT_THROW(throw_error(ErrorKind::capability, "x"), CapabilityError);
  EXPECT_THROW(throw_error(ErrorKind::resource, "x"), ResourceError);
  EXPECT_THROW(throw_error(ErrorKind::communication, "x"), CommunicationError);
  EXPECT_THROW(throw_error(ErrorKind::device, "x"), DeviceError);
  EXPECT_THROW(throw_error(ErrorKind::deadline, "x"), DeadlineError);
  EXPECT_THROW(throw_error(ErrorKind::protocol, "x"), ProtocolError);
  EXPECT_THROW(throw_error(ErrorKind::internal, "x"), InternalError);
  EXPECT_THROW(throw_error(static_cast<ErrorKind>(99), "x"), InternalError);
}

TEST(Error, kinds_have_names) {
  EXPECT_EQ(to_string(ErrorKind::invalid_argument), "invalid argument");
  EXPECT_EQ(to_string(ErrorKind::protocol), "protocol");
  EXPECT_EQ(to_string(static_cast<ErrorKind>(99)), "unknown");
}

}  // namespace
}  // namespace halocline
