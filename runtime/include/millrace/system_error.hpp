// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Error codes as Boost.System's and std's: an Errc converts to boost::system::error_code, and that
/// to std::error_code. Needs Boost.System's headers.

#include <millrace/error.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/is_error_code_enum.hpp>

#include <string>
#include <type_traits>

namespace millrace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // Boost's categories are never destroyed
/// The category "millrace": its values are Errc's, its messages their names.
class ErrorCategory final : public boost::system::error_category {
 public:
  constexpr ErrorCategory() noexcept : error_category(0x6d69'6c6c'7261'6365) {}
  [[nodiscard]] const char* name() const noexcept override { return "millrace"; }
  [[nodiscard]] std::string message(int value) const override {
    return std::string(to_string(static_cast<Errc>(value)));
  }
};

#pragma GCC diagnostic pop

inline const boost::system::error_category& error_category() noexcept {
  static constexpr ErrorCategory category;
  return category;
}

inline boost::system::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

}  // namespace millrace

template <>
struct boost::system::is_error_code_enum<millrace::Errc> : std::true_type {};
