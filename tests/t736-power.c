/* t736-power.c: a power cut between any two file operations leaves no OUT, the older one or a complete one, and a resume
 * never makes wrong bytes of what is left. What a stopped run said it had done is not lost, nor is a finished OUT.
 *
 * The folder is watched through every call. Only what was synced is certain: the bytes (fdatasync), the attributes as
 * well (fsync), the names of a folder (fsync of the folder). Everything since may be on the disk or not, in any
 * combination: each name that was made, moved or removed; of each file the old bytes, the new ones, zeros in their
 * place, or some sectors of each. Every such folder is built, and resumed.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

enum { SMALL = 3000, MOST = 8192, NAMES = 8, NODES = 64, CHANGES = 8, SECTOR = 16, SEEN = 1 << 16 };

typedef struct {
    size_t size;
    bool unfinished;
    char job[1000], time[40], part[40];
    struct timespec written;
    unsigned char bytes[MOST];
} content;

typedef struct {
    ino_t ino;
    content now, certain;
} node;

typedef struct {
    int count;
    struct {
        char name[48];
        int node;
    } at[NAMES];
} listing;

typedef struct {
    char from[48], to[48]; /* "" for a file that is made or removed */
    int node;
} change;

static struct {
    node nodes[NODES];
    int count;
    listing now, certain;
    change changes[CHANGES];
    int pending;
} world;

static struct {
    unsigned states, whole, resumed, refused, stuck;
    uint64_t seen[SEEN];
} tally;

static uint64_t random_state;
static uint64_t chance(uint64_t below) { return hash_mix(++random_state) % below; }

/* ---- Names ---- */

static int find(const listing *l, const char *name) {
    for (int i = 0; i < l->count; ++i)
        if (!strcmp(l->at[i].name, name)) return i;
    return -1;
}

static int find_node(const listing *l, int of) {
    for (int i = 0; i < l->count; ++i)
        if (l->at[i].node == of) return i;
    return -1;
}

static void drop(listing *l, const char *name) {
    int i = find(l, name);
    if (i >= 0) l->at[i] = l->at[--l->count];
}

static void apply(listing *l, const change *c) {
    if (*c->from) drop(l, c->from);
    if (!*c->to) return;
    drop(l, c->to);
    assert_true(l->count < NAMES);
    strcpy(l->at[l->count].name, c->to);
    l->at[l->count++].node = c->node;
}

/* ---- Watching ---- */

static void read_content(const char *path, content *c) {
    memset(c, 0, sizeof *c);
    int fd = open(path, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : pread(fd, c->bytes, MOST, 0);
    assert_true(size >= 0);
    struct stat about;
    assert_int_equal(fstat(fd, &about), 0);
    close(fd);
    c->size = (size_t)size;
    char flag[8];
    c->unfinished = syscall(SYS_lgetxattr, path, "user.wedge.unfinished", flag, sizeof flag) > 0;
    syscall(SYS_lgetxattr, path, "user.wedge.job", c->job, sizeof c->job - 1);
    syscall(SYS_lgetxattr, path, "user.wedge.identity", c->part, sizeof c->part - 1);
    syscall(SYS_lgetxattr, path, "user.wedge.time", c->time, sizeof c->time - 1);
    if (*c->time) c->written = about.st_mtim;
}

static int node_of(ino_t ino) {
    for (int i = 0; i < world.now.count; ++i)
        if (world.nodes[world.now.at[i].node].ino == ino) return world.now.at[i].node;
    assert_true(world.count < NODES);
    world.nodes[world.count] = (node){.ino = ino};
    return world.count++;
}

static void list_folder(listing *l) {
    DIR *d = opendir(folder);
    struct stat about;
    l->count = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &about, 0)) continue;
        assert_true(l->count < NAMES);
        snprintf(l->at[l->count].name, sizeof l->at->name, "%.47s", e->d_name);
        l->at[l->count++].node = node_of(about.st_ino);
    }
    closedir(d);
}

