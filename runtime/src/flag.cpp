// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <millrace/flag.hpp>
#include <millrace/mention.hpp>
#include <millrace/stream.hpp>

#include <utility>

namespace millrace {

struct Flag::State {
  State(const Device& device_, Name name_, const CallSite& site)
      : device(device_),
        name(name_),
        made(site.where),
        handle(device.backend().create_flag(name, site)) {}
  ~State() {
    destroy_quietly([this] { device.backend().destroy_flag(handle, CallSite{"~Flag", made}); });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Device device;
  Name name;
  SourceLocation made;
  Handle handle;
};

Flag::Flag(SourceLocation where) : Flag(FlagOptions{}, where) {}

Flag::Flag(const FlagOptions& options, SourceLocation where) {
  const CallSite site = enter("Flag", where);
  Device device = options.device ? *options.device : current_device(where);
  state_ = std::make_shared<const State>(std::move(device), options.name, site);
}

std::string Flag::mention() const { return millrace::mention("flag", state_->name, state_->made); }

Handle Flag::handle_for(const Device& device, const CallSite& site) const {
  if (device.shared_backend() == state_->device.shared_backend()) return state_->handle;
  throw Error(Errc::InvalidResourceHandle, site.call,
              mention() + " belongs to another backend than " + device.to_string(), site.where);
}

void Stream::set_flag(const Flag& flag, std::uint32_t value, SourceLocation where) const {
  const CallSite site = enter("Stream::set_flag", where);
  backend().set_flag(handle(), flag.handle_for(device(), site), value, site);
}

void Stream::await_flag(const Flag& flag, FlagCondition condition, std::uint32_t value,
                        SourceLocation where) const {
  const CallSite site = enter("Stream::await_flag", where);
  backend().await_flag(handle(), flag.handle_for(device(), site), condition, value, site);
}

}  // namespace millrace
