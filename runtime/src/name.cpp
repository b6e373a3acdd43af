// SPDX-License-Identifier: Apache-2.0
#include <millrace/name.hpp>

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace millrace {
namespace {

/// All names of the process. Never destroyed, so that names are valid in every destructor.
class Table {
 public:
  std::uint32_t intern(std::string_view text) {
    {
      std::shared_lock lock(mutex_);
      if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    }
    std::unique_lock lock(mutex_);
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    ids_.emplace(texts_.back(), id);
    return id;
  }

  std::string_view text(std::uint32_t id) {
    std::shared_lock lock(mutex_);
    return texts_[id];
  }

 private:
  std::shared_mutex mutex_;
  std::deque<std::string> texts_{""};  // a deque keeps addresses when it grows
  std::unordered_map<std::string_view, std::uint32_t> ids_{{"", 0}};
};

Table& table() {
  static Table* const instance = new Table;
  return *instance;
}

}  // namespace

Name::Name(std::string_view text) : id_(text.empty() ? 0 : table().intern(text)) {}

std::string_view Name::text() const { return id_ == 0 ? std::string_view("") : table().text(id_); }

}  // namespace millrace
