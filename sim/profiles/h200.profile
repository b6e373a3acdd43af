# An NVIDIA H200 under CUDA 13.0, as it was measured. Copy this file, change what you like, and name
# it in a script (device "mine.profile") or on the command line (--profile mine.profile).
#
# Where a number is from:
#   [A]  the first measurement: single calls in batches, event pairs on an idle stream, or the
#        device's own clock inside kernels
#   [B]  a second one on another H200, made for what the first left open
#   [C]  a third: the programs in cuda/measurements, whose results stand in its folder h200
#   [=]  follows from others: the comment says how
# Host costs of two machines of one kind differ by about a fifth; those of making and freeing objects by more:
# [C], which makes many in a row, has 1.6 us for a stream, 0.14 for an event, 17 for 1 MiB of memory.
#
# A rule that nobody documents is a policy: a key whose value is one of the words listed with it.

[profile]
version = 1
name = h200
device_model = yes
default_operation = 10us   # kernels and host functions that name no time: the language's rule
event_clock = 32ns         # [A] greatest common divisor of 400 elapsed times

# ---- What a call costs the host thread that makes it -------------------------------------------

[host]
launch = 4.34us            # [A] 500 launches of an empty kernel; [B] 4.63
record = 290ns             # [A] without timing
timed_record = 1.28us      # [A]
wait = 300ns               # [A] on a completed event
query_event = 340ns        # [A]
query_stream = 400ns       # [A]
synchronize_stream = 350ns # [A] an idle stream
synchronize_event = 350ns  # as for streams
synchronize_device = 440ns # [A] idle
wake = 2.75us              # [=] launch + synchronize takes 9.78 [A]: 4.34 + 2.69 (start) + this
wake_after_record = 570ns  # [=] record + synchronize takes 2.11 [A]: 0.29 + 1.00 + 0.25 + this
copy_to_device = 2.07us    # [A] 4 KiB, pinned; [B] 2.21
copy_to_host = 1.40us      # [B] 1.32 to 1.39
copy_on_device = 4.30us    # [B] 5.9; [A]'s event pairs around a copy leave room for 4.6 at most
copy_on_host =             # [A] does not say: memory at 10 GB/s
    0:500ns 1GiB:107.4ms
fill = 1.19us              # [A] 4 KiB
host_function = 2.50us     # [A]
launch_graph = 2.00us      # [C] up to 100 nodes, 6.4 for 1000; the first launch of a graph takes more
create_stream = 36.70us    # [A] 28 to 37
destroy_stream = 1.44us    # [B]
create_event = 600ns       # [A]
destroy_event = 190ns      # [B]
elapsed_time = 500ns       # [B]
allocate = 650ns           # [A] half of an asynchronous allocation and release, 1.29
free = 640ns               # [A]
malloc = 37.8us            # [B] 1 MiB of device memory
plain_free = 29.7us        # [B]
staging =                  # [B] a pageable copy to the device that is copied aside at the call
    1KiB:2.70us 64KiB:16.0us 1MiB:151us 2MiB:301us
free_blocks = yes          # [A] a plain free of device or pinned memory waits for the whole device
pageable_blocks = yes      # [A] asynchronous copies to pageable memory block, those from it unless
                           #     they can be staged at once

# ---- How long until an operation starts --------------------------------------------------------

[start]                    # on an idle device, from the return of the call on
kernel = 2.69us            # [=] the event pair around an empty kernel takes 5.79 [A]
copy = 2.00us              # [=] copy + synchronize of 4 KiB takes 7.9 [B]
device_copy = 2.00us       # as for copies
fill = 2.00us              # as for copies
record = 1.00us            # between nothing and the 1.57 that the round trip leaves for it
timed_record = 1.24us      # [=] record + synchronize with timing takes 5.9 [B]
host_function = 7.00us     # [=] host function + synchronize takes 12.4 [B]

[gap]                      # behind other work, from its end on
kernel_after_kernel = 1.54us            # [A] also across streams and behind the legacy stream's
kernel_after_timed_record = 2.20us      # [=] 3.58 from kernel to kernel over the record [A], 3.33 [B]
kernel_after_copy = 3.50us              # [=] kernel, 4 KiB copy, kernel: 8.45 between them [B]
kernel_after_host_function = 7.40us     # [=] with 34.07 below: 41.47 from kernel to kernel [A]
kernel_in_graph = 510ns                 # [A]
copy_after_copy = 2.00us                # [B] 3.4 us a copy of 4 KiB in a row of eight
copy_after_timed_record = 900ns         # [=] on an idle device it must not show: a pair around 1 byte
                                        #     to the host takes 3.17 [A]
