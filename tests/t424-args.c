/* t424-args.c: what the host passes to kernels lies on the device where the host put it.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/program.h"
#include "devices.h"
#include "engine/gpu/args.h"
#include "engine/kernels/texts.h"

/* A kernel per struct: it gets one whose bytes count up, and says how long it is and what its last number is. */
#define KERNEL_OF(type)                                                            \
    "WEDGE_KERNEL void look_at_" #type "(WEDGE_GLOBAL wedge_u32 *out, " #type      \
    " x) {\n"                                                                      \
    "    union { " #type " all; wedge_u32 word[sizeof(" #type                      \
    ") / 4u]; } u;\n"                                                              \
    "    u.all = x;\n"                                                             \
    "    out[0] = (wedge_u32)sizeof x;\n"                                          \
    "    for (wedge_u32 k = 0; k < sizeof x / 4u; ++k) out[1u + k] = u.word[k];\n" \
    "}\n"
static const char kernels[] = KERNEL_ARGS(KERNEL_OF);

enum { MOST_WORDS = 64 };

static void check(wedge_device *dev, void *program, void *queue, const char *name, size_t size) {
    const backend *b = dev->backend;
    uint32_t words[MOST_WORDS], got[1 + MOST_WORDS];
    void *kernel;
    buffer out;
    assert_true(size <= sizeof words && size % sizeof *words == 0);
    for (uint32_t k = 0; k < MOST_WORDS; ++k) words[k] = 0x1000 + k;
    assert_ok(dev, b->buffer_new(dev, sizeof got, ON_DEVICE, &out));
    assert_ok(dev, b->fill(dev, queue, &out, 0, sizeof got, 0));
    assert_ok(dev, b->kernel_new(dev, program, name, &kernel));
    const kernel_arg args[] = {ARG_BUFFER(&out), {.value = words, .size = size}};
    const grid_launch l = {{1, 1, 1}, {1, 1, 1}, args, 2};
    assert_ok(dev, b->launch(dev, queue, kernel, &l));
    assert_ok(dev, b->read(dev, queue, got, &out, 0, sizeof got));
    assert_ok(dev, b->wait(dev, queue));
    assert_int_equal(got[0], size);
    assert_memory_equal(got + 1, words, size);
    b->kernel_free(dev, kernel);
    b->buffer_free(dev, &out);
}

static void look_on(wedge_device *dev) {
    void *program, *queue;
    if (!dev->backend->compile) NOTHING_HERE("the cpu has no kernels");
    const source_piece pieces[] = {{"lang.h", text_lang}, {"kernels/args.h", text_args}, {"kernels", kernels}};
    assert_ok(dev, gpu_build(dev, pieces, sizeof pieces / sizeof *pieces, &program));
    assert_ok(dev, dev->backend->queue_new(dev, &queue));
#define CHECK(type) check(dev, program, queue, "look_at_" #type, sizeof(type));
    KERNEL_ARGS(CHECK)
    dev->backend->queue_free(dev, queue);
    dev->backend->program_free(dev, program);
}

static void arguments_arrive_as_they_were_given(void **state) {
    (void)state;
    on_every_device(look_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_arrive_as_they_were_given),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
