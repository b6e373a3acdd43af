// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <millrace/error.hpp>

namespace millrace::sim {

Profile find_profile(const std::string& name) {
  if (name == "ideal") return Profile{};
  if (name == "h200" || name.ends_with(".profile")) {
    throw Error(Errc::NotSupported, "sim::run", "the profile '" + name + "' is not supported yet",
                {});
  }
  throw Error(Errc::InvalidValue, "sim::run", "there is no profile '" + name + "'; known is ideal",
              {});
}

}  // namespace millrace::sim
