/* t330-nvrtc.c: NVRTC compiles every kernel of wedge for sm_80 and sm_90 without a word; no GPU is needed.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/cuda/nvrtc.h"
#include "backend/gpu/program.h"
#include "core/maps.h"
#include "devices.h"
#include "engine/texts.h"

extern const char text_cover[];

static nvrtc *compiler;

static int find_compiler(void **state) {
    note remark = {0};
    (void)state;
    compiler = nvrtc_open(getenv("WEDGE_NVRTC"), &remark);
    if (!compiler)
        fprintf(stderr, "NVRTC IS MISSING (%s): CUDA KERNELS ARE NOT COMPILED IN THIS RUN\n", note_text(&remark));
    note_free(&remark);
    return 0;
}

static int drop_compiler(void **state) {
    (void)state;
    nvrtc_close(compiler);
    return 0;
}

static void compile(const source_piece *pieces, int count) {
    static const char *const targets[] = {"sm_80", "sm_90"};
    char *source = source_compose(pieces, count);
    for (int t = 0; t < 2; ++t) {
        note why = {0};
        blob binary;
        char *log;
        if (nvrtc_compile(compiler, source, targets[t], &binary, &log, &why)) fail_msg("%s", note_text(&why));
        if (log && strlen(log) > 1) fail_msg("%s: %s", targets[t], log);
        assert_memory_equal(binary.bytes, "\177ELF", 4);
        free(binary.bytes);
        free(log);
    }
    free(source);
}

static void certify_compiles(void **state) {
    (void)state;
    if (!compiler) skip();
    for (int no_double = 0; no_double < 2; ++no_double)
        compile((source_piece[]){{"settings", no_double ? "#define WEDGE_NO_DOUBLE 1" : ""},
                                 {"wedge/lang.h", text_lang},
                                 {"wedge/map.h", text_map},
                                 {"certify_device.h", text_certify}},
                4);
}

static void every_map_compiles(void **state) {
    static const map_shape shapes[] = {{.origin = true}, {.origin = true, .wide = true}, {.single = true}};
    (void)state;
    if (!compiler) skip();
    for (int m = 0; m < wedge_map_count(); ++m)
        for (int shape = 0; shape < 3; ++shape) {
            char *settings = map_device_text(wedge_map_at(m), shapes[shape]);
            compile((source_piece[]){{"wedge/lang.h", text_lang},
                                     {"wedge/map.h", text_map},
                                     {"settings", settings},
                                     {"launch.h", text_launch},
                                     {"certify_device.h", text_certify},
                                     {"cover.h", text_cover}},
                    6);
            free(settings);
        }
}

static void a_device_newer_than_the_compiler_gets_ptx(void **state) {
    char target[32];
    (void)state;
    if (!compiler) skip();
    nvrtc_target(compiler, 90, target, sizeof target);
    assert_string_equal(target, "sm_90");
    nvrtc_target(compiler, 999, target, sizeof target);
    assert_memory_equal(target, "compute_", 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certify_compiles),
        cmocka_unit_test(every_map_compiles),
        cmocka_unit_test(a_device_newer_than_the_compiler_gets_ptx),
    };
    return cmocka_run_group_tests(tests, find_compiler, drop_compiler);
}
