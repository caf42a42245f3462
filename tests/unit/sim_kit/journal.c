/* The journal: lines as the schema says, nothing secret in them, the same bytes for the same seed; and its timeline. */
#include "echo.h"
#include "schema.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    struct echo_cloud echo;
    struct sim *sim;
    struct echo_answer ans;
};

static struct scene *scene_new(uint64_t seed) {
    struct scene *s = calloc(1, sizeof(*s));
    T_TRUE(s);
    s->sim = echo_sim(seed, &s->echo);
    return s;
}

static void scene_free(struct scene *s) {
    echo_answer_finish(&s->ans);
    sim_free(s->sim);
    free(s);
}

static const char *journal_of(struct scene *s) {
    return sim_journal_text(sim_journal(s->sim), NULL);
}

/* Every kind of line there is. */
static void play(struct scene *s) {
    struct sbx_env *env = sim_env(s->sim);
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\",\"times\":1,\"effect\":{\"kind\":\"reset\"}}");
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"times\":1,\"effect\":{\"kind\":\"cut\"}}");
    echo_ask(s->sim, "/v1/make", "{\"name\":\"one\",\"env\":{\"KEY\":\"asked-secret-value\"},\"odd\":[1]}", &s->ans);
    echo_ask(s->sim, "/v1/make", "{\"nam", &s->ans);
    echo_ask(s->sim, "/v1/make", "{\"name\":\"two\",\"more\":{\"a\":1}, \n \"envs\":{}}", &s->ans);
    for (int i = 0; i < 3; i++) echo_ask(s->sim, "/v1/things/x?verbose=1", NULL, &s->ans);
    echo_ask(s->sim, "/v1/file", "all the bytes of a file", &s->ans);
    echo_ask(s->sim, "/v1/odd", NULL, &s->ans);
    echo_ask(s->sim, "/v1/harmless", NULL, &s->ans);
    env->note(env, "decided to \"stop\"\nhere");
    sim_ledger_open(sim_ledger(s->sim), "echo", "default", "brief", NULL, NULL, 1, 1);
    sim_ledger_close(sim_ledger(s->sim), "brief", "delete", 2);
    sim_journal_unsupported(sim_journal(s->sim), "machine.unsupported", "sed -Q", 0);
}

static const char *line_of(const char *journal, int number, char *out, size_t cap) {
    for (int i = 0; i < number && journal; i++) journal = strchr(journal, '\n') ? strchr(journal, '\n') + 1 : NULL;
    size_t len = journal ? strcspn(journal, "\n") : 0;
    if (!len || len >= cap) return NULL;
    memcpy(out, journal, len);
    out[len] = 0;
    return out;
}

static struct sbx_json *read_json(const char *text) {
    struct sbx_json *js = NULL;
    if (sbx_json_parse(text, strlen(text), 0, &js)) T_FAIL("%s: %s", sbx_json_error(js), text);
    return js;
}

static void every_line_holds_to_the_schema(void) {
    struct scene *s = scene_new(1);
    char line[8192], why[4200];
    char *text = t_read_source("fixtures/schema/journal.json", NULL);
    struct sbx_json *schema = read_json(text);
    int lines = 0;
    play(s);
    for (; line_of(journal_of(s), lines, line, sizeof(line)); lines++) {
        struct sbx_json *js = read_json(line);
        if (!schema_fits(sbx_json_root(schema), sbx_json_root(schema), sbx_json_root(js), why, sizeof(why)))
            T_FAIL("%s\n%s", why, line);
        T_TRUE(strncmp(line, "{\"t\":", 5) == 0);
        sbx_json_free(js);
    }
    T_TRUE(lines > 15);
    static const char *const kinds[] = {"exchange",         "state", "alloc", "note", "machine.unsupported",
                                        "route.unsupported"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        snprintf(line, sizeof(line), "\"kind\":\"%s\"", kinds[i]);
        T_CONTAINS(journal_of(s), line);
    }
    sbx_json_free(schema);
    free(text);
    scene_free(s);
}

