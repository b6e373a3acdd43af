// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include "host_thread.hpp"

#include <mutex>
#include <vector>

namespace millrace {
namespace {

using Factory = std::shared_ptr<Backend> (*)();

/// Never destroyed, and with it no backend that it made: destructors of static objects may still
/// release streams, and a vendor's library may be gone before ours.
class Registry {
 public:
  void add(std::string_view type, Factory factory) {
    const std::lock_guard lock(mutex_);
    if (find(type) == nullptr) types_.push_back(Type{std::string(type), factory, nullptr});
  }

  std::shared_ptr<Backend> backend(std::string_view type) {
    const std::lock_guard lock(mutex_);
    Type* const found = find(type);
    if (found == nullptr) return nullptr;
    if (found->backend == nullptr) found->backend = found->factory();
    return found->backend;
  }

  std::vector<std::string> names() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const Type& type : types_) names.push_back(type.name);
    return names;
  }

 private:
  struct Type {
    std::string name;
    Factory factory;
    std::shared_ptr<Backend> backend;
  };

  Type* find(std::string_view name) {
    for (Type& type : types_) {
      if (type.name == name) return &type;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<Type> types_;
};

Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

bool overrides(const HostThread& thread, std::string_view type) {
  return thread.backend != nullptr && thread.type == type;
}

std::vector<std::string> known_types() {
  std::vector<std::string> names = registry().names();
  const HostThread& thread = host_thread();
  for (const std::string& name : names) {
    if (overrides(thread, name)) return names;
  }
  if (thread.backend != nullptr) names.push_back(thread.type);
  return names;
}

}  // namespace

void register_backend(std::string_view type, std::shared_ptr<Backend> (*factory)()) {
  registry().add(type, factory);
}

std::shared_ptr<Backend> find_backend(std::string_view type) {
  const HostThread& thread = host_thread();
  return overrides(thread, type) ? thread.backend : registry().backend(type);
}

std::string no_backend_text(std::string_view type) {
  std::string text = "no backend of type '" + std::string(type) + "' is linked, ";
  const std::vector<std::string> names = known_types();
  if (names.empty()) return text + "nor any other";
  std::string_view separator = "only ";
  for (const std::string& name : names) {
    text.append(separator).append(name);
    separator = ", ";
  }
  return text;
}

std::shared_ptr<Backend> backend_for(std::string_view type, const CallSite& site) {
  if (std::shared_ptr<Backend> backend = find_backend(type)) return backend;
  throw Error(Errc::InvalidDevice, site.call, no_backend_text(type), site.where);
}

}  // namespace millrace
