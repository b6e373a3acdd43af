// SPDX-License-Identifier: Apache-2.0
// Real devices, or others outside of runs: host threads and time are the operating system's.

#include "world.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace millrace::contract {
namespace {

class OrdinaryLatch final : public Latch {
 public:
  void open() override {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void wait() override {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }
  bool is_open() override {
    const std::lock_guard lock(mutex_);
    return is_open_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

class OrdinaryWorld final : public World {
 public:
  explicit OrdinaryWorld(std::string type) : type_(std::move(type)) {}

  std::string_view name() const override { return type_; }
  std::string_view type() const override { return type_; }
  int device_count() const override { return millrace::device_count(type_); }
  bool is_measured() const override { return true; }
  /// Nobody looks for findings here.
  std::vector<Finding> run(int, const std::function<void()>& body) override {
    set_device(Device(type_ + ":0"));
    body();
    current_device().synchronize();
    static_cast<void>(last_error());  // the next one begins without
    return {};
  }
  void pause(Duration duration) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration.ns));
  }
  Time now() override {
    const auto since_start = std::chrono::steady_clock::now() - start_;
    return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()};
  }
  std::function<void()> start(std::function<void()> body) override {
    const auto thread = std::make_shared<std::thread>([type = type_, body = std::move(body)] {
      set_device(Device(type + ":0"));
      body();
    });
    return [thread] { thread->join(); };
  }
  std::shared_ptr<Latch> make_latch() override { return std::make_shared<OrdinaryLatch>(); }

 private:
  std::string type_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<World> ordinary_world(std::string_view type) {
  return std::make_unique<OrdinaryWorld>(std::string(type));
}

}  // namespace millrace::contract