static void note_change(const char *from, const char *to, int of) {
    assert_true(world.pending < CHANGES);
    change *c = &world.changes[world.pending++];
    snprintf(c->from, sizeof c->from, "%s", from);
    snprintf(c->to, sizeof c->to, "%s", to);
    c->node = of;
}

/* What has changed since the last look. A name that went and one that came with the same file are a rename. */
static void look(void) {
    listing l;
    list_folder(&l);
    for (int i = 0; i < world.now.count; ++i) {
        const char *name = world.now.at[i].name;
        int of = world.now.at[i].node, to = find_node(&l, of), same = find(&l, name);
        if (to >= 0 && strcmp(l.at[to].name, name))
            note_change(name, l.at[to].name, of);
        else if (same < 0)
            note_change(name, "", of);
    }
    for (int i = 0; i < l.count; ++i)
        if (find_node(&world.now, l.at[i].node) < 0) note_change("", l.at[i].name, l.at[i].node);
    world.now = l;
    for (int i = 0; i < l.count; ++i) {
        char path[sizeof folder + 64];
        snprintf(path, sizeof path, "%s/%s", folder, l.at[i].name);
        read_content(path, &world.nodes[l.at[i].node].now);
    }
}

static void all_is_certain(void) {
    look();
    for (int i = 0; i < world.count; ++i) world.nodes[i].certain = world.nodes[i].now;
    world.certain = world.now;
    world.pending = 0;
}

static void on_sync(int fd, bool attributes_too) {
    struct stat about;
    look();
    assert_int_equal(fstat(fd, &about), 0);
    if (S_ISDIR(about.st_mode)) {
        world.certain = world.now;
        world.pending = 0;
        return;
    }
    node *n = &world.nodes[node_of(about.st_ino)];
    content before = n->certain;
    n->certain = n->now;
    if (!attributes_too) {
        n->certain.unfinished = before.unfinished;
        memcpy(n->certain.job, before.job, sizeof before.job);
        memcpy(n->certain.part, before.part, sizeof before.part);
    }
}

/* ---- What a cut leaves ---- */

enum { OLD, NEW, ZEROS, TORN, UNMARKED, WAYS };

static content left_of(const node *n, int way) {
    content c = way == OLD || way == ZEROS ? n->certain : n->now;
    if (way == ZEROS) c.size = n->now.size; /* beyond the certain bytes there are zeros */
    if (way == TORN)
        for (size_t at = 0; at < MOST; at += SECTOR)
            if (chance(2)) memcpy(c.bytes + at, n->certain.bytes + at, SECTOR);
    if (way == UNMARKED) {
        c.unfinished = n->certain.unfinished;
        memcpy(c.job, n->certain.job, sizeof c.job);
        memcpy(c.part, n->certain.part, sizeof c.part);
    }
    return c;
}

static bool is_new_state(const listing *l, const content *files_left) {
    hash h;
    hash_start(&h);
    for (int i = 0; i < l->count; ++i) {
        hash_add(&h, l->at[i].name, strlen(l->at[i].name) + 1);
        hash_add(&h, &files_left[i], sizeof *files_left);
    }
    uint64_t key = 0;
    assert_int_equal(sscanf(hash_end(&h).text, "%16" SCNx64, &key), 1);
    for (uint64_t at = key % SEEN;; at = (at + 1) % SEEN) {
        if (tally.seen[at] == key) return false;
        if (!tally.seen[at]) return tally.seen[at] = key, true;
    }
}

