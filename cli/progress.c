/* progress.c: a bar with rate and time left on a terminal; elsewhere a plain line now and then.
 *
 * The line is rewritten in place at most five times per second and erased at the end. It has no colours; a terminal
 * that cannot erase a line (TERM=dumb) gets plain lines, as files and pipes do: one after ten seconds, and every ten from then on.
 *
 * SPDX-License-Identifier: MIT */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "core/clock.h"
#include "core/printable.h"

enum { BAR_MOST = 30, BAR_LEAST = 8, LINE = 256, PLAIN_SECONDS = 10 };

static void duration(char *text, size_t size, double seconds) {
    long s = (long)(seconds + 0.5);
    if (s < 60)
        snprintf(text, size, "%ld s", s);
    else if (s < 3600)
        snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
    else
        snprintf(text, size, "%ld h %ld min", s / 3600, s / 60 % 60);
}

static void rate_text(char *text, size_t size, double rate) {
    bool giga = rate >= 1e9;
    snprintf(text, size, "  %.3g %s", rate * (giga ? 1e-9 : 1e-6), giga ? "GB/s" : "MB/s");
}

static void bar_text(char *text, int width, double done) {
    int full = (int)(done * width);
    memset(text, ' ', (size_t)width + 4);
    text[2] = '[', text[width + 3] = ']', text[width + 4] = 0;
    for (int k = 0; k < full; ++k) text[3 + k] = '=';
    if (full < width) text[3 + full] = '>';
}

void progress_line(char *text, size_t size, const char *what, double done, double rate, double left, int at_most,
                   int columns) {
    char bar[BAR_MOST + 8] = "", speed[32] = "", time[64] = "", tail[160];
    if (done < 0) done = 0;
    if (done > 1) done = 1;
    if (rate > 0) rate_text(speed, sizeof speed, rate);
    if (left >= 0) {
        char much[32];
        duration(much, sizeof much, left);
        snprintf(time, sizeof time, "  %s%s left", at_most ? "at most " : "", much);
    }
    int length = snprintf(tail, sizeof tail, " %3.0f %%%s%s", 100 * done, speed, time);
    int room = columns - 1 - length, name = (int)strlen(what), width = room - name - 4;
    if (width > BAR_MOST) width = BAR_MOST;
    if (width >= BAR_LEAST) bar_text(bar, width, done);
    if (name > room) name = room > 0 ? room : 0;
    snprintf(text, (size_t)columns < size ? (size_t)columns : size, "%.*s%s%s", name, what, bar, tail);
}

static int terminal_columns(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || window.ws_col < 20 ? 80 : window.ws_col;
}

static bool can_erase(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(terminal && !strcmp(terminal, "dumb"));
}

void cli_progress_begin(cli_progress *p, const cli *c, const char *what) {
    *p = (cli_progress){.what = what, .start = clock_now(), .on = !c->quiet && can_erase()};
    p->shown = p->start;
    p->plain = c->quiet || p->on ? 0 : PLAIN_SECONDS;
}

static double seconds_left(const cli_progress *p, double spent, double done) {
    if (p->budget > 0) return spent < p->budget ? p->budget - spent : 0;
    return done > 0 ? spent * (1 - done) / done : -1;
}

static void say_plainly(cli_progress *p, double done, double now) {
    char much[32] = "";
    double left = seconds_left(p, now - p->start, done);
    if (left >= 0) duration(much, sizeof much, left);
    cli_say("%s: %.0f %%%s%s%s\n", p->what, 100 * fmin(1, fmax(0, done)), *much ? ", " : "", much,
            !*much          ? ""
            : p->budget > 0 ? " left at most"
                            : " left");
    p->shown = now;
}

void cli_progress_say(cli_progress *p, double done) {
    char line[LINE];
    double now = clock_now(), spent = now - p->start;
    double left = seconds_left(p, spent, done);
    if (!p->on) return;
    progress_line(line, sizeof line, p->what, done, spent > 0 ? p->bytes * done / spent : 0, left, p->budget > 0,
                  terminal_columns());
    char *shown = text_printable(line); /* a name of a file is in it */
    fprintf(stderr, "\r%s\033[K", shown ? shown : "");
    free(shown);
    p->shown = now;
}

bool cli_progress_show(void *user, double done) {
    cli_progress *p = user;
    double now = clock_now();
    if (p->on && now - p->shown > 0.2) cli_progress_say(p, done);
    if (p->plain > 0 && now - p->shown > p->plain) say_plainly(p, done, now);
    return !cli_stop_asked();
}

void cli_progress_end(cli_progress *p) {
    if (p->on && p->shown > p->start) fprintf(stderr, "\r\033[K");
}
