// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// A completion token that blocks a fiber of Boost.Fiber. Needs that library and the headers of
/// Boost.Asio 1.81 or newer.

#include <boost/asio/async_result.hpp>
#include <boost/fiber/future.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace millrace {

/// The operation's call returns when the operation is over; meanwhile the other fibers of the
/// thread go on, in a run the other host threads. Throws boost::system::system_error with the code,
/// or boost::fibers::broken_promise when the operation is given up, as at the end of a run.
struct UseFiber {};
inline constexpr UseFiber use_fiber;

}  // namespace millrace

template <>
class boost::asio::async_result<millrace::UseFiber, void(boost::system::error_code)> {
 public:
  template <typename Initiation, typename... Args>
  static void initiate(Initiation&& initiation, const millrace::UseFiber&, Args&&... args) {
    boost::fibers::promise<boost::system::error_code> promise;
    boost::fibers::future<boost::system::error_code> future = promise.get_future();
    std::forward<Initiation>(initiation)(
        [promise = std::move(promise)](boost::system::error_code code) mutable {
          promise.set_value(code);
        },
        std::forward<Args>(args)...);
    if (const boost::system::error_code code = future.get()) {
      throw boost::system::system_error(code);
    }
  }
};