static void the_schema_is_not_empty_words(void) {
    static const char *const bad[] = {
        "{\"t\":1,\"kind\":\"note\"}",
        "{\"t\":-1,\"kind\":\"note\",\"text\":\"a\"}",
        "{\"t\":1,\"kind\":\"note\",\"text\":\"a\",\"extra\":1}",
        "{\"t\":1.5,\"kind\":\"note\",\"text\":\"a\"}",
        "{\"t\":1,\"kind\":\"gossip\",\"text\":\"a\"}",
        "{\"t\":1,\"kind\":\"state\",\"provider\":\"p\",\"sandbox\":\"s\",\"alias\":7,\"from\":null,\"why\":null}",
    };
    char why[4200];
    char *text = t_read_source("fixtures/schema/journal.json", NULL);
    struct sbx_json *schema = read_json(text);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbx_json *js = read_json(bad[i]);
        if (schema_fits(sbx_json_root(schema), sbx_json_root(schema), sbx_json_root(js), why, sizeof(why)))
            T_FAIL("fits: %s", bad[i]);
        sbx_json_free(js);
    }
    sbx_json_free(schema);
    free(text);
}

/* What the schema of rules allows, the program takes, and the list of rules that it gives fits the schema again. */
static void rules_hold_to_their_schema(void) {
    struct scene *s = scene_new(1);
    char why[4200];
    char *text = t_read_source("fixtures/schema/fault.json", NULL);
    struct sbx_json *schema = read_json(text);
    static const char *const good[] = {
        "{\"op\":\"echo.get\",\"phase\":\"before\",\"nth\":2,\"times\":1,\"rate\":0.5,\"where\":{\"label\":\"a=1\","
        "\"state\":\"x\","
        "\"sandbox\":\"sb-1\",\"after_ms\":1},\"effect\":{\"kind\":\"status\",\"status\":503,\"body\":{\"a\":1},"
        "\"retry_after\":"
        "\"3\"}}",
        "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"effect\":{\"kind\":\"cut\",\"at_bytes\":7,\"value\":\"reset\"}"
        "}",
        "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"effect\":{\"kind\":\"mutate\",\"path\":\"$.a[0]\",\"value\":["
        "null]}}",
        "{\"op\":\"echo.get\",\"phase\":\"after\",\"effect\":{\"kind\":\"state\",\"state\":\"x\",\"dialect\":\"502\","
        "\"delay_ms\":5}}",
    };
    static const char *const bad[] = {
        "{\"op\":\"echo.get\",\"phase\":\"during\",\"effect\":{\"kind\":\"reset\"}}",
        "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":{}}",
        "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\",\"x\":1}}",
        "{\"op\":\"echo.get\",\"phase\":\"before\",\"rate\":2,\"effect\":{\"kind\":\"reset\"}}",
    };
    for (size_t i = 0; i < 8; i++) {
        struct sbx_json *js = read_json(i < 4 ? good[i] : bad[i - 4]);
        int ok = schema_fits(sbx_json_root(schema), sbx_json_root(schema), sbx_json_root(js), why, sizeof(why));
        int64_t rule = sim_faults_add_json(sim_faults(s->sim), js, sbx_json_root(js), NULL, 0);
        if (ok != (i < 4) || (rule != 0) != (i < 4)) T_FAIL("%s: schema %d, program %lld", why, ok, (long long)rule);
        sbx_json_free(js);
    }
    sbx_json_free(schema);
    free(text);
    scene_free(s);
}

