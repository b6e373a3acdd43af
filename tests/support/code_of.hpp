// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/error.hpp>

namespace millrace::test {

/// The code of the Error that `body` throws; Success when it throws none.
template <typename Body>
Errc code_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code();
  }
  return Errc::Success;
}

}  // namespace millrace::test
