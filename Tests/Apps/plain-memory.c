// What `CMemory` does where a system or a processor has no word for it, compiled with COLLSYNC_PLAIN_MEMORY.
#include "blocks.h"
#include "find.h"
#include "prefetch.h"
#include "remap.h"

#include <assert.h>

int main(void) {
    map_large_blocks(1 << 20, 1 << 20);
    prefetch(NULL);

    const uint32_t numbers[16] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    for (uint32_t at = 0; at < 16; at += 1) assert(find_number(numbers, 16, numbers[at]) == at);
    assert(find_number(numbers, 16, 4) >= 16);
    assert(count_up_to(numbers, 16, 0) == 0);
    assert(count_up_to(numbers, 16, 9) == 5);
    assert(count_up_to(numbers, 16, 100) == 16);

    char old[16], new[32];
    assert(!remap(old, 16, new, 32));
    return 0;
}
