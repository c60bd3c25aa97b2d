/* bench_bar.c: which group and which map `wedge bench` is at, and how long it can still take.
 *
 * A run ends when its rows are settled, at the latest when its budget is spent: so the time left is "at most", and the
 * bar is at the groups that are done or the budget that is spent, whichever is more. Between samples it is shown five
 * times per second at most: what is timed must not wait for a terminal.
 *
 * SPDX-License-Identifier: MIT */
#include "bench_bar.h"

void bench_bar_begin(bench_bar *b, const cli *c, const lab *l, double budget) {
    *b = (bench_bar){.c = c, .l = l, .group = "peak rates of the device"};
    cli_progress_begin(&b->progress, c, b->line);
    b->progress.on = b->progress.on && !c->verbose;
    b->progress.budget = budget;
}

bool bench_bar_say(void *user, const char *group) {
    bench_bar *b = user;
    double spent = (clock_now() - b->progress.start) / b->progress.budget;
    double done = spent > b->l->share ? spent : b->l->share;
    if (group) snprintf(b->group, sizeof b->group, "%s", group);
    if (group && b->c->verbose) cli_say("%s\n", group);
    snprintf(b->line, sizeof b->line, "%s%s%s", b->group, b->l->map ? ": " : "", b->l->map ? b->l->map : "");
    bool first = b->l->map && !b->named; /* map of its group */
    b->named = b->l->map != NULL;
    if (group || first)
        cli_progress_say(&b->progress, done);
    else
        cli_progress_show(&b->progress, done);
    return !cli_stop_asked();
}