static void a_line_says_what_was_sent_and_answered(void) {
    struct scene *s = scene_new(1);
    play(s);
    const char *journal = journal_of(s);
    T_CONTAINS(journal, "\"op\":\"echo.make\"");
    T_CONTAINS(journal, "\"method\":\"POST\",\"target\":\"/v1/make\"");
    T_CONTAINS(journal, "\"authorization\":\"redacted\",\"x-two\":\"a, b\"");
    T_CONTAINS(journal, "\"unread\":[\"$.env\",\"$.odd\"]");
    T_CONTAINS(journal, "\"unread\":[\"$.more\",\"$.envs\"]");
    T_CONTAINS(journal, "\"body\":{\"name\":\"two\",\"more\":{\"a\":1},\"envs\":{}}"); /* no line break came through */
    T_CONTAINS(journal, "\"notes\":[\"made the thing \\\"one\\\"\"]");
    T_CONTAINS(journal, "\"faults\":[{\"rule\":1,\"phase\":\"before\",\"kind\":\"reset\"}]");
    T_CONTAINS(journal, "\"status\":0,\"answer_bytes\":0,\"ended\":\"reset\"");
    T_CONTAINS(journal, "\"text\":\"decided to \\\"stop\\\"\\nhere\"");
    T_CONTAINS(journal, "\"what\":\"sed -Q\",\"harmless\":false");
    T_CONTAINS(journal, "\"alias\":\"sb-2\"");
    T_EQ(sim_journal_unsupported_count(sim_journal(s->sim)), 2); /* the harmless one is not counted */
    scene_free(s);
}

static void hashes_of(const char *value, char *out, size_t cap) {
    char hex[SBX_SHA256_HEX];
    T_TRUE(sbx_sha256_of(value, strlen(value), hex));
    snprintf(out, cap, "{\"length\":%zu,\"sha256\":\"%s\"}", strlen(value), hex);
}

static void values_of_environments_and_files_go_in_as_hashes(void) {
    struct scene *s = scene_new(1);
    char hashed[160];
    play(s);
    hashes_of("\"asked-secret-value\"", hashed, sizeof(hashed));
    T_CONTAINS(journal_of(s), hashed);
    hashes_of("all the bytes of a file", hashed, sizeof(hashed));
    T_CONTAINS(journal_of(s), hashed);
    T_TRUE(!strstr(journal_of(s), "secret-value"));
    T_TRUE(!strstr(journal_of(s), "all the bytes"));
    scene_free(s);
}

/* ---- credentials ---- */

static void canary_forms(struct sbx_buf *raw, struct sbx_buf *percent, struct sbx_buf *hex, struct sbx_buf *base64) {
    char digits[2 * sizeof(ECHO_KEY)];
    sbx_buf_text_append(raw, ECHO_KEY);
    sbx_percent_encode(percent, ECHO_KEY);
    sbx_hex(ECHO_KEY, strlen(ECHO_KEY), digits);
    sbx_buf_text_append(hex, digits);
    sbx_base64_encode(base64, ECHO_KEY, strlen(ECHO_KEY) / 3 * 3);
}

/* The key is put wherever text of a client's can go, in five codings, and looked for in all that comes out. */
static void a_credential_shows_nowhere_in_any_coding(void) {
    struct scene *s = scene_new(1);
    struct sbx_env *env = sim_env(s->sim);
    struct sbx_buf raw = SBX_BUF_INIT, percent = SBX_BUF_INIT, hex = SBX_BUF_INIT, base64 = SBX_BUF_INIT,
                   inside = SBX_BUF_INIT, path = SBX_BUF_INIT, body = SBX_BUF_INIT;
    canary_forms(&raw, &percent, &hex, &base64);
    sbx_base64_encode(&inside, "u:" ECHO_KEY, strlen("u:" ECHO_KEY)); /* as in Basic: at another offset */
    sbx_buf_printf(&path, "/v1/things/%s?key=%s&also=%s", sbx_buf_text(&hex), sbx_buf_text(&percent),
                   sbx_buf_text(&inside));
    echo_ask(s->sim, sbx_buf_text(&path), NULL, &s->ans);
    sbx_buf_printf(&body, "{\"name\":\"%s\",\"a\":\"%s\",\"b\":\"x%sx\",\"c\":\"%s\"}", ECHO_KEY, sbx_buf_text(&base64),
                   sbx_buf_text(&inside), sbx_buf_text(&hex));
    echo_ask(s->sim, "/v1/make", sbx_buf_text(&body), &s->ans);
    env->note(env, "the key is " ECHO_KEY);
    const char *everywhere[] = {journal_of(s), sim_journal_timeline(sim_journal(s->sim))};
    for (size_t i = 0; i < 2; i++) {
        T_TRUE(!strstr(everywhere[i], sbx_buf_text(&raw)));
        T_TRUE(!strstr(everywhere[i], sbx_buf_text(&percent)));
        T_TRUE(!strstr(everywhere[i], sbx_buf_text(&hex)));
        T_TRUE(!strstr(everywhere[i], sbx_buf_text(&base64)));
        T_TRUE(!strstr(everywhere[i], sbx_buf_text(&inside) + 4));
        T_CONTAINS(everywhere[i], "redacted");
    }
    T_TRUE(!strstr(journal_of(s), "Y2FuYXJ5")); /* "canary" as it happens to be coded */
    T_TRUE(!strstr(journal_of(s), "echo_canary"));
    for (struct sbx_buf *bufs[] = {&raw, &percent, &hex, &base64, &inside, &path, &body}, **b = bufs; b < bufs + 7; b++)
        sbx_buf_finish(*b);
    scene_free(s);
}