copy_after_other = 3.40us               # [=] as for kernels after copies
fill_after_other = 600ns                # [=] a pair around a small fill on a busy stream: 2.7 [B]
host_function_after_host_function = 3us # [B] four in a row take 50.2, one 41.0
host_function_after_other = 34.07us     # [A] the thread that runs them has to be woken

[record]                   # how long a record keeps its stream; it is complete at the end
time = 250ns               # [=] 1.79 from kernel to kernel across streams by an event [A]
time_timed = 1.25us        # [B] two in a row on a busy stream

# ---- Transfers ---------------------------------------------------------------------------------

[copy]
# Bytes and the time between two events with timing around one copy on an idle stream, pinned
# memory [A]. The overhead is what of it is not the copy's own: the call, the start and the record
# behind it, less the start of the record before it.
to_device =
    1:3.94us 4:3.65us 16:3.78us 64:3.65us 256:3.71us 1024:3.87us 4096:4.16us 16384:4.22us
    65536:5.31us 262144:9.38us 1048576:24.00us 4194304:83.01us 16777216:318.27us
    67108864:1212.83us 268435456:4845.31us
to_device_overhead = 2.83us
to_host =
    1:3.17us 4:3.23us 16:3.10us 64:3.17us 256:3.10us 1024:3.14us 4096:3.20us 16384:3.46us
    65536:4.19us 262144:7.87us 1048576:22.21us 4194304:78.85us 16777216:305.12us
    67108864:1215.58us 268435456:4849.54us
to_host_overhead = 2.16us
on_device =
    1:7.26us 4:6.30us 16:5.89us 64:6.14us 256:6.72us 1024:6.78us 4096:7.14us 16384:7.58us
    65536:7.10us 262144:7.14us 1048576:8.61us 4194304:9.18us 16777216:13.06us
    67108864:38.30us 268435456:133.38us
on_device_overhead = 5.06us
# between_devices = 1:2us 1GiB:3ms   not measured, there was one device: without it as to the host
pageable =                 # [B] those that are not staged: 14.5 GB/s
    4KiB:5us 16MiB:1150us
staging_bytes = 2560KiB    # [B] 2 MiB return at once, 40 copies of 64 KiB too, 3 MiB do not
both_directions = 1.094    # [A] 1342 us for two of 1227
beside_kernel = 1.015      # [A] 1261 us where alone 1227 and the launch takes part of the rest
on_device_threads = 512    # [B] copies on the device wait for room on a multiprocessor: so much
order = submission         # [A] copies of one direction: submission, readiness, priority

[fill]
time =                     # [A] as for copies
    1:2.75us 16:2.78us 256:2.66us 4096:3.17us 65536:6.62us 1048576:5.98us 16777216:9.63us
    268435456:65.54us
overhead = 1.95us
inline_up_to = 4096        # [B] these do not wait for a multiprocessor, those of 8 KiB do

# ---- Memory ------------------------------------------------------------------------------------

[memory]
pool_chunk = 32MiB         # [C] what a memory pool reserves grows and shrinks by this

# ---- Hardware queues and the launch ring -------------------------------------------------------

[queues]
count = 8                  # [A] CUDA_DEVICE_MAX_CONNECTIONS, 1 to 32, overrides it
assignment = created       # the k-th stream created uses queue k mod count (created), or a stream
                           # takes the queue with fewest busy streams when it becomes busy (busy).
                           # While all streams are busy in order of creation, as in [A], both are
                           # the same; [B] finds busy
default_streams = last     # the queue of default streams: last, first, own (one for each)
members = compute          # what stands in a queue and holds what is behind it until the work
                           # before it in its stream is done [B]: compute (kernels, fills, copies on
                           # the device, records with timing, waits, host functions), kernels,
                           # everything (also other copies and records)
ring = 1021                # [A] kernels, copies, fills and timed records not started; records
                           #     without timing, waits and host functions take no place [A, B]
ring_scope = queue         # [B] 16 streams on 8 queues: 8 times 1021. queue, stream

# ---- Multiprocessors ---------------------------------------------------------------------------

[sm]
count = 132
warps = 64                 # each
blocks = 32
registers = 65536
shared_bytes = 233472
shared_reserved = 1024     # of each block
grids = 128                # [A] 129 kernels of one block take two rounds
head_of_line = strict      # [B] a block that fits nowhere holds later kernels, even those that
                           #     would fit (strict), or lets them pass (passing)
placement = most_room      # a block goes to the multiprocessor with most_room, or lowest_number
urgent_at_limit = drain    # [B] where as many grids as fit are there and a more urgent one comes,
                           #     it waits until all less urgent ones are done (drain), or takes the
                           #     next_place
