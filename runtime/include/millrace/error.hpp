// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Errors: CUDA's codes, and an exception that says what was called, on what, what is wrong, where.

#include <millrace/error_codes.hpp>
#include <millrace/source_location.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace {

/// CUDA's error codes by CUDA's names and numbers.
enum class Errc : int {
#define MILLRACE_X(name, number) name = (number),
  MILLRACE_ERROR_CODES(MILLRACE_X)
#undef MILLRACE_X
};

/// The name without `cudaError`, e.g. "NotReady"; "unrecognized error code" for others.
std::string_view to_string(Errc code);
/// The code of such a name, if there is one.
std::optional<Errc> errc_from_name(std::string_view name);

/// What every failing call throws. `what()` reads
/// `CALL on THING: CODE: reason (file:line)`; a NotReady answer is never an Error but a `bool`,
/// except from `elapsed_time`.
class Error : public std::runtime_error {
 public:
  /// @param call   the public name of what was called, e.g. "Event::elapsed_time"
  /// @param reason the object and why it is wrong, in one sentence without a final full stop
  Error(Errc code, std::string_view call, std::string_view reason, SourceLocation where);

  [[nodiscard]] Errc code() const noexcept { return code_; }
  [[nodiscard]] const std::string& call() const noexcept { return call_; }
  /// Where the failing call stands in the user's program.
  [[nodiscard]] SourceLocation where() const noexcept { return where_; }

 private:
  Errc code_;
  std::string call_;
  SourceLocation where_;
};

/// The last error of this host thread, as cudaGetLastError: reading clears it; success of another
/// call does not, and NotReady never becomes it.
Errc last_error() noexcept;
/// The same without clearing.
Errc peek_last_error() noexcept;

}  // namespace millrace
