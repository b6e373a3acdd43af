// SPDX-License-Identifier: Apache-2.0
#include <millrace/testing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <vector>

namespace millrace::expect {
namespace {

namespace fs = std::filesystem;

/// The golden files that this process has changed. Safe from any thread.
class Updates {
 public:
  static Updates& of_process() {
    static Updates updates;
    return updates;
  }
  void add(const fs::path& file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
  }
  std::vector<fs::path> files() {
    const std::lock_guard lock(mutex_);
    return files_;
  }

 private:
  std::mutex mutex_;
  std::vector<fs::path> files_;
};

bool updates_golden_files() {
  const char* const value = std::getenv("MILLRACE_UPDATE_GOLDEN");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What is wrong, where it cannot be written.
std::string update(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return "the golden file " + file.string() + " cannot be written";
  Updates::of_process().add(file);
  return "";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string signed_lines(std::string_view sign, const std::vector<std::string_view>& lines,
                         std::size_t begin, std::size_t end) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = begin; i < std::min(end, begin + most); ++i) {
    text.append(sign).append(lines[i]).append("\n");
  }
  if (end > begin + most) {
    text.append(sign).append("… and ").append(std::to_string(end - begin - most));
    text += " more lines\n";
  }
  return text;
}

/// Everything from the first to the last line that differs.
std::string difference(std::string_view kept, std::string_view given) {
  const std::vector<std::string_view> old_lines = lines_of(kept);
  const std::vector<std::string_view> new_lines = lines_of(given);
  const auto [old_first, new_first] =
      std::mismatch(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end());
  const auto begin = static_cast<std::size_t>(old_first - old_lines.begin());
  std::size_t old_end = old_lines.size();
  std::size_t new_end = new_lines.size();
  while (old_end > begin && new_end > begin && old_lines[old_end - 1] == new_lines[new_end - 1]) {
    --old_end;
    --new_end;
  }
  return " from line " + std::to_string(begin + 1) + " on (- golden, + this run)\n" +
         signed_lines("- ", old_lines, begin, old_end) +
         signed_lines("+ ", new_lines, begin, new_end);
}

std::string compare(const fs::path& file, const std::string& text) {
  std::optional<std::string> kept = text_of(file);
  if (kept == text) return "";
  if (updates_golden_files()) return update(file, text);
  const std::string found = kept ? "it differs from " + file.string() + difference(*kept, text)
                                 : "there is no file " + file.string() + "\n";
  return found + "update: MILLRACE_UPDATE_GOLDEN=1 and this test make the file what this run gave";
}

}  // namespace

Expectation matches_golden(fs::path file) {
  std::string text = "matches " + file.string();
  return {std::move(text), [file = std::move(file)](const Expectation::Run& run) {
            return compare(file, golden_text(run.trace, run.findings));
          }};
}

std::vector<fs::path> updated_golden_files() { return Updates::of_process().files(); }

}  // namespace millrace::expect
