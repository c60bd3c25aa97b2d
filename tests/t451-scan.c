/* t451-scan.c: prefix sums on devices, of sizes around those of their blocks, and past 32 bits.
 *
 * SPDX-License-Identifier: MIT */
#include "devices.h"
#include "engine/prune/order.h"

static void check_scan(wedge_job *job, uint64_t n, uint32_t most) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    buffer on_device[2];
    uint32_t *counts = malloc((n + 1) * sizeof *counts);
    uint64_t *starts = malloc((n + 1) * sizeof *starts), sum = 0;
    for (uint64_t k = 0; k < n; ++k) counts[k] = most - (uint32_t)k * 2654435761u % 5;
    assert_ok(dev, b->buffer_new(dev, n * sizeof *counts, ON_DEVICE, &on_device[0]));
    assert_ok(dev, b->buffer_new(dev, (n + 1) * sizeof *starts, ON_DEVICE, &on_device[1]));
    assert_ok(dev, b->write(dev, job->queue, &on_device[0], 0, counts, n * sizeof *counts));
    assert_ok(dev, b->fill(dev, job->queue, &on_device[1], 0, on_device[1].bytes, 0x5A));
    assert_ok(dev, gpu_scan(job, &on_device[0], n, &on_device[1]));
    assert_ok(dev, b->read(dev, job->queue, starts, &on_device[1], 0, on_device[1].bytes));
    assert_ok(dev, b->wait(dev, job->queue));
    for (uint64_t k = 0; k <= n; sum += k < n ? counts[k] : 0, ++k)
        if (starts[k] != sum)
            fail_msg("n %d: start %d is %llu, not %llu", (int)n, (int)k, (unsigned long long)starts[k],
                     (unsigned long long)sum);
    for (int k = 0; k < 2; ++k) b->buffer_free(dev, &on_device[k]);
    free(counts);
    free(starts);
}

static void scan_on(wedge_device *dev) {
    static const uint64_t sizes[] = {0,    1,    2,    7,    8,      9,      255,    256,    257,     2047,
                                     2048, 2049, 4095, 4096, 524287, 524288, 524289, 526337, 1 << 20, 1234567};
    if (!dev->backend->compile) NOTHING_HERE("the cpu adds up on its own");
    wedge_job job = {.dev = dev, .size = 4, .pairs.dtype = WEDGE_F32}; /* what sums need of one */
    assert_ok(dev, dev->backend->queue_new(dev, &job.queue));
    assert_ok(dev, order_tools(&job));
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        check_scan(&job, sizes[k], 4);
        check_scan(&job, sizes[k], UINT32_MAX);
    }
    buffer none = {0};
    assert_int_equal(gpu_scan(&job, &none, SCAN_MOST + 1, &none), WEDGE_UNSUPPORTED);
    dev->backend->program_free(dev, job.gpu.tools);
    dev->backend->queue_free(dev, job.queue);
}

static void starts_are_the_sums_of_counts_before(void **state) {
    (void)state;
    on_every_device(scan_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_the_sums_of_counts_before),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
