// SPDX-License-Identifier: Apache-2.0
//
// The other process of tests with events between processes. Reads commands, a line each, and
// answers each with a line: a value, or the name of the error.
#include "peer.hpp"

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

using namespace millrace;

namespace {

class Program {
 public:
  std::string obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    const auto found = commands().find(command);
    if (found == commands().end()) return "unknown command";
    try {
      return (this->*found->second)(words);
    } catch (const Error& error) {
      return std::string(to_string(error.code()));
    }
  }

 private:
  using Command = std::string (Program::*)(std::istream&);
  static const std::map<std::string, Command, std::less<>>& commands() {
    static const std::map<std::string, Command, std::less<>> all{
        {"make", &Program::make},       {"open", &Program::open},
        {"query", &Program::query},     {"synchronize", &Program::synchronize},
        {"record", &Program::record},   {"hold", &Program::hold},
        {"release", &Program::release}, {"sleep", &Program::sleep},
        {"destroy", &Program::destroy}, {"reset", &Program::reset},
        {"handle", &Program::handle}};
    return all;
  }

  /// A new event; its handle.
  std::string make(std::istream& words) {
    event_.emplace(EventOptions{.device = device_, .interprocess = true});
    return handle(words);
  }
  std::string handle(std::istream&) { return test::hex(event_->ipc_handle()); }
  std::string open(std::istream& words) {
    std::string hex;
    words >> hex;
    event_ = Event::from_ipc_handle(device_, test::handle_of(hex));
    return "Success";
  }
  std::string query(std::istream&) { return event_->query() ? "Success" : "NotReady"; }
  /// Its own virtual time afterwards.
  std::string synchronize(std::istream&) {
    event_->synchronize();
    return std::to_string(sim::now().ns);
  }
  /// record MICROSECONDS: behind so much work.
  std::string record(std::istream& words) {
    std::int64_t microseconds = 0;
    words >> microseconds;
    if (microseconds > 0) stream_.launch("work", {.cost = Duration{microseconds * 1000}});
    event_->record(stream_);
    return "Success";
  }
  /// Holds the stream until `release`; not in a run.
  std::string hold(std::istream&) {
    gate_.emplace();
    stream_.call("hold", [open = gate_->get_future().share()] { open.wait(); });
    return "Success";
  }
  std::string release(std::istream&) {
    gate_->set_value();
    return "Success";
  }
  std::string sleep(std::istream& words) {
    std::int64_t microseconds = 0;
    words >> microseconds;
    sim::sleep_for(Duration{microseconds * 1000});
    return "Success";
  }
  std::string destroy(std::istream&) {
    event_.reset();
    return "Success";
  }
  std::string reset(std::istream&) {
    device_.reset();
    return "Success";
  }

  Device device_{"sim:0"};
  Stream stream_{device_};
  std::optional<Event> event_;
  std::optional<std::promise<void>> gate_;
};

void serve() {
  Program program;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << program.obey(line) << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "run") {
    sim::run({.watchdog = {}}, serve);
  } else {
    serve();
  }
  std::quick_exit(0);  // a stream that is still held stays so
}
