// SPDX-License-Identifier: Apache-2.0
// What does a graph launch cost the host by its number of nodes, when does its first node start,
// and how far apart are nodes that follow each other?

#include "measure.cuh"

using namespace measure;

namespace {

class Executable {
 public:
  /// The graph of what `body(stream)` enqueues.
  template <typename Body>
  explicit Executable(Body body) {
    const Stream origin;
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
    body(static_cast<cudaStream_t>(origin));
    CHECK(cudaStreamEndCapture(origin, &graph));
    CHECK(cudaGraphInstantiate(&executable_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }
  ~Executable() { CHECK(cudaGraphExecDestroy(executable_)); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  void launch(cudaStream_t stream) const { CHECK(cudaGraphLaunch(executable_, stream)); }
  void upload(cudaStream_t stream) const { CHECK(cudaGraphUpload(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

auto chain(int nodes) {
  return [nodes](cudaStream_t s) {
    for (int i = 0; i < nodes; ++i) empty<<<1, 1, 0, s>>>();
  };
}

/// One node, then so many beside each other, then one.
auto fan(int branches) {
  return [branches](cudaStream_t s) {
    empty<<<1, 1, 0, s>>>();
    const Event forked;
    const Event joined;
    CHECK(cudaEventRecord(forked, s));
    for (int i = 0; i < branches; ++i) {
      const Stream branch;
      CHECK(cudaStreamWaitEvent(branch, forked, 0));
      empty<<<1, 1, 0, branch>>>();
      CHECK(cudaEventRecord(joined, branch));
      CHECK(cudaStreamWaitEvent(s, joined, 0));
    }
    empty<<<1, 1, 0, s>>>();
  };
}

void host_costs(const std::string& shape, const Executable& graph) {
  const Stream s;
  report("graph.first_launch", shape, {host_time([&] { graph.launch(s); })});
  CHECK(cudaDeviceSynchronize());
  report("graph.launch", shape, sample(101, [&] {
           const double time = host_time([&] { graph.launch(s); });
           CHECK(cudaStreamSynchronize(s));
           return time;
         }));
  report("graph.launch_busy", shape + ", ten behind each other", sample(21, [&] {
           const double time = host_time([&] {
             for (int i = 0; i < 10; ++i) graph.launch(s);
           });
           CHECK(cudaStreamSynchronize(s));
           return time / 10;
         }));
  report("graph.round_trip", shape, sample(101, [&] {
           return host_time([&] {
             graph.launch(s);
             CHECK(cudaStreamSynchronize(s));
           });
         }));
}

void launches() {
  for (const int nodes : {1, 2, 10, 100, 1000}) {
    host_costs("chain of " + std::to_string(nodes), Executable(chain(nodes)));
  }
  for (const int branches : {2, 8, 32}) {
    host_costs("fan of " + std::to_string(branches), Executable(fan(branches)));
  }
  const Stream s;
  const Executable uploaded(chain(10));
  uploaded.upload(s);
  CHECK(cudaStreamSynchronize(s));
  report("graph.first_launch", "chain of 10, uploaded before",
         {host_time([&] { uploaded.launch(s); })});
  CHECK(cudaStreamSynchronize(s));
}

/// Gaps between the kernels of a chain, with `between(stream)` captured before each but the first.
template <typename Between>
void node_gaps(const char* what, Between between_them) {
  constexpr std::size_t kernels = 100;
  Spans spans(kernels);
  const Executable graph([&](cudaStream_t s) {
    for (std::size_t i = 0; i < kernels; ++i) {
      if (i > 0) between_them(s);
      spin<<<1, 32, 0, s>>>(20'000, spans[i]);
    }
  });
  const Stream s;
  graph.launch(s);
  const std::vector<Span>& found = spans.read();
  std::vector<double> gaps;
  for (std::size_t i = 1; i < kernels; ++i) {
    gaps.push_back(between(found[i - 1].end, found[i].start));
  }
  report("graph.kernel_to_kernel", what, gaps);
}

void nodes() {
  const Memory d(Place::device, 4096);
  const Memory p(Place::pinned, 4096);
  node_gaps("nothing", [](cudaStream_t) {});
  node_gaps("4096 bytes filled", [&](cudaStream_t s) { CHECK(cudaMemsetAsync(d, 0, 4096, s)); });
  node_gaps("4096 bytes to device",
            [&](cudaStream_t s) { CHECK(cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, s)); });
  node_gaps("host function", [](cudaStream_t s) {
    CHECK(cudaLaunchHostFunc(
        s, [](void*) {}, nullptr));
  });
}

/// Kernel to graph, graph to graph, and graph to kernel, on one busy stream.
void edges() {
  std::vector<double> into;
  std::vector<double> next;
  std::vector<double> out;
  const Stream s;
  for (int run = 0; run < 21; ++run) {
    Spans spans(4);
    const Executable first([&](cudaStream_t c) { spin<<<1, 32, 0, c>>>(20'000, spans[1]); });
    const Executable second([&](cudaStream_t c) { spin<<<1, 32, 0, c>>>(20'000, spans[2]); });
    first.upload(s);
    second.upload(s);
    CHECK(cudaStreamSynchronize(s));
    spin<<<1, 32, 0, s>>>(1'000'000, spans[0]);
    first.launch(s);
    second.launch(s);
    spin<<<1, 32, 0, s>>>(20'000, spans[3]);
    const std::vector<Span>& found = spans.read();
    into.push_back(between(found[0].end, found[1].start));
    next.push_back(between(found[1].end, found[2].start));
    out.push_back(between(found[2].end, found[3].start));
  }
  report("graph.kernel_to_graph", "busy stream", into);
  report("graph.graph_to_graph", "busy stream", next);
  report("graph.graph_to_kernel", "busy stream", out);
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  launches();
  nodes();
  edges();
}
