/* tune_folder.h: a folder of its own for the table of tunings, and the table in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_TUNE_FOLDER_H
#define WEDGE_TESTS_TUNE_FOLDER_H

#include "devices.h"

static char folder[64], path[80];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/wedge-tune-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/tune", folder);
    return 0;
}

static int drop_folder(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
