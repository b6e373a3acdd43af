// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <millrace/millrace.hpp>
#include <millrace/sim.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <vector>

namespace millrace::test {

using ErrorCode = boost::system::error_code;

/// A handler of `context` that notes what it is told, and when.
struct Noted {
  std::vector<ErrorCode> codes;
  std::vector<Time> times;

  auto handler(boost::asio::io_context& context) {
    return boost::asio::bind_executor(context, [this](ErrorCode code) {
      codes.push_back(code);
      times.push_back(sim::now());
    });
  }
};

/// Waits for a flag that nobody sets: the stream never goes on.
inline void block(const Stream& stream) {
  const Handle flag = stream.backend().create_flag("go", {"flag", {}});
  stream.backend().await_flag(stream.handle(), flag, FlagCondition::equal, 1, {"await", {}});
}

}  // namespace millrace::test
