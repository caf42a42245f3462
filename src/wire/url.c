/* URLs: queries appended, endpoints checked. */
#include <sandport/kit/text.h>
#include <sandport/kit/wire.h>

#include <string.h>

void sbx_url_query(struct sbx_buf *url, const char *name, const char *value) {
    sbx_buf_char(url, strchr(sbx_buf_text(url), '?') ? '&' : '?');
    sbx_percent_encode(url, name);
    sbx_buf_char(url, '=');
    sbx_percent_encode(url, value);
}

int sbx_url_is_base(const char *url) {
    const struct sbx_request req = {.size = sizeof(req), .method = "GET", .url = url};
    return sbx_request_check(&req, NULL) == SBX_OK && !strchr(url, '?');
}
