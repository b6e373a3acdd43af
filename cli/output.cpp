// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <system_error>

namespace millrace::cli {
namespace {

/// False: `errno` says why not.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool is_open(int file) { return ::fcntl(file, F_GETFD) != -1; }

}  // namespace

bool prepare_output() {
  std::signal(SIGPIPE, SIG_IGN);
  const bool has_output = is_open(STDOUT_FILENO);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (is_open(file)) continue;
    // The lowest free number, which is `file`, since the lower ones are taken by now.
    if (::open("/dev/null", file == STDIN_FILENO ? O_RDONLY : O_WRONLY) < 0) return false;
  }
  return has_output;
}

void print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  throw OutputError("cannot write to standard output: " + std::generic_category().message(errno));
}

void complain(std::string_view message) {
  std::string text = "millrace: " + std::string(message);
  if (!text.ends_with('\n')) text += '\n';
  print_message(text);
}

void print_message(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));  // where else could one say so?
}

}  // namespace millrace::cli
