// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "halocline/error.hpp"
#include "halocline/routing.hpp"
#include "routing/choose.hpp"
#include "routing/detail/possible.hpp"
#include "routing/messages.hpp"
#include "support/error_of.hpp"

namespace halocline::routing {
namespace {

using testing::HasSubstr;
using enum Transport;

TEST(Transport, NamesComeBack) {
  std::set<std::string_view> names;
  for (const Transport transport : all_transports) {
    EXPECT_EQ(transport_from_string(to_string(transport)), transport);
    names.insert(to_string(transport));
  }
  EXPECT_EQ(names.size(), all_transports.size());
}

TEST(Transport, UnknownNamesAreRefusedWithTheList) {
  try {
    static_cast<void>(transport_from_string("telepathy"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'telepathy'"));
    for (const Transport transport : all_transports)
      EXPECT_THAT(error.what(), HasSubstr(std::string(to_string(transport))));
  }
}

TEST(Policy, AllowsEverythingByDefault) {
  const Policy policy;
  EXPECT_EQ(policy.order, std::vector(all_transports.begin(), all_transports.end() - 2))
      << "net and nccl on request only";
  EXPECT_NO_THROW(policy.check());
}

TEST(Policy, AListGivesTheOrderAndKeepsSelf) {
  EXPECT_EQ(Policy::parse("mpi_staged,direct").order, (std::vector{self, mpi_staged, direct}));
  EXPECT_EQ(Policy::parse(" mpi_staged , self ").order, (std::vector{mpi_staged, self}));
  EXPECT_EQ(Policy::parse("self").order, std::vector{self});
}

TEST(Policy, AMinusForbids) {
  EXPECT_EQ(Policy::parse("-direct,-peer_copy").order, (std::vector{self, ipc_copy, mpi_device, mpi_staged}));
  EXPECT_EQ(Policy::parse("-self").order, (std::vector{direct, peer_copy, ipc_copy, mpi_device, mpi_staged}));
}

TEST(Policy, TextComesBack) {
  for (const char* text : {"direct", "-direct", "mpi_staged,self,direct", "-mpi_staged,-ipc_copy"}) {
    const Policy policy = Policy::parse(text);
    if (policy.order.front() == self || std::count(policy.order.begin(), policy.order.end(), self) != 0) {
      EXPECT_EQ(Policy::parse(policy.text()), policy);
    }
  }
  EXPECT_EQ(Policy::parse("direct,mpi_staged").text(), "self,direct,mpi_staged");
}

TEST(Policy, RefusesWhatItCannotRead) {
  struct Case {
    const char* text;
    const char* why;
  };
  for (const auto& [text, why] :
       {Case{"", "'' is no transport"}, Case{"direct,", "'' is no transport"},
        Case{"Direct", "'Direct' is no transport"}, Case{"-", "'' is no transport"},
        Case{"--self", "'-self' is no transport"}, Case{"direct,direct", "'direct' is listed twice"},
        Case{"-self,-self", "'self' is listed twice"}, Case{"direct,-self", "some are allowed and some are forbidden"},
        Case{"-self,-direct,-peer_copy,-ipc_copy,-mpi_device,-mpi_staged", "nothing is left"}}) {
    try {
      static_cast<void>(Policy::parse(text));
      ADD_FAILURE() << "not refused: " << text;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("transports are '" + std::string(text) + "': " + why));
    }
  }
}

TEST(Policy, CheckRefusesWhatParseWouldNotMake) {
  Policy policy;
  policy.order.clear();
  EXPECT_THROW(policy.check(), InvalidArgument);
  policy.order = {direct, direct};
  EXPECT_THROW(policy.check(), InvalidArgument);
  policy.order = {direct};
  policy.exceptions = {{subdomain_id(0), subdomain_id(1), ipc_copy}, {subdomain_id(1), subdomain_id(0), direct}};
  EXPECT_NO_THROW(policy.check());
  policy.exceptions.push_back({subdomain_id(0), subdomain_id(1), direct});
  EXPECT_THROW(policy.check(), InvalidArgument);
}

TEST(NetEngine, NamesComeBackAndOthersAreRefusedWithTheList) {
  for (const NetEngine engine : {NetEngine::automatic, NetEngine::mpi, NetEngine::ucx}) {
    EXPECT_EQ(net_engine_from_string(to_string(engine)), engine);
  }
  EXPECT_EQ(test::error_of<InvalidArgument>([] { return net_engine_from_string("tcp"); }),
            "net engine is 'tcp'; allowed are auto, mpi, ucx");
}

TEST(Routing, ValuesWithoutANameAreAnErrorThatNamesTheirType) {
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<Transport>(99)); }),
            "a Transport without a name");
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<NetEngine>(99)); }),
            "a NetEngine without a name");
  EXPECT_EQ(test::error_of<InternalError>([] { return to_string(static_cast<Messages>(99)); }),
            "Messages without a name");
}

TEST(Routing, ATransportWithoutARuleIsNeitherPossibleNorImpossible) {
  const auto unknown = static_cast<Transport>(99);
  EXPECT_EQ(test::error_of<InternalError>([=] { return possible(unknown, {}).why_not; }), "a Transport without a rule");
  EXPECT_EQ(test::error_of<InternalError>([=] { return why_possible(unknown, {}); }), "a Transport without a reason");
}

/// A pair may go by a transport that the others may not.
TEST(Policy, MayUseWhatIsListedOrAnException) {
  Policy policy = Policy::parse("direct,mpi_staged");
  EXPECT_TRUE(may_use(policy, mpi_staged));
  EXPECT_FALSE(may_use(policy, nccl));
  policy.exceptions = {{subdomain_id(0), subdomain_id(1), nccl}};
  EXPECT_TRUE(may_use(policy, nccl));
  EXPECT_FALSE(may_use(policy, net));
}

}  // namespace
}  // namespace halocline::routing
