// SPDX-License-Identifier: BSD-3-Clause
#include "device/detail/failure.hpp"

#include <utility>

namespace halocline::device {

FailurePtr make_failure(ErrorKind kind, std::string message) {
  return std::make_shared<const Failure>(Failure{kind, std::move(message)});
}

FailurePtr make_disagreement(std::string message, const Tokens& tokens) {
  return std::make_shared<const Failure>(Failure{ErrorKind::protocol, std::move(message), tokens});
}

FailurePtr failure_of(const std::exception_ptr& error, const std::string& where) {
  try {
    std::rethrow_exception(error);
  } catch (const Disagreement& e) {
    return make_disagreement(e.what(), e.tokens());
  } catch (const Error& e) {
    return make_failure(e.kind(), e.what());
  } catch (const std::exception& e) {
    return make_failure(ErrorKind::device, where + " threw: " + e.what());
  } catch (...) {
    return make_failure(ErrorKind::device, where + " threw something that is not a std::exception");
  }
}

void raise(const Failure& failure) {
  if (failure.tokens) throw Disagreement(failure.message, *failure.tokens);
  throw_error(failure.kind, failure.message);
}

}  // namespace halocline::device
