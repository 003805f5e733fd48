#pragma once
#include <sys/prctl.h>
#include <uv.h>

// Names the calling thread, for debuggers and top. `prctl` is variadic, so Swift can't call it.
static inline void collsync_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
