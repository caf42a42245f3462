/* Evaluating what decides which commands run: ! && || if while until for case. */
#include "sim/machine/sh/sh.h"
#include <string.h>

/* After a body: is the loop to be left? */
static int control_loop_ends(struct sh *sh) {
    if (sh->skip == SH_SKIP_NONE) return 0;
    if (sh->skip == SH_SKIP_RETURN) return 1;
    if (--sh->skip_levels > 0) return 1;
    int leave = sh->skip == SH_SKIP_BREAK;
    sh->skip = SH_SKIP_NONE;
    return leave;
}

static int control_tested(struct sh *sh, const struct sh_node *node) {
    sh->tested++;
    sim_sh_eval(sh, node, 0);
    sh->tested--;
    return sh->status;
}

/* bash looks away from what is inverted only where set -e is on already. */
static void control_not(struct sh *sh, const struct sh_node *node) {
    if (!sh->bash || sh->opt_e)
        control_tested(sh, node->left);
    else
        sim_sh_eval(sh, node->left, 0);
    sh->status = !sh->status;
}

static void control_loop(struct sh *sh, const struct sh_node *node) {
    int status = 0;
    sh->loop_depth++;
    for (;;) {
        int cond = control_tested(sh, node->left);
        if (sh->skip) {
            if (control_loop_ends(sh)) break;
            continue;
        }
        if ((cond != 0) == (node->kind == SH_WHILE)) break;
        sim_sh_eval(sh, node->right, 0);
        status = sh->status;
        if (control_loop_ends(sh)) break;
    }
    sh->loop_depth--;
    if (sh->skip != SH_SKIP_RETURN) sh->status = status;
}

int sim_sh_untested(struct sh *sh) {
    int tested = sh->tested;
    if (sh->bash && !sh->tested_outside) sh->tested = 0;
    return tested;
}

static void control_for(struct sh *sh, const struct sh_node *node) {
    int n = sh->args.n, status = 0;
    char **v;
    if (node->has_list) {
        int tested = sim_sh_untested(sh);
        v = sim_sh_expand_words(sh, node->words, &n);
        sh->tested = tested;
    } else {
        v = sim_alloc(sh->p, ((size_t)n + 1) * sizeof *v);
        for (int i = 0; i < n; i++) v[i] = sim_strdup(sh->p, sh->args.v[i]);
    }
    sh->loop_depth++;
    for (int i = 0; i < n; i++) {
        if (sh->bash && sim_sh_is_readonly(sh, node->name)) {
            sim_sh_warn(sh, "%s: readonly variable", node->name);
            status = 1;
            break;
        }
        sim_sh_trace_for(sh, node);
        sim_sh_set(sh, node->name, v[i]);
        sim_sh_eval(sh, node->left, 0);
        status = sh->status;
        if (control_loop_ends(sh)) break;
    }
    sh->loop_depth--;
    if (sh->skip != SH_SKIP_RETURN) sh->status = status;
}

static void control_case(struct sh *sh, const struct sh_node *node, int flags) {
    sim_sh_trace_case(sh, node);
    int tested = sim_sh_untested(sh);
    const char *subject = sim_sh_expand_text(sh, node->words);
    sh->tested = tested;
    unsigned mode = sim_sh_match_mode(sh);
    size_t len = strlen(subject);
    int fall = 0, status = 0;
    for (const struct sh_case *arm = node->cases; arm; arm = arm->next) {
        int hit = fall;
        for (const struct sh_word *word = arm->patterns; word && !hit; word = word->next)
            hit = sim_sh_match_prefix(mode, sim_sh_expand_pattern(sh, word), subject, len);
        if (!hit) continue;
        if (arm->body)
            sim_sh_eval(sh, arm->body, arm->falls ? 0 : flags);
        else
            sh->status = 0;
        status = sh->status;
        fall = arm->falls;
        if (!fall || sh->skip) break;
    }
    sh->status = status;
}

static void control_if(struct sh *sh, const struct sh_node *node, int flags) {
    int cond = control_tested(sh, node->left);
    if (sh->skip) return;
    const struct sh_node *branch = cond == 0 ? node->right : node->otherwise;
    if (branch)
        sim_sh_eval(sh, branch, flags);
    else
        sh->status = 0;
}

static void control_and_or(struct sh *sh, const struct sh_node *node, int flags) {
    int left = control_tested(sh, node->left);
    if (!sh->skip && (left == 0) == (node->kind == SH_AND)) sim_sh_eval(sh, node->right, flags);
}

void sim_sh_eval_control(struct sh *sh, const struct sh_node *node, int flags) {
    if (node->kind == SH_NOT)
        control_not(sh, node);
    else if (node->kind == SH_AND || node->kind == SH_OR)
        control_and_or(sh, node, flags);
    else if (node->kind == SH_IF)
        control_if(sh, node, flags);
    else if (node->kind == SH_FOR)
        control_for(sh, node);
    else if (node->kind == SH_CASE)
        control_case(sh, node, flags);
    else
        control_loop(sh, node);
}
