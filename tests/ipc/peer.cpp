// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <stdexcept>

namespace millrace::test {

std::string hex(const IpcEventHandle& handle) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : handle) {
    text += digits[std::to_integer<unsigned>(byte) / 16];
    text += digits[std::to_integer<unsigned>(byte) % 16];
  }
  return text;
}

IpcEventHandle handle_of(std::string_view hex) {
  IpcEventHandle handle{};
  if (hex.size() != 2 * handle.size()) throw std::runtime_error("no handle: " + std::string(hex));
  for (std::size_t i = 0; i < handle.size(); ++i) {
    unsigned value = 0;
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value, 16);
    handle[i] = static_cast<std::byte>(value);
  }
  return handle;
}

Peer::Peer(const std::string& world) {
  boost::asio::local::stream_protocol::socket theirs(context_);
  boost::asio::local::connect_pair(socket_, theirs);
  const int end = theirs.native_handle();
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ > 0) return;
  ::dup2(end, STDIN_FILENO);
  ::dup2(end, STDOUT_FILENO);
  ::execl(MILLRACE_IPC_PEER, MILLRACE_IPC_PEER, world.c_str(), nullptr);
  ::_exit(127);
}

Peer::~Peer() { kill(); }

void Peer::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void Peer::leave() {
  socket_.shutdown(socket_.shutdown_send);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void Peer::tell(const std::string& line) {
  boost::asio::write(socket_, boost::asio::buffer(line + "\n"));
}

std::string Peer::answer() {
  boost::system::error_code failure = boost::asio::error::timed_out;
  std::size_t length = 0;
  boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(unread_), '\n',
                                [&](boost::system::error_code code, std::size_t bytes) {
                                  failure = code;
                                  length = bytes;
                                });
  context_.restart();
  context_.run_for(std::chrono::minutes(1));
  if (failure) throw std::runtime_error("the peer does not answer: " + failure.message());
  const std::string line = unread_.substr(0, length - 1);
  unread_.erase(0, length);
  return line;
}

}  // namespace millrace::test
