// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <millrace/sim.hpp>

#include <mutex>
#include <string>
#include <utility>

namespace millrace::contract {
namespace {

class SimLatch final : public Latch {
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
  bool is_open() override { return is_open_; }  // host threads of a run take turns

 private:
  sim::mutex mutex_;
  sim::condition_variable opened_;
  bool is_open_ = false;
};

class SimWorld final : public World {
 public:
  SimWorld(std::string name, std::string profile, bool is_measured)
      : name_(std::move(name)), profile_(std::move(profile)), is_measured_(is_measured) {}

  std::string_view name() const override { return name_; }
  std::string_view type() const override { return "sim"; }
  int device_count() const override { return 64; }
  bool is_measured() const override { return is_measured_; }
  std::vector<Finding> run(int devices, const std::function<void()>& body) override {
    sim::Options options;
    options.profile = profile_;
    options.devices = devices;
    return sim::run(options, body).findings;
  }
  void pause(Duration duration) override { sim::sleep_for(duration); }
  Time now() override { return sim::now(); }
  std::function<void()> start(std::function<void()> body) override {
    const auto thread = std::make_shared<sim::thread>(std::move(body));
    return [thread] { thread->join(); };
  }
  std::shared_ptr<Latch> make_latch() override { return std::make_shared<SimLatch>(); }

 private:
  std::string name_;
  std::string profile_;
  bool is_measured_;
};

}  // namespace

World* ideal_world() {
  static SimWorld world("sim", "ideal", false);
  return &world;
}

World* h200_world() {
  static SimWorld world("sim as an H200", "h200", true);
  return &world;
}

}  // namespace millrace::contract
