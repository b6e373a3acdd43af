// SPDX-License-Identifier: Apache-2.0
#include <millrace/error.hpp>
#include <millrace/host.hpp>

#include <array>

namespace millrace {
namespace {

struct Entry {
  std::string_view name;
  Errc code;
};
constexpr std::array entries{
#define MILLRACE_X(name, number) Entry{#name, Errc::name},
    MILLRACE_ERROR_CODES(MILLRACE_X)
#undef MILLRACE_X
};

std::string message(Errc code, std::string_view call, std::string_view reason,
                    SourceLocation where) {
  std::string text(call);
  text.append(": ").append(to_string(code)).append(": ").append(reason);
  if (where.line != 0) {
    text.append(" (").append(where.file).append(":").append(std::to_string(where.line)).append(")");
  }
  return text;
}

}  // namespace

std::string_view to_string(Errc code) {
  for (const Entry& entry : entries) {
    if (entry.code == code) return entry.name;
  }
  return "unrecognized error code";
}

std::optional<Errc> errc_from_name(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.code;
  }
  return std::nullopt;
}

Error::Error(Errc code, std::string_view call, std::string_view reason, SourceLocation where)
    : std::runtime_error(message(code, call, reason, where)),
      code_(code),
      call_(call),
      where_(where) {
  if (code != Errc::NotReady) set_last_error(code);
}

}  // namespace millrace
