/* A live run: the main job once, on a real account, bounded in money and time, with nothing left behind. Row V6. */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "live/account.h"
#include "live/recorder.h"

#include <sandport/sandport.h>

#define LIVE_CREATES_MAX 2               /* the second only after a refusal of the first */
#define LIVE_RUN_MS      (5 * 60 * 1000) /* for the steps; taking down and auditing come on top */
#define LIVE_TTL_MIN     15
#define LIVE_IDLE_MIN    5

/** How it ended; the program's exit status. */
enum live_verdict {
    LIVE_HELD = 0,     /* every step held, and nothing is left */
    LIVE_NOT_SO = 1,   /* a step did not hold, or the transcript is not whole; nothing is left */
    LIVE_REFUSED = 64, /* it did not begin */
    LIVE_LEFT = 70     /* something is left, or that nothing is could not be proven */
};

struct live_run {
    struct sbx_env *under;              /* lent: the real env, or a simulation's */
    const struct live_account *account; /* lent; not read after live_run_do has made its runtime */
    const char *folder;                 /* for the transcript */
    FILE *out;                          /* one line a step */
    struct sbx_cancel *cancel;          /* lent; ends the step under way, and the job with it; may be NULL */
};

/** Does it all. Credentials and provider texts are not printed. */
enum live_verdict live_run_do(const struct live_run *run);

/* ---- inside ---- */

/** A run under way. */
struct live {
    const struct live_run *run;
    struct live_transcript transcript;
    struct live_recorder recorder;
    struct sbx_env *env; /* the recorder's */
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
    char label[17];   /* the run's own: the value of live-run */
    int64_t until_ms; /* the end of its time */
    int64_t began_ms; /* of the step under way */
};

/** Begins a step, and says with live_told() how it ended: "step | sent: ... | decided: ... | N ms". @return holds */
void live_step(struct live *l, const char *step);
int live_told(struct live *l, int holds, const char *fmt, ...) SBX_PRINTF(3, 4);
/** The same of the error in l->err. @return 0 */
int live_failed(struct live *l, const char *what);

/** At most ms from now and within the run's time, ended by the cancel. */
struct sbx_call live_call(const struct live *l, int64_t ms);
/** For what must be done whatever happened: not ended by the cancel, nor by the run's time. */
struct sbx_call live_call_cleanup(const struct live *l, int64_t ms);

/** The job, until the first step that does not hold. @return 1 if all did */
int live_job(struct live *l);

/** Takes down what was made. @return 0 if that is not proven */
int live_take_down(struct live *l);
/** Is nothing left that carries the run's label? What is found is deleted. @return 0 if that is not proven */
int live_audit(struct live *l);

#endif