static void build(const listing *l, const content *files_left) {
    files(true);
    for (int k = 0; k < 2 * l->count; ++k) { /* OUT first: it is older than the job that replaces it */
        int i = k % l->count;
        char path[sizeof folder + 64];
        const content *c = &files_left[i];
        if ((k < l->count) != !strcmp(l->at[i].name, "OUT")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, l->at[i].name);
        put_file(path, c->bytes, c->size);
        if (c->unfinished) assert_int_equal(setxattr(path, "user.wedge.unfinished", "yes", 3, 0), 0);
        if (*c->job) assert_int_equal(setxattr(path, "user.wedge.job", c->job, strlen(c->job), 0), 0);
        if (*c->part) assert_int_equal(setxattr(path, "user.wedge.identity", c->part, strlen(c->part), 0), 0);
        if (!*c->time) continue;
        assert_int_equal(setxattr(path, "user.wedge.time", c->time, strlen(c->time), 0), 0);
        assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){c->written, c->written}, 0), 0);
    }
}

typedef enum { ABSENT, OLDER, RIGHT, WRONG } outcome;

static outcome what_out_is(void) {
    if (!there("")) return ABSENT;
    size_t size;
    char *bytes = get_file(out, &size);
    outcome is = size == sizeof older && !memcmp(bytes, older, size) ? OLDER : RIGHT;
    if (is == RIGHT && (size != HEAD + SMALL || memcmp(bytes, plain().head, HEAD))) is = WRONG;
    for (size_t i = 0; is == RIGHT && i < SMALL; ++i)
        if ((unsigned char)bytes[HEAD + i] != byte_at(i)) is = WRONG;
    free(bytes);
    return is;
}

static outfile_spec small(uint32_t k, uint32_t shards) {
    outfile_spec s = plain();
    s.shard = k;
    s.shards = shards;
    s.data_bytes = SMALL;
    s.begin = SMALL / shards * (k - 1);
    s.end = SMALL / shards * k;
    s.journal_ms = 3600000; /* pauses make the journals here */
    return s;
}

static uint32_t shards_now;
static uint64_t promised; /* by a run of all shards that was paused */
static bool finished;

static bool go_on(bool force) {
    for (uint32_t k = shards_now; k >= 1; --k) {
        note n = {0};
        outfile_spec s = resumed(small(k, shards_now));
        s.force = force;
        s.no_sync = true;
        uint64_t from = 0;
        wedge_status status = run(s, s.end, FINISH, &from, NULL, &n);
        if (force && status) print_message("%s\n", note_text(&n));
        note_free(&n);
        if (status) return false;
        if (shards_now == 1 && !force) assert_true(from >= promised);
    }
    return true;
}

static void try_state(const listing *l, const content *files_left) {
    char home[sizeof folder];
    if (!is_new_state(l, files_left)) return;
    ++tally.states;
    strcpy(home, folder);
    strcat(folder, "/.cut");
    sprintf(out, "%s/OUT", folder);
    build(l, files_left);
    outcome before = what_out_is();
    assert_int_not_equal(before, WRONG);
    if (finished) assert_int_equal(before, RIGHT);
    tally.whole += before == RIGHT;
    if (go_on(false))
        ++tally.resumed;
    else {
        outcome after = what_out_is();
        assert_true(after == before);
        ++tally.refused;
        if (!go_on(true)) ++tally.stuck;
    }
    outcome after = what_out_is();
    assert_true(after == RIGHT || (tally.stuck && after == before));
    strcpy(folder, home);
    sprintf(out, "%s/OUT", folder);
}

static void cut(void) {
    void (*call)(void) = before_call;
    before_call = NULL;
    synced_now = NULL;
    look();
    for (unsigned subset = 0; subset < 1u << world.pending; ++subset) {
        listing l = world.certain;
        for (int i = 0; i < world.pending; ++i)
            if (subset >> i & 1) apply(&l, &world.changes[i]);
        for (int way = 0; way < WAYS + 12; ++way) { /* the last twelve: each file its own */
            static content files_left[NAMES];
            for (int i = 0; i < l.count; ++i)
                files_left[i] = left_of(&world.nodes[l.at[i].node], way < WAYS ? way : (int)chance(WAYS));
            try_state(&l, files_left);
        }
    }
    before_call = call;
    synced_now = on_sync;
}

/* ---- Lives ---- */

