// SPDX-License-Identifier: Apache-2.0
#include "event_state.hpp"
#include "host_thread.hpp"
#include "stream_state.hpp"

#include <millrace/graph.hpp>
#include <millrace/mention.hpp>

#include <array>
#include <string>
#include <utility>

namespace millrace {

std::string_view to_string(NodeKind kind) {
  static constexpr std::array<std::string_view, 12> words{
      "kernel",   "copy", "fill",     "host function", "record", "wait",
      "allocate", "free", "set flag", "await flag",    "empty",  "child graph"};
  const auto index = static_cast<std::size_t>(kind);
  return index < words.size() ? words[index] : "unknown";
}

// Graph.

struct Graph::State {
  State(const Device& device_, Handle handle_, Name name_, SourceLocation made_)
      : device(device_), handle(handle_), name(name_), made(made_) {}
  ~State() {
    destroy_quietly(
        [this] { device.backend().destroy_graph(handle, destructor_site("~Graph", made)); });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  Handle handle;
  Name name;
  SourceLocation made;
};

Graph::Graph(SourceLocation where) : Graph(GraphOptions{}, where) {}

Graph::Graph(const GraphOptions& options, SourceLocation where) {
  const CallSite site = enter("Graph", where);
  const Device device = options.device ? *options.device : current_device(where);
  const Handle handle = device.backend().create_graph(device.index(), options.name, site);
  state_ = std::make_shared<const State>(device, handle, options.name, where);
}

NodeId Graph::add(NodeWork work, GraphNodes after, const CallSite& site) {
  return state_->device.backend().add_node(state_->handle, after.all(), std::move(work), site).id;
}

NodeId Graph::add_kernel(Name name, const LaunchOptions& options, Task body, GraphNodes after,
                         SourceLocation where) {
  return add(KernelNode{name, options, std::move(body)}, after, enter("Graph::add_kernel", where));
}

NodeId Graph::add_call(Name name, const CallOptions& options, Task function, GraphNodes after,
                       SourceLocation where) {
  return add(CallNode{name, options, std::move(function)}, after, enter("Graph::add_call", where));
}

NodeId Graph::add_copy(const Access& to, const Access& from, const TransferOptions& options,
                       GraphNodes after, SourceLocation where) {
  return add(CopyNode{to, from, options}, after, enter("Graph::add_copy", where));
}

NodeId Graph::add_fill(const Access& region, std::uint8_t value, const TransferOptions& options,
                       GraphNodes after, SourceLocation where) {
  return add(FillNode{region, value, options}, after, enter("Graph::add_fill", where));
}

NodeId Graph::add_record(const Event& event, GraphNodes after, SourceLocation where) {
  const CallSite site = enter("Graph::add_record", where);
  return add(RecordNode{event.state_->handle_for(state_->device, site)}, after, site);
}

NodeId Graph::add_wait(const Event& event, GraphNodes after, SourceLocation where) {
  const CallSite site = enter("Graph::add_wait", where);
  return add(WaitNode{event.state_->handle_for(state_->device, site)}, after, site);
}

NodeId Graph::add_set_flag(const Flag& flag, std::uint32_t value, GraphNodes after,
                           SourceLocation where) {
  const CallSite site = enter("Graph::add_set_flag", where);
  return add(SetFlagNode{flag.handle_for(state_->device, site), value}, after, site);
}

NodeId Graph::add_await_flag(const Flag& flag, FlagCondition condition, std::uint32_t value,
                             GraphNodes after, SourceLocation where) {
  const CallSite site = enter("Graph::add_await_flag", where);
  return add(AwaitFlagNode{flag.handle_for(state_->device, site), condition, value}, after, site);
}

NodeId Graph::add_empty(GraphNodes after, SourceLocation where) {
  return add(EmptyNode{}, after, enter("Graph::add_empty", where));
}

NodeId Graph::add_graph(const Graph& child, GraphNodes after, SourceLocation where) {
  const CallSite site = enter("Graph::add_graph", where);
  if (child.state_->device.shared_backend() != state_->device.shared_backend()) {
    throw Error(Errc::InvalidValue, site.call,
                mention("graph", child.state_->name, child.state_->made) +
                    " is of another backend than " + mention("graph", state_->name, state_->made),
                where);
  }
  return add(ChildNode{child.handle()}, after, site);
}

GraphMemory Graph::add_allocate(std::uint64_t bytes, Name name, GraphNodes after,
                                SourceLocation where) {
  const AddedNode added = state_->device.backend().add_node(
      state_->handle, after.all(), AllocateNode{.bytes = bytes, .name = name},
      enter("Graph::add_allocate", where));
  return {added.id, Access{.memory = added.memory, .begin = 0, .end = bytes}, added.data};
}

NodeId Graph::add_free(const GraphMemory& memory, GraphNodes after, SourceLocation where) {
  return add(FreeNode{memory.all.memory}, after, enter("Graph::add_free", where));
}

void Graph::add_dependency(NodeId from, NodeId to, SourceLocation where) {
  state_->device.backend().add_dependency(state_->handle, from, to,
                                          enter("Graph::add_dependency", where));
}

GraphInfo Graph::info(SourceLocation where) const {
  return state_->device.backend().graph_info(state_->handle, enter("Graph::info", where));
}

std::size_t Graph::node_count(SourceLocation where) const { return info(where).nodes.size(); }

std::size_t Graph::edge_count(SourceLocation where) const { return info(where).edges(); }

Device Graph::device() const noexcept { return state_->device; }

Handle Graph::handle() const noexcept { return state_->handle; }

// GraphExec.

struct GraphExec::State {
  State(const Device& device_, Handle handle_, SourceLocation made_)
      : device(device_), handle(handle_), made(made_) {}
  ~State() {
    destroy_quietly([this] {
      device.backend().destroy_executable(handle, destructor_site("~GraphExec", made));
    });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  Handle handle;
  SourceLocation made;
};

GraphExec Graph::instantiate(SourceLocation where) const {
  const CallSite site = enter("Graph::instantiate", where);
  const Handle handle = state_->device.backend().instantiate_graph(state_->handle, site);
  return GraphExec(std::make_shared<const GraphExec::State>(state_->device, handle, where));
}

void GraphExec::launch(const Stream& stream, SourceLocation where) const {
  const CallSite site = enter("GraphExec::launch", where);
  if (stream.device().shared_backend() != state_->device.shared_backend()) {
    throw Error(Errc::InvalidResourceHandle, site.call,
                mention(stream.state()) + " is of another backend than the graph", where);
  }
  stream.backend().launch_graph(stream.handle(), state_->handle, site);
}

void GraphExec::launch(SourceLocation where) const {
  launch(current_stream(state_->device), where);
}

void GraphExec::update(const Graph& graph, SourceLocation where) {
  state_->device.backend().update_graph(state_->handle, graph.handle(),
                                        enter("GraphExec::update", where));
}

Handle GraphExec::handle() const noexcept { return state_->handle; }

// Capture.

GraphCapture::GraphCapture(const Stream& stream, CaptureMode mode, SourceLocation where)
    : stream_(stream), where_(where) {
  stream.backend().begin_capture(stream.handle(), mode, enter("GraphCapture", where));
}

GraphCapture::GraphCapture(const Stream& stream, const Graph& into, GraphNodes after,
                           CaptureMode mode, SourceLocation where)
    : stream_(stream), into_(into), where_(where) {
  stream.backend().begin_capture_to_graph(stream.handle(), into.handle(), after.all(), mode,
                                          enter("GraphCapture", where));
}

GraphCapture::~GraphCapture() {
  if (!open_) return;
  destroy_quietly([this] {
    Backend& backend = stream_.backend();
    const CallSite site = destructor_site("~GraphCapture", where_);
    const Handle graph = backend.end_capture(stream_.handle(), {}, site);
    if (!into_) backend.destroy_graph(graph, site);
  });
}

Graph GraphCapture::end(Name name, SourceLocation where) {
  const CallSite site = enter("GraphCapture::end", where);
  open_ = false;
  const Handle graph = stream_.backend().end_capture(stream_.handle(), name, site);
  if (into_) return *into_;
  return Graph(std::make_shared<const Graph::State>(stream_.device(), graph, name, where));
}

CaptureModeGuard::CaptureModeGuard(CaptureMode mode, SourceLocation where)
    : CaptureModeGuard(mode, current_device(where), where) {}

CaptureModeGuard::CaptureModeGuard(CaptureMode mode, const Device& device, SourceLocation where)
    : device_(device),
      former_(device.backend().exchange_capture_mode(mode, enter("CaptureModeGuard", where))),
      where_(where) {}

CaptureModeGuard::~CaptureModeGuard() {
  destroy_quietly([this] {
    device_.backend().exchange_capture_mode(former_, CallSite{"~CaptureModeGuard", where_});
  });
}

}  // namespace millrace