static void a_timeline_that_has_ended_does_not_grow(void) {
    struct scene *s = scene_new(1);
    sim_journal_timeline_end(sim_journal(s->sim));
    echo_ask(s->sim, "/v1/make", "{}", &s->ans);
    sim_journal_timeline_add(sim_journal(s->sim), "more");
    T_STR(sim_journal_timeline(sim_journal(s->sim)), "");
    T_CONTAINS(journal_of(s), "/v1/make");
    scene_free(s);
}

static void a_short_secret_blanks_out_nothing(void) {
    struct scene *s = scene_new(1);
    sim_journal_secret(sim_journal(s->sim), "a");
    sim_journal_secret(sim_journal(s->sim), "");
    sim_journal_secret(sim_journal(s->sim), NULL);
    sim_journal_note(sim_journal(s->sim), "bananas");
    T_CONTAINS(journal_of(s), "bananas");
    scene_free(s);
}

/* Most places are passed over at a stride. */
static void a_secret_is_found_wherever_it_begins(void) {
    static const char *const secrets[] = {"canary-8", "canary-of-some-length"};
    struct scene *s = scene_new(1);
    char text[96], wanted[96];
    for (size_t i = 0; i < 2; i++) sim_journal_secret(sim_journal(s->sim), secrets[i]);
    for (int before = 0; before < 24; before++) {
        for (int after = 0; after < 12; after++) {
            const char *secret = secrets[(before + after) % 2];
            snprintf(text, sizeof(text), "<%.*s%s%.*s>", before, "canary-of-some-other-kind", secret, after,
                     "-8-and-more-");
            snprintf(wanted, sizeof(wanted), "\"<%.*sredacted%.*s>\"", before, "canary-of-some-other-kind", after,
                     "-8-and-more-");
            sim_journal_clear(sim_journal(s->sim));
            sim_journal_note(sim_journal(s->sim), text);
            T_CONTAINS(journal_of(s), wanted);
        }
    }
    scene_free(s);
}

/* ---- the same bytes ---- */

static void journal_hash(uint64_t seed, char out[65]) {
    struct scene *s = scene_new(seed);
    char whole[SBX_SHA256_HEX];
    size_t len = 0;
    play(s);
    sim_journal_hash(sim_journal(s->sim), out);
    const char *text = sim_journal_text(sim_journal(s->sim), &len);
    T_TRUE(sbx_sha256_of(text, len, whole));
    T_STR(out, whole);
    scene_free(s);
}

static void the_seed_decides_every_byte(void) {
    char a[65], again[65], other[65];
    journal_hash(3, a);
    journal_hash(3, again);
    journal_hash(4, other);
    T_EQ(strlen(a), 64);
    T_STR(a, again);
    T_TRUE(strcmp(a, other) != 0);
}

static void tee_line(void *ctx, const char *text, size_t len) {
    sbx_buf_append(ctx, text, len);
}

