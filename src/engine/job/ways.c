/* ways.c: chooses a job's way by its sink, and runs ranges.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/job/ways.h"

#include "core/float_env.h"
#include "engine/rows/rows.h"
#include "engine/select/select.h"

const job_way *const job_ways[SINK_WAYS] = {
    [WAY_SLOTS] = &slots_way,
    [WAY_STORE] = &store_way,
    [WAY_LIST] = &list_way,
    [WAY_ROWS] = &rows_way,
};

wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *result, wedge_progress progress,
                           void *user) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    wedge_device *dev = job->dev;
    WEDGE_GIVEN(result, &dev->note);
    WEDGE_CHECK(result->size == sizeof *result, &dev->note, WEDGE_BAD_ARGUMENT,
                "wedge_result.size is %zu: set it to sizeof(wedge_result), %zu in wedge %s", result->size,
                sizeof *result, wedge_version());
    WEDGE_CHECK(result->place == WEDGE_ON_HOST || result->place == WEDGE_ON_DEVICE, &dev->note, WEDGE_BAD_ARGUMENT,
                JOB_NO_PLACE, (int)result->place);
    WEDGE_TRY(job_check_range(job, begin, end));
    result->count = 0;
    return job->way->run(job, begin, end, result, progress, user);
}

wedge_status wedge_job_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                              wedge_progress progress, void *user) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    WEDGE_GIVEN(take, &job->dev->note);
    WEDGE_TRY(job_check_range(job, begin, end));
    WEDGE_CHECK(job->way->stream, &job->dev->note, WEDGE_UNSUPPORTED,
                "%s has one result, at the end: use wedge_job_run", job->info.sink);
    return job->way->stream(job, begin, end, memory, take, progress, user);
}
