// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Everything: the runtime, and the simulator where it is linked. What needs Boost's headers is to
/// be included by itself: async_wait.hpp, system_error.hpp, sim_asio.hpp.

#include <millrace/access.hpp>
#include <millrace/check.hpp>
#include <millrace/device.hpp>
#include <millrace/error.hpp>
#include <millrace/event.hpp>
#include <millrace/flag.hpp>
#include <millrace/graph.hpp>
#include <millrace/graph_node.hpp>
#include <millrace/guard.hpp>
#include <millrace/launch.hpp>
#include <millrace/memory.hpp>
#include <millrace/memory_pool.hpp>
#include <millrace/name.hpp>
#include <millrace/pending_wait.hpp>
#include <millrace/resource_levels.hpp>
#include <millrace/script.hpp>
#include <millrace/stream.hpp>
#include <millrace/stream_pool.hpp>
#include <millrace/task.hpp>
#include <millrace/time.hpp>
#include <millrace/trace.hpp>
#include <millrace/trace_file.hpp>
#include <millrace/trace_summary.hpp>

#if __has_include(<millrace/sim.hpp>)
#include <millrace/sim.hpp>
#endif
