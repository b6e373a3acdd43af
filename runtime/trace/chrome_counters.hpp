// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_writer.hpp"

#include <millrace/trace.hpp>

namespace millrace::chrome {

/// A counter track for each resource, beside its device's streams: how much of it is held.
void write_counters(const Trace& trace, json::Writer& out);

}  // namespace millrace::chrome
