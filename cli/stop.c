/* stop.c: Ctrl-C, SIGTERM and SIGHUP ask a command to stop; it does at the next step. A second one ends it at once.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>

#include "cli.h"

/* The one thing a signal can reach. */
static volatile sig_atomic_t asked;

static void ask(int signal) {
    (void)signal;
    asked = 1;
}

void cli_catch_stops(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = ask, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    signal(SIGXFSZ, SIG_IGN); /* a file beyond its limit is an error to tell, not an end */
    for (int k = 0; k < 3; ++k) {
        struct sigaction before;
        if (signals[k] == SIGHUP && !sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN) continue;
        sigaction(signals[k], &action, NULL); /* but nohup's wish stands */
    }
}

bool cli_stop_asked(void) { return asked; }
