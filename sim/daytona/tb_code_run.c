/* POST /process/code-run: code for an interpreter, which a real machine has; on a virtual one the scenario's programs
 * play it. */
#include "sim/daytona/errors.h"
#include "sim/daytona/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct code_run_language {
    const char *name, *program, *flag;
} code_run_languages[] = {
    {"python", "python3", "-c"},
    {"javascript", "node", "-e"},
    {"typescript", "ts-node", "-e"},
};

struct code_run {
    const struct code_run_language *language;
    const char *code;
    const char **argv;
    struct sim_day_execute e;
};

/* The program's words: its own, the code, and what the request has for the code. @return 0 when memory runs out */
static int code_run_words(struct code_run *run, struct sbx_json *js, const struct sbx_json_node *words) {
    size_t n = 3;
    run->argv = calloc((words ? sbx_json_count(words) : 0) + 4, sizeof(*run->argv));
    if (!run->argv) return 0;
    run->argv[0] = run->language->program;
    run->argv[1] = run->language->flag;
    run->argv[2] = run->code;
    for (const struct sbx_json_node *it = words ? sbx_json_first(words) : NULL; it; it = sbx_json_next(it)) {
        const char *word = sbx_json_as_string(js, it);
        if (word) run->argv[n++] = word;
    }
    run->e.argv = run->argv;
    return 1;
}

static const struct code_run_language *code_run_language(const char *name) {
    for (size_t i = 0; i < sizeof(code_run_languages) / sizeof(code_run_languages[0]); i++)
        if (strcmp(code_run_languages[i].name, name) == 0) return &code_run_languages[i];
    return NULL;
}

/* @return 0 when it has been answered */
static int code_run_read(struct sim_day_call *call, struct code_run *run) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_day_toolbox_body(call, &js);
    if (!root) return 0;
    run->code = sbx_json_opt_string(js, root, "code", "");
    run->language = code_run_language(sbx_json_opt_string(js, root, "language", "python"));
    run->e.timeout_s = sbx_json_opt_int(js, root, "timeout", 0);
    const struct sbx_json_node *words = sbx_json_opt_array(js, root, "argv");
    if (sim_day_execute_read_env(call, &run->e, js, root)) return 0;
    if (run->language && !code_run_words(run, js, words)) {
        sim_day_daemon_refuse(call, 500, NULL, "out of memory");
        return 0;
    }
    if (!sbx_json_status(js) && run->language && *run->code && run->e.timeout_s >= 0) return 1;
    if (sbx_json_status(js) || run->e.timeout_s < 0)
        sim_day_daemon_refuse(call, 400, "INVALID_REQUEST_BODY", "cannot unmarshal the request");
    else
        sim_day_daemon_refuse(call, 400, NULL, run->language ? "code is required" : "unsupported language");
    return 0;
}

static const char *code_run_code(void *ctx) {
    return ((const struct code_run *)ctx)->code;
}

/* Does the scenario play it? */
static int code_run_is_played(const struct sim_day_call *call, struct code_run *run) {
    struct sbx_buf line = SBX_BUF_INIT;
    for (const char **word = run->argv; *word; word++) {
        if (word != run->argv) sbx_buf_char(&line, ' ');
        sbx_buf_text_append(&line, *word);
    }
    const int played = !sbx_buf_status(&line) &&
                       sim_programs_find(sim_programs(call->day->sim), sbx_buf_text(&line), code_run_code, run) != NULL;
    sbx_buf_finish(&line);
    return played;
}

/* What a shell says in an image without that program; the journal tells that a real one has it. */
static void code_run_unplayed(struct sim_day_call *call, const struct code_run *run) {
    char text[96];
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    snprintf(text, sizeof(text), "code-run: %s that no program of the scenario plays", run->language->name);
    sim_journal_unsupported(sim_journal(call->day->sim), "machine.unsupported", text, 0);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    snprintf(text, sizeof(text), "bash: line 1: %s: command not found\n", run->language->program);
    sim_day_execute_reply(call, 127, text, strlen(text));
}

void sim_day_tb_code_run(struct sim_day_call *call) {
    struct code_run run = {0};
    if (!code_run_read(call, &run)) goto done;
    if (sim_machine_is_real(call->sb->machine) || code_run_is_played(call, &run))
        sim_day_execute_serve(call, &run.e);
    else
        code_run_unplayed(call, &run);
done:
    sim_day_execute_finish(&run.e);
    free(run.argv);
}
