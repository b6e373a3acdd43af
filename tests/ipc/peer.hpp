// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Another process that uses an event: it does what it is told, a line at a time.

#include <millrace/event.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <string>
#include <string_view>

namespace millrace::test {

/// A handle as text, and back.
std::string hex(const IpcEventHandle& handle);
IpcEventHandle handle_of(std::string_view hex);

/// Lines go over a local socket of Boost.Asio. What takes longer than a minute fails the test.
class Peer {
 public:
  /// `world`: "threads" for the process's own machine, "run" for sim::run.
  explicit Peer(const std::string& world = "threads");
  /// Kills it if it is still there.
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// What it can do stands in peer_program.cpp.
  void tell(const std::string& line);
  std::string answer();
  std::string ask(const std::string& line) {
    tell(line);
    return answer();
  }
  void kill();
  /// Lets it return from main.
  void leave();

  [[nodiscard]] int process() const { return process_; }

 private:
  boost::asio::io_context context_;
  boost::asio::local::stream_protocol::socket socket_{context_};
  std::string unread_;
  int process_ = -1;
};

}  // namespace millrace::test
