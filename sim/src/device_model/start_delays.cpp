// SPDX-License-Identifier: Apache-2.0
#include "start_delays.hpp"

namespace millrace::sim {

WorkClass work_class(OperationKind kind, const Demand& demand) {
  switch (kind) {
    case OperationKind::kernel:
      return WorkClass::compute;
    case OperationKind::fill:
      return WorkClass::fill;
    case OperationKind::copy:
      return demand.path == Path::on_device ? WorkClass::compute : WorkClass::copy;
    case OperationKind::record:
      return demand.timed ? WorkClass::timed_record : WorkClass::record;
    case OperationKind::wait:
      return WorkClass::wait;
    case OperationKind::host_function:
      return WorkClass::host_function;
    default:
      return WorkClass::other;
  }
}

Delays::Delays(const StartDelays& delays) : delays_(delays) {
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
}

Duration Delays::latency(WorkClass work, Path path) const {
  switch (work) {
    case WorkClass::compute:
      return path == Path::kernel ? delays_.kernel : delays_.device_copy;
    case WorkClass::fill:
      return delays_.fill;
    case WorkClass::copy:
      return delays_.copy;
    case WorkClass::record:
      return delays_.record;
    case WorkClass::timed_record:
      return delays_.timed_record;
    case WorkClass::host_function:
      return delays_.host_function;
    default:
      return {};
  }
}

}  // namespace millrace::sim
