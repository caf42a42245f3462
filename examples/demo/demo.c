/* The main job, told as it happens, over real HTTP against sandport-sim, whose journal says what was sent.
 *
 *     sandport-sim run -- sandport-demo daytona
 *     sandport-sim run --time virtual --auto-advance --scenario silent-minute.json -- sandport-demo e2b
 *     DEMO_SECOND_API_KEY=... sandport-sim run --scenario two-accounts.json -- sandport-demo router
 *
 * Ends 0 only if everything that it tells was so. */
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*play)(struct demo *d);
} acts[] = {{"daytona", demo_daytona}, {"e2b", demo_e2b}, {"router", demo_router}};

int main(int argc, char **argv) {
    struct demo d = {.admin = getenv("SANDPORT_SIM_ADMIN")};
    void (*play)(struct demo * d) = NULL;
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (argc == 2 && strcmp(argv[1], acts[i].name) == 0) play = acts[i].play;
    if (!d.admin || !play) {
        fprintf(stderr, "sandport-demo: run it as: sandport-sim run -- sandport-demo daytona|e2b|router\n");
        return 64;
    }
    if (sbx_curl_env_create(NULL, &d.env)) return 1;
    play(&d);
    sbx_sandbox_free(d.sb);
    sbx_runtime_free(d.rt);
    sbx_env_free(d.env);
    demo_say("%s\n", d.failed ? "The demo FAILED." : "All of it held.");
    return d.failed;
}
