// SPDX-License-Identifier: Apache-2.0
#include "shared_rate.hpp"

#include <algorithm>

namespace millrace::sim {
namespace {

constexpr std::int64_t unit = 65'536;
constexpr std::int64_t longest = std::int64_t{1} << 46U;  // ns: 19 hours, so that nothing overflows

}  // namespace

void SharedRate::account(Time now) {
  const std::int64_t passed = std::min(now.ns - accounted_.ns, longest);
  accounted_ = now;
  if (passed <= 0) return;
  // passed * unit * 1000 / slowdown, without overflow: first what is whole.
  const std::int64_t done =
      passed / slowdown_ * unit * 1000 + passed % slowdown_ * unit * 1000 / slowdown_;
  for (Transfer& transfer : transfers_) {
    transfer.left = std::max<std::int64_t>(transfer.left - done, 0);
  }
}

/// The first nanosecond by which nothing is left.
Time SharedRate::end_of(const Transfer& transfer) const {
  const std::int64_t per = unit * 1000;
  const std::int64_t whole = transfer.left / per * slowdown_;
  const std::int64_t rest = (transfer.left % per * slowdown_ + per - 1) / per;
  return Time{accounted_.ns + whole + rest};
}

void SharedRate::join(std::uint32_t slot, Duration work, Time now) {
  account(now);
  transfers_.push_back({slot, std::min(work.ns, longest) * unit});
  changed_ = true;
}

void SharedRate::leave(std::uint32_t slot, Time now) {
  account(now);
  std::erase_if(transfers_, [&](const Transfer& transfer) { return transfer.slot == slot; });
  changed_ = true;
}

void SharedRate::change_slowdown(std::int64_t slowdown, Time now) {
  account(now);
  slowdown_ = slowdown;
  changed_ = true;
}

}  // namespace millrace::sim
