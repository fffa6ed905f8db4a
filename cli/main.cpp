// SPDX-License-Identifier: BSD-3-Clause
#include <exception>

#include "program.hpp"

int main(int argc, char** argv) {
  try {
    return cli::run_program(argc, argv);
  } catch (...) {
    return cli::report(std::current_exception());
  }
}
