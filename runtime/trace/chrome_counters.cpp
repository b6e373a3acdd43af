// SPDX-License-Identifier: Apache-2.0
#include "chrome_counters.hpp"

#include <millrace/resource_levels.hpp>

#include <string_view>

namespace millrace::chrome {
namespace {

std::string_view unit_of(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::copy_engine:
      return "copies";
    case ResourceKind::hardware_queue:
      return "operations";
    case ResourceKind::multiprocessors:
      return "warps";
  }
  return "amount";
}

}  // namespace

void write_counters(const Trace& trace, json::Writer& out) {
  const auto levels = resource_levels(trace);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const TraceResource& resource = trace.resources[i];
    for (const ResourceLevel& level : levels[i]) {
      out.new_line();
      out.begin_object();
      out.field("ph", "C");
      out.field("pid", resource.device + 2);  // 1 is the host
      out.microseconds("ts", level.at_ns);
      out.field("name", trace.string(resource.name));
      out.key("args");
      out.begin_object();
      out.field(unit_of(resource.kind), level.amount);
      out.end_object();
      out.end_object();
    }
  }
}

}  // namespace millrace::chrome
