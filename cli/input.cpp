// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace millrace::cli {
namespace {

constexpr std::size_t largest_script = std::size_t{64} << 20;

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(const std::string& path)
      : number_(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw InputError(shown_name(path) + ": " + why);
}

std::string error_text() { return std::generic_category().message(errno); }

std::string read_up_to(const File& file, std::size_t most, const std::string& path) {
  std::string text;
  std::array<char, 65536> piece{};
  while (text.size() <= most) {
    const ssize_t n = ::read(file.number(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be read: " + error_text());
    if (n == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

std::string read_script(const std::string& path) {
  const File file(path);
  if (file.number() < 0) fail(path, "cannot be opened: " + error_text());
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode)) {
    fail(path, "is a directory, not a script");
  }
  std::string text = read_up_to(file, largest_script, path);
  const std::string_view beginning = std::string_view(text).substr(0, 4096);
  if (beginning.find('\0') != std::string_view::npos) {
    const bool is_trace = ending_of(path) == ".mtrace";
    fail(path, is_trace ? "is a trace, not a script: `millrace info` reads traces"
                        : "is a binary file, not a script");
  }
  if (text.size() > largest_script) fail(path, "is larger than 64 MiB: not a script");
  return text;
}

std::vector<std::string> expand_directories(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator i(path, error); !error && i != fs::directory_iterator();
         i.increment(error)) {
      if (i->path().extension() == ".mill") inside.push_back(i->path().string());
    }
    if (error) fail(path, "cannot be read: " + error.message());
    if (inside.empty()) fail(path, "is a directory without a .mill script");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace millrace::cli
