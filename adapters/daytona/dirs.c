/* Where things are: the toolbox's address, home and working directory. Rows D22, P3. */
#include "adapters/daytona/verbs.h"

#include <string.h>

enum sbx_status daytona_address(struct daytona *d, struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct sbx_buf url = SBX_BUF_INIT;
    struct daytona_dto said = {.id = who->id};
    if (who->address[0]) return SBX_OK;
    daytona_url(d, &url, who->id, "/toolbox-proxy-url");
    enum sbx_status st = sbx_buf_status(&url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : daytona_read(d, DAYTONA_GET, sbx_buf_text(&url), call, &reply, err);
    if (!st) {
        said.toolbox_url = sbx_json_string(reply.js, sbx_json_root(reply.js), "url");
        said.state = who->state;
        if (!said.toolbox_url || !*said.toolbox_url)
            st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected a string at $.url");
        else
            st = daytona_dto_identity(d, reply.js, &said, who, err);
    }
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    return st;
}

enum sbx_status daytona_dir(struct daytona *d, const struct sbx_identity *who, const char *which,
                            const struct sbx_call *call, struct sbx_buf *out, struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct sbx_buf url = SBX_BUF_INIT;
    struct sbx_identity where = *who;
    enum sbx_status st = daytona_address(d, &where, call, err);
    if (st) return st;
    daytona_toolbox_url(&url, &where, which);
    st = sbx_buf_status(&url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : daytona_read(d, DAYTONA_DIR, sbx_buf_text(&url), call, &reply, err);
    if (!st) {
        const char *dir = sbx_json_string(reply.js, sbx_json_root(reply.js), "dir");
        if (dir && *dir == '/')
            sbx_buf_text_append(out, dir);
        else
            st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected an absolute path at $.dir");
    }
    if (!st && out->failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    return st;
}

enum sbx_status daytona_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                 struct sbx_buf *out, struct sbx_error *err) {
    return daytona_dir(self, who, "/user-home-dir", call, out, err);
}