static void watch(uint32_t shards) {
    memset(&world, 0, sizeof world);
    memset(&tally, 0, sizeof tally);
    shards_now = shards;
    promised = 0;
    finished = false;
    all_is_certain();
    before_call = cut;
    synced_now = on_sync;
}

static void done_watching(void) {
    finished = true;
    cut();
    before_call = NULL;
    synced_now = NULL;
    assert_int_equal(what_out_is(), RIGHT);
    print_message("%u folders: %u with a complete OUT, %u resumed, %u only with --force, %u stuck\n", tally.states,
                  tally.whole, tally.resumed, tally.refused, tally.stuck);
    assert_true(tally.states > 25 && tally.whole > 0);
    assert_int_equal(tally.stuck, 0);
}

static void live(outfile_spec s, uint64_t until, ending how) {
    note n = {0};
    promised = s.resume ? promised : 0;
    if (run(s, until, how, NULL, NULL, &n)) fail_msg("%s", note_text(&n));
    promised = until;
    note_free(&n);
}

static void a_job_of_several_runs(void **state) {
    (void)state;
    watch(1);
    live(small(1, 1), 500, PAUSE);
    for (uint64_t at = 1000; at < SMALL; at += 500) live(resumed(small(1, 1)), at, PAUSE);
    live(resumed(small(1, 1)), SMALL, FINISH);
    done_watching();
    assert_int_equal(tally.refused, 0);
}

static void a_job_that_replaces_an_older_output(void **state) {
    (void)state;
    put_older();
    watch(1);
    live(forced(small(1, 1)), SMALL, FINISH);
    done_watching();
}

static void a_job_in_place_of_another_one_that_was_stopped(void **state) {
    (void)state;
    outfile_spec other = small(1, 1);
    other.binding = "input 9999\n";
    put_older();
    live(forced(other), 1700, PAUSE);
    watch(1);
    live(forced(small(1, 1)), 1000, PAUSE);
    live(resumed(small(1, 1)), SMALL, FINISH);
    done_watching();
}

/* The journal of the stopped run is of the same job: it must never vouch for the new part. */
static void a_job_that_starts_afresh(void **state) {
    (void)state;
    live(small(1, 1), 1700, PAUSE);
    assert_int_equal(truncate(beside(".part"), HEAD + SMALL - 1), 0);
    watch(1);
    live(forced(small(1, 1)), 1000, PAUSE);
    live(resumed(small(1, 1)), SMALL, FINISH);
    done_watching();
}

static void shards_one_after_the_other(void **state) {
    (void)state;
    watch(2);
    live(small(2, 2), 2000, PAUSE);
    live(small(1, 2), 1500, FINISH);
    live(resumed(small(2, 2)), SMALL, FINISH);
    done_watching();
}

static int start(void **state) {
    char path[sizeof folder + 8];
    if (make_folder(state)) return -1;
    snprintf(path, sizeof path, "%s/.cut", folder);
    return mkdir(path, 0777);
}

/* Also after a failure in the midst of it. */
static int tidy(void **state) {
    char *inner = strstr(folder, "/.cut");
    before_call = NULL;
    synced_now = NULL;
    if (inner) *inner = 0;
    sprintf(out, "%s/OUT", folder);
    return clear_folder(state);
}

static int end(void **state) {
    char path[sizeof folder + 8];
    snprintf(path, sizeof path, "%s/.cut", folder);
    strcat(folder, "/.cut");
    clear_folder(state);
    *strstr(folder, "/.cut") = 0;
    rmdir(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_job_of_several_runs, tidy),
        cmocka_unit_test_teardown(a_job_that_replaces_an_older_output, tidy),
        cmocka_unit_test_teardown(a_job_in_place_of_another_one_that_was_stopped, tidy),
        cmocka_unit_test_teardown(a_job_that_starts_afresh, tidy),
        cmocka_unit_test_teardown(shards_one_after_the_other, tidy),
    };
    return cmocka_run_group_tests(tests, start, end);
}
