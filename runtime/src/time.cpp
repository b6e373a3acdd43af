// SPDX-License-Identifier: Apache-2.0
#include <millrace/time.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace millrace {
namespace {

struct Unit {
  std::uint64_t ns;
  std::string_view name;
};
constexpr std::array units{Unit{1'000'000'000, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "us"}};

/// The digits of `rest / unit` behind the point, without trailing zeros.
std::string fraction(std::uint64_t rest, std::uint64_t unit) {
  std::string digits;
  for (std::uint64_t digit = unit / 10; rest != 0; digit /= 10) {
    digits += static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return digits.empty() ? digits : "." + digits;
}

}  // namespace

std::string to_string(Duration duration) {
  const bool negative = duration.ns < 0;
  const std::uint64_t ns = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(duration.ns)
                                    : static_cast<std::uint64_t>(duration.ns);
  const std::string sign = negative ? "-" : "";
  for (const Unit& unit : units) {
    if (ns >= unit.ns) {
      return sign + std::to_string(ns / unit.ns) + fraction(ns % unit.ns, unit.ns) +
             std::string(unit.name);
    }
  }
  return sign + std::to_string(ns) + "ns";
}

std::string to_string(Time time) { return to_string(Duration{time.ns}); }

}  // namespace millrace
