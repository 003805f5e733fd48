#pragma once

// The parts of the benchmark that are C: the bare broadcaster that collsync is measured beside, and
// what the C library does not offer Swift.

#include <sys/epoll.h>

// Serves a broadcaster on a free port of the loopback address until the process is ended.
//
// It takes frames, a length as a varint and so many bytes, which it does not look into, and gives them
// in one order to all who are connected, once they are appended to the file `log_path` and synced,
// unless that is NULL: the least that any server does that orders, keeps and spreads. What came in a
// turn of the loop is one buffer, one append with one fdatasync, and one write for each connection.
//
// It prints one line with its address when it is ready. Returns only when it can't go on, with a status
// for `exit`.
int collsync_broadcast(const char *log_path);

// Has the calling thread, and what it starts from then on, run on one core. Returns 0, or -1 with errno.
int collsync_pin_to_core(int core);

// The first core from `core` on that the calling thread may run on, or -1.
int collsync_core_from(int core);
