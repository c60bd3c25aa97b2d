/* The words of lang.h that ops trust: the exact root is the correctly rounded one, for every float that is not below 0;
 * the quick one is, where it gives 2^-50 or more, which it does from 2^-100 on.
 *
 * The oracle is the root in double precision rounded to a float: 53 bits are more than 2 * 24 + 2, so that rounding
 * twice does no harm. On a GPU all 2^31 floats are tried, elsewhere every 1,009th and the ends of the range.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/program.h"
#include "devices.h"
#include "engine/kernels/texts.h"

static const char kernel_text[] =
    "WEDGE_KERNEL void roots(WEDGE_GLOBAL wedge_u32 *wrong, wedge_u32 first, wedge_u32 step, wedge_u32 count) {\n"
    "    wedge_u32 k = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0);\n"
    "    if (k >= count) return;\n"
    "    float x = wedge_bits_float(first + k * step), y = wedge_sqrt_exact(x);\n"
    "    float z = (float)wedge_sqrt64((double)x);\n"
    "    int bad = wedge_float_bits(y) != wedge_float_bits(z) && !(y != y && z != z);\n"
    "#if WEDGE_SQRT_QUICK\n"
    "    y = wedge_sqrt_quick(x);\n"
    "    if (y >= 0x1p-50f ? wedge_float_bits(y) != wedge_float_bits(z) : x >= 0x1p-100f && z < 0x1p100f) bad = 1;\n"
    "#endif\n"
    "    if (bad) {\n"
    "        wedge_atomic_add(wrong, 1u);\n"
    "        wedge_atomic_min(wrong + 1, first + k * step);\n"
    "    }\n"
    "}\n";

static void every_float_has_its_exact_root(wedge_device *dev) {
    const backend *b = dev->backend;
    if (!b->compile) NOTHING_HERE("it compiles nothing");
    if (!dev->info.has_double) NOTHING_HERE("it has no doubles for the oracle");
    bool all = dev->info.is_gpu;
    uint32_t step = all ? 1 : 1009, per_launch = 1u << 28, wrong[2] = {0, UINT32_MAX};
    const source_piece pieces[] = {{"lang.h", text_lang}, {"roots", kernel_text}};
    void *program, *kernel, *queue;
    buffer out;
    assert_ok(dev, gpu_build(dev, pieces, 2, &program));
    assert_ok(dev, b->kernel_new(dev, program, "roots", &kernel));
    assert_ok(dev, b->queue_new(dev, &queue));
    assert_ok(dev, b->buffer_new(dev, sizeof wrong, ON_DEVICE, &out));
    assert_ok(dev, b->write(dev, queue, &out, 0, wrong, sizeof wrong));
    for (uint64_t first = 0; first < (UINT64_C(1) << 31); first += (uint64_t)per_launch * step) {
        uint64_t left = ((UINT64_C(1) << 31) - first - 1) / step + 1;
        uint32_t from = (uint32_t)first, count = left < per_launch ? (uint32_t)left : per_launch;
        const kernel_arg args[] = {ARG_BUFFER(&out), ARG_VALUE(from), ARG_VALUE(step), ARG_VALUE(count)};
        grid_launch launch = {{(count - 1) / 256 + 1, 1, 1}, {256, 1, 1}, args, 4};
        assert_ok(dev, b->launch(dev, queue, kernel, &launch));
    }
    assert_ok(dev, b->read(dev, queue, wrong, &out, 0, sizeof wrong));
    assert_ok(dev, b->wait(dev, queue));
    if (wrong[0]) fail_msg("%u roots are wrong, the first of bits 0x%08x", wrong[0], wrong[1]);
    b->buffer_free(dev, &out);
    b->queue_free(dev, queue);
    b->kernel_free(dev, kernel);
    b->program_free(dev, program);
}

static void roots_are_exact(void **state) {
    (void)state;
    on_every_device(every_float_has_its_exact_root);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(roots_are_exact)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
