#define _GNU_SOURCE
#include "CBenchmark.h"

#include <sched.h>

int collsync_pin_to_core(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return sched_setaffinity(0, sizeof cores, &cores);
}

int collsync_core_from(int core) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) return -1;
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &cores)) core++;
    return core < CPU_SETSIZE ? core : -1;
}
