// SPDX-License-Identifier: Apache-2.0
// What does each call cost the host thread that makes it, and how long is each round trip?

#include "measure.cuh"

using namespace measure;

namespace {

constexpr int runs = 21;

void noop(void*) {}

/// The time of one call, over `calls` of them on a device that was idle before.
template <typename Call>
void per_call(const char* what, int calls, Call call) {
  call();
  report("host." + std::string(what), std::to_string(calls) + " in a row", sample(runs, [&] {
           CHECK(cudaDeviceSynchronize());
           return host_time([&] {
                    for (int i = 0; i < calls; ++i) call();
                  }) /
                  calls;
         }));
}

template <typename Body>
void round_trip(const char* what, Body body) {
  body();
  report("round_trip." + std::string(what), "idle", sample(201, [&] { return host_time(body); }));
}

void enqueueing(const Stream& s, const Stream& t) {
  const Event plain;
  const TimedEvent timed;
  const Memory d(Place::device, 8192);
  const Memory p(Place::pinned, 4096);
  char* const other = static_cast<char*>(static_cast<void*>(d)) + 4096;
  per_call("launch", 500, [&] { empty<<<1, 1, 0, s>>>(); });
  per_call("record", 500, [&] { CHECK(cudaEventRecord(plain, s)); });
  per_call("timed_record", 500, [&] { CHECK(cudaEventRecord(timed, s)); });
  per_call("wait", 500, [&] { CHECK(cudaStreamWaitEvent(t, plain, 0)); });
  per_call("copy_to_device", 300,
           [&] { CHECK(cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, s)); });
  per_call("copy_to_host", 300,
           [&] { CHECK(cudaMemcpyAsync(p, d, 4096, cudaMemcpyDeviceToHost, s)); });
  per_call("copy_on_device", 300,
           [&] { CHECK(cudaMemcpyAsync(other, d, 4096, cudaMemcpyDeviceToDevice, s)); });
  per_call("fill", 300, [&] { CHECK(cudaMemsetAsync(d, 0, 4096, s)); });
  per_call("host_function", 100, [&] { CHECK(cudaLaunchHostFunc(s, noop, nullptr)); });
  per_call("allocate_and_free", 200, [&] {
    void* block = nullptr;
    CHECK(cudaMallocAsync(&block, 4096, s));
    CHECK(cudaFreeAsync(block, s));
  });
}

void asking(const Stream& s) {
  const Event plain;
  const TimedEvent first;
  const TimedEvent second;
  for (const cudaEvent_t event : {cudaEvent_t(plain), cudaEvent_t(first), cudaEvent_t(second)}) {
    CHECK(cudaEventRecord(event, s));
  }
  CHECK(cudaDeviceSynchronize());
  per_call("query_event", 1000, [&] { CHECK(cudaEventQuery(plain)); });
  per_call("query_stream", 1000, [&] { CHECK(cudaStreamQuery(s)); });
  per_call("synchronize_event", 1000, [&] { CHECK(cudaEventSynchronize(plain)); });
  per_call("synchronize_stream", 1000, [&] { CHECK(cudaStreamSynchronize(s)); });
  per_call("synchronize_device", 1000, [&] { CHECK(cudaDeviceSynchronize()); });
  per_call("elapsed_time", 1000, [&] { static_cast<void>(elapsed_us(first, second)); });
}

/// Making and unmaking `count` things, each timed by itself.
template <typename Thing, typename Make, typename Unmake>
void making(const char* make_name, const char* unmake_name, int count, Make make, Unmake unmake) {
  std::vector<double> made;
  std::vector<double> unmade;
  std::vector<Thing> things(static_cast<std::size_t>(count));
  for (int run = 0; run < runs; ++run) {
    CHECK(cudaDeviceSynchronize());
    made.push_back(host_time([&] {
                     for (Thing& thing : things) make(thing);
                   }) /
                   count);
    unmade.push_back(host_time([&] {
                       for (Thing& thing : things) unmake(thing);
                     }) /
                     count);
  }
  const std::string condition = std::to_string(count) + " in a row";
  report("host." + std::string(make_name), condition, made);
  report("host." + std::string(unmake_name), condition, unmade);
}

void making_things(const Stream& s) {
  making<cudaStream_t>(
      "create_stream", "destroy_stream", 20,
      [](cudaStream_t& x) { CHECK(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking)); },
      [](cudaStream_t x) { CHECK(cudaStreamDestroy(x)); });
  making<cudaEvent_t>(
      "create_event", "destroy_event", 500,
      [](cudaEvent_t& x) { CHECK(cudaEventCreateWithFlags(&x, cudaEventDisableTiming)); },
      [](cudaEvent_t x) { CHECK(cudaEventDestroy(x)); });
  making<void*>(
      "malloc", "plain_free", 20, [](void*& x) { CHECK(cudaMalloc(&x, 1 << 20)); },
      [](void* x) { CHECK(cudaFree(x)); });
  making<void*>(
      "allocate", "free", 100, [&](void*& x) { CHECK(cudaMallocAsync(&x, 4096, s)); },
      [&](void* x) { CHECK(cudaFreeAsync(x, s)); });
}

void round_trips(const Stream& s) {
  const Event plain;
  const TimedEvent timed;
  const Memory d(Place::device, 4096);
  const Memory p(Place::pinned, 4096);
  const auto wait = [&] { CHECK(cudaStreamSynchronize(s)); };
  round_trip("launch", [&] {
    empty<<<1, 1, 0, s>>>();
    wait();
  });
  round_trip("record", [&] {
    CHECK(cudaEventRecord(plain, s));
    CHECK(cudaEventSynchronize(plain));
  });
  round_trip("timed_record", [&] {
    CHECK(cudaEventRecord(timed, s));
    CHECK(cudaEventSynchronize(timed));
  });
  round_trip("copy_to_device", [&] {
    CHECK(cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, s));
    wait();
  });
  round_trip("copy_to_host", [&] {
    CHECK(cudaMemcpyAsync(p, d, 4096, cudaMemcpyDeviceToHost, s));
    wait();
  });
  round_trip("fill", [&] {
    CHECK(cudaMemsetAsync(d, 0, 4096, s));
    wait();
  });
  round_trip("host_function", [&] {
    CHECK(cudaLaunchHostFunc(s, noop, nullptr));
    wait();
  });
}

}  // namespace

int main() {
  report_conditions();
  warm_up();
  const Stream s;
  const Stream t;
  enqueueing(s, t);
  asking(s);
  making_things(s);
  round_trips(s);
}
