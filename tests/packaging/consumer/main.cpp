// SPDX-License-Identifier: Apache-2.0
//
// Two streams hand a buffer on, with and without the wait that orders them.
#include <millrace/millrace.hpp>

#include <cstddef>
#include <iostream>

namespace {

std::size_t findings(bool ordered) {
  const auto report = millrace::sim::run([ordered] {
    const millrace::Stream producer;
    const millrace::Stream consumer;
    const millrace::Buffer<int> values(1024);
    producer.launch("produce", {.writes = {values}});
    if (ordered) consumer.wait_stream(producer);
    consumer.launch("consume", {.reads = {values}});
    producer.synchronize();
    consumer.synchronize();
  });
  return report.findings.size();
}

}  // namespace

int main() {
  const int devices = millrace::device_count("sim");
  const std::size_t when_ordered = findings(true);
  const std::size_t when_not = findings(false);
  std::cout << devices << " device, findings: " << when_ordered << " and " << when_not << '\n';
  return devices == 1 && when_ordered == 0 && when_not == 1 ? 0 : 1;
}
