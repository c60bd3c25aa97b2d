/* thread.c: a thread that takes no signals, on a stack of stated size.
 *
 * SPDX-License-Identifier: MIT */
#include "core/thread.h"

#include <signal.h>

#include "core/float_env.h"

bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user) {
    DEFAULT_FLOATS; /* which the new thread inherits */
    pthread_attr_t attributes;
    size_t stack = 0;
    sigset_t all, before;
    if (pthread_attr_init(&attributes)) return false;
    if (!pthread_attr_getstacksize(&attributes, &stack) && stack < THREAD_STACK)
        pthread_attr_setstacksize(&attributes, THREAD_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(thread, &attributes, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
