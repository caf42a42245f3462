/* Taking a stream of a process apart as E2B sends it: its envelopes alone, and the whole way from bytes of the wire to
 * bytes of output, against a loop that does the least for each message: cJSON, two members, base64 by libcrypto. */
#include "adapters/e2b/process.h"
#include "rig.h"

#include <cjson/cJSON.h>
#include <openssl/evp.h>
#include <sandport/kit/connect.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS   9
#define MESSAGES 512
#define OUTPUT   32768 /* bytes that one message has at most */
#define PIECE    16384 /* what libcurl hands over at once */

static struct sbx_buf stream_make(void) {
    static char output[OUTPUT];
    struct sbx_buf stream = SBX_BUF_INIT, json = SBX_BUF_INIT;
    for (size_t i = 0; i < MESSAGES; i++) {
        bench_bytes(output, i * OUTPUT, OUTPUT);
        sbx_buf_clear(&json);
        sbx_buf_text_append(&json, "{\"event\":{\"data\":{\"stdout\":\"");
        sbx_base64_encode(&json, output, OUTPUT);
        sbx_buf_text_append(&json, "\"}}}");
        sbx_connect_envelope(&stream, json.data, json.len);
    }
    BENCH_NEED(!stream.failed && !json.failed);
    sbx_buf_finish(&json);
    return stream;
}

struct taken {
    uint64_t messages;
    uint64_t bytes;
    struct e2b_event event;
};

static int count(void *ctx, const char *data, size_t len) {
    struct taken *taken = ctx;
    (void)data;
    taken->messages++;
    taken->bytes += len;
    return 0;
}

static int decode(void *ctx, const char *data, size_t len) {
    struct taken *taken = ctx;
    if (e2b_event_read(data, len, &taken->event)) return -1;
    taken->messages++;
    taken->bytes += taken->event.bytes.len;
    return 0;
}

static double decoder_us(const struct sbx_buf *stream, int (*message)(void *, const char *, size_t), uint64_t bytes) {
    struct taken taken = {0};
    const struct sbx_connect_sink sink = {sizeof(sink), &taken, message};
    struct sbx_connect_decoder *decoder = sbx_connect_decoder_create(&sink, 0);
    BENCH_NEED(decoder != NULL);
    double began = bench_cpu_us();
    for (size_t at = 0; at < stream->len; at += PIECE)
        BENCH_NEED(sbx_connect_feed(decoder, stream->data + at, stream->len - at < PIECE ? stream->len - at : PIECE) ==
                   SBX_OK);
    double took = bench_cpu_us() - began;
    BENCH_NEED(taken.messages == MESSAGES && (!bytes || taken.bytes == bytes));
    sbx_buf_finish(&taken.event.bytes);
    sbx_connect_decoder_free(decoder);
    return took;
}

/* Each message where it lies, since it need not be put together first. */
static double bare_us(const struct sbx_buf *stream) {
    static unsigned char output[OUTPUT + 3];
    uint64_t bytes = 0;
    double began = bench_cpu_us();
    for (size_t at = 0; at + 5 < stream->len;) {
        const unsigned char *head = (const unsigned char *)stream->data + at;
        const size_t len = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
        cJSON *json = cJSON_ParseWithLength(stream->data + at + 5, len);
        const cJSON *data = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "event"), "data");
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(data, "stdout"));
        BENCH_NEED(text != NULL);
        const int coded = (int)strlen(text);
        const int n = EVP_DecodeBlock(output, (const unsigned char *)text, coded);
        BENCH_NEED(n > 0);
        bytes += (uint64_t)n - (text[coded - 1] == '=') - (text[coded - 2] == '=');
        cJSON_Delete(json);
        at += 5 + len;
    }
    double took = bench_cpu_us() - began;
    BENCH_NEED(bytes == (uint64_t)MESSAGES * OUTPUT);
    return took;
}

int main(void) {
    struct sbx_buf stream = stream_make();
    double speeds[ROUNDS], rates[ROUNDS], frames[ROUNDS];
    bench_progress("a stream taken apart");
    for (size_t i = 0; i < ROUNDS; i++) {
        double bare = bare_us(&stream), whole = decoder_us(&stream, decode, (uint64_t)MESSAGES * OUTPUT),
               framing = decoder_us(&stream, count, 0);
        speeds[i] = bare / whole;
        rates[i] = (double)MESSAGES * OUTPUT / whole / 1.048576;
        frames[i] = (double)stream.len / framing / 1073.741824;
    }
    bench_line("an E2B stream to bytes of output", bench_spread_of(speeds, ROUNDS), "x", "at least 0.5 x",
               "the speed of a cJSON and libcrypto base64 loop");
    bench_line("  of it", bench_spread_of(rates, ROUNDS), "MiB/s", "none", "of output, for orientation");
    bench_line("  envelopes alone", bench_spread_of(frames, ROUNDS), "GiB/s", "none", "about 5, for orientation");
    sbx_buf_finish(&stream);
    return 0;
}
