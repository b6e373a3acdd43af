// SPDX-License-Identifier: Apache-2.0
#include "start_delays.hpp"

namespace millrace::sim {

Delays::Delays(const StartDelays& delays)
    : device_copy_(delays.device_copy), in_graph_(delays.kernel_in_graph) {
  const auto set = [this](WorkClass before, WorkClass work, Duration gap) {
    gaps_[static_cast<std::size_t>(before)][static_cast<std::size_t>(work)] = gap;
  };
  for (std::size_t i = 0; i < work_classes; ++i) {
    const auto before = static_cast<WorkClass>(i);
    set(before, WorkClass::compute, delays.kernel_after_kernel);
    set(before, WorkClass::fill, delays.fill_after_other);
    set(before, WorkClass::copy, delays.copy_after_other);
    set(before, WorkClass::host_function, delays.host_function_after_other);
  }
  set(WorkClass::timed_record, WorkClass::compute, delays.kernel_after_timed_record);
  set(WorkClass::timed_record, WorkClass::copy, delays.copy_after_timed_record);
  set(WorkClass::copy, WorkClass::compute, delays.kernel_after_copy);
  set(WorkClass::copy, WorkClass::fill, delays.kernel_after_copy);
  set(WorkClass::host_function, WorkClass::compute, delays.kernel_after_host_function);
  set(WorkClass::host_function, WorkClass::fill, delays.kernel_after_host_function);
  set(WorkClass::host_function, WorkClass::copy, delays.kernel_after_host_function);
  set(WorkClass::copy, WorkClass::copy, delays.copy_after_copy);
  set(WorkClass::host_function, WorkClass::host_function, delays.host_function_after_host_function);

  const auto of = [this](WorkClass work) -> Duration& {
    return latencies_[static_cast<std::size_t>(work)];
  };
  of(WorkClass::compute) = delays.kernel;
  of(WorkClass::fill) = delays.fill;
  of(WorkClass::copy) = delays.copy;
  of(WorkClass::record) = delays.record;
  of(WorkClass::timed_record) = delays.timed_record;
  of(WorkClass::host_function) = delays.host_function;
}

}  // namespace millrace::sim