static void clearing_forgets_lines_and_not_the_hash(void) {
    struct scene *s = scene_new(1);
    struct sim_journal *journal = sim_journal(s->sim);
    struct sbx_buf teed = SBX_BUF_INIT;
    char hash[65], whole[SBX_SHA256_HEX];
    size_t len = 1;
    sim_journal_tee(journal, tee_line, &teed);
    sim_journal_note(journal, "one");
    sim_journal_clear(journal);
    sim_journal_text(journal, &len);
    T_EQ(len, 0);
    sim_journal_note(journal, "two");
    T_STR(journal_of(s), "{\"t\":0,\"kind\":\"note\",\"text\":\"two\"}\n");
    T_STR(sbx_buf_text(&teed),
          "{\"t\":0,\"kind\":\"note\",\"text\":\"one\"}\n{\"t\":0,\"kind\":\"note\",\"text\":\"two\"}\n");
    sim_journal_hash(journal, hash);
    T_TRUE(sbx_sha256_of(teed.data, teed.len, whole));
    T_STR(hash, whole);
    sim_journal_tee(journal, NULL, NULL);
    sim_journal_note(journal, "three");
    T_TRUE(!strstr(sbx_buf_text(&teed), "three"));
    sbx_buf_finish(&teed);
    scene_free(s);
}

static void clearing_gives_memory_back(void) {
    struct scene *s = scene_new(1);
    struct sim_journal *journal = sim_journal(s->sim);
    for (int i = 0; i < 1000; i++) {
        sim_journal_note(journal, "one of a thousand lines, so that there is something to give back");
        sim_journal_timeline_add(journal, "one of a thousand requests");
    }
    T_TRUE(sim_journal_held(journal) > 100000);
    sim_journal_clear(journal);
    T_EQ(sim_journal_held(journal), 0);
    T_STR(sim_journal_timeline(journal), "");
    sim_journal_note(journal, "on");
    T_STR(journal_of(s), "{\"t\":0,\"kind\":\"note\",\"text\":\"on\"}\n");
    scene_free(s);
}

/* ---- the timeline ---- */

static void the_timeline_reads_the_same_whatever_the_ids_are(void) {
    for (uint64_t seed = 1; seed < 4; seed++) {
        struct scene *s = scene_new(seed);
        struct sim_journal *journal = sim_journal(s->sim);
        char path[256], id[37];
        echo_ask(s->sim, "/v1/make", "{\"name\":\"first\"}", &s->ans);
        snprintf(id, sizeof(id), "%.36s", strstr(sbx_buf_text(&s->ans.body), "\"id\":\"") + 6);
        echo_ask(s->sim, "/v1/make", "{\"name\":\"second\"}", &s->ans);
        snprintf(path, sizeof(path), "/v1/things/%s?also=%%22%s%%22&name=second&x=%sx", id, id, id);
        echo_ask(s->sim, path, NULL, &s->ans);
        char want[512];
        snprintf(want, sizeof(want),
                 "[     5] POST /make -> 200\n[    10] POST /make -> 200\n"
                 "[    15] GET  /things/sb-1?also=%%22sb-1%%22&name=sb-2&x=%sx -> 200\n",
                 id);
        T_STR(sim_journal_timeline(journal), want);
        T_STR(sim_journal_alias(journal, id), "sb-1");
        T_TRUE(!sim_journal_alias(journal, "sb"));
        T_TRUE(!sim_journal_alias(journal, "nobody"));
        sim_journal_timeline_reset(journal);
        T_STR(sim_journal_timeline(journal), "");
        scene_free(s);
    }
}

T_CASES(T_CASE(every_line_holds_to_the_schema), T_CASE(the_schema_is_not_empty_words),
        T_CASE(rules_hold_to_their_schema), T_CASE(a_line_says_what_was_sent_and_answered),
        T_CASE(values_of_environments_and_files_go_in_as_hashes), T_CASE(a_credential_shows_nowhere_in_any_coding),
        T_CASE(a_short_secret_blanks_out_nothing), T_CASE(a_secret_is_found_wherever_it_begins),
        T_CASE(a_timeline_that_has_ended_does_not_grow), T_CASE(the_seed_decides_every_byte),
        T_CASE(clearing_forgets_lines_and_not_the_hash), T_CASE(clearing_gives_memory_back),
        T_CASE(the_timeline_reads_the_same_whatever_the_ids_are))
