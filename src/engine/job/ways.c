/* ways.c: chooses a job's way by its sink, and runs ranges.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/job/ways.h"

#include "core/float_env.h"
#include "core/sized.h"
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
    wedge_result r;
    WEDGE_TRY(SIZED_READ(&dev->note, wedge_result, result, &r));
    WEDGE_CHECK(r.place == WEDGE_ON_HOST || r.place == WEDGE_ON_DEVICE, &dev->note, WEDGE_BAD_ARGUMENT, JOB_NO_PLACE,
                (int)r.place);
    WEDGE_TRY(job_check_range(job, begin, end));
    r.count = 0;
    wedge_status status = job->way->run(job, begin, end, &r, progress, user);
    SIZED_WRITE(wedge_result, result, &r);
    return status;
}

wedge_status wedge_job_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                              void *take_user, wedge_progress progress, void *user) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    WEDGE_GIVEN(take, &job->dev->note);
    WEDGE_TRY(job_check_range(job, begin, end));
    WEDGE_CHECK(job->way->stream, &job->dev->note, WEDGE_UNSUPPORTED,
                "%s has one result, at the end: use wedge_job_run", job->info.sink);
    return job->way->stream(job, begin, end, memory, take, take_user, progress, user);
}
