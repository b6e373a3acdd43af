// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "golden.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace millrace::test {
namespace {

void open_as(int number, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0) ::_exit(126);
  ::dup2(file, number);
  ::close(file);
}

void break_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) ::_exit(126);
  ::close(ends[0]);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
}

/// In the child: becomes the command.
[[noreturn]] void become(const std::vector<std::string>& arguments, const Circumstances& how,
                         const std::string& out, const std::string& error) {
  open_as(STDIN_FILENO, how.input.empty() ? "/dev/null" : how.input, O_RDONLY);
  open_as(STDERR_FILENO, error, O_WRONLY | O_CREAT | O_TRUNC);
  if (how.close_output) {
    ::close(STDOUT_FILENO);
  } else if (how.break_output) {
    break_pipe();
  } else {
    open_as(STDOUT_FILENO, how.output.empty() ? out : how.output, O_WRONLY | O_CREAT | O_TRUNC);
  }
  std::vector<std::string> texts{MILLRACE_COMMAND};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = how.environment;
  for (const char* const kept : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* const value = std::getenv(kept)) {
      environment.push_back(std::string(kept) + "=" + value);
    }
  }
  const auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> list;
    for (std::string& text : strings) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  ::execve(MILLRACE_COMMAND, pointers(texts).data(), pointers(environment).data());
  ::_exit(127);
}

}  // namespace

Outcome run_command(const std::vector<std::string>& arguments, const Circumstances& circumstances) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const std::string error = scratch.path("error");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(arguments, circumstances, out, error);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_text(out),
          file_text(error)};
}

}  // namespace millrace::test
