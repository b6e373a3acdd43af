# The profile made for computing by hand: work takes the time that it is given, everything else
# none, and nothing competes for anything. All keys that are not here have the values of this
# profile; h200.profile shows and explains each of them.

[profile]
version = 1
name = ideal
device_model = no          # nothing takes time to start, nothing waits for room
default_operation = 10us   # kernels, copies, fills and host functions that name no time
event_clock = 1ns
