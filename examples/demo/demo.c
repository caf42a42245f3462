/* The main job, told as it happens, over real HTTP against sandport-sim, whose journal says what was sent.
 *
 *     sandport-sim run -- sandport-demo daytona
 *     sandport-sim run --time virtual --auto-advance --scenario silent-minute.json -- sandport-demo e2b
 *
 * Ends 0 only if everything that it tells was so. */
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct demo d = {.admin = getenv("SANDPORT_SIM_ADMIN")};
    const char *act = argc == 2 ? argv[1] : "";
    if (!d.admin || (strcmp(act, "daytona") != 0 && strcmp(act, "e2b") != 0)) {
        fprintf(stderr, "sandport-demo: run it as: sandport-sim run -- sandport-demo daytona|e2b\n");
        return 64;
    }
    if (sbx_curl_env_create(NULL, &d.env)) return 1;
    if (strcmp(act, "e2b") == 0)
        demo_e2b(&d);
    else
        demo_daytona(&d);
    sbx_sandbox_free(d.sb);
    sbx_runtime_free(d.rt);
    sbx_env_free(d.env);
    demo_say("%s\n", d.failed ? "The demo FAILED." : "All of it held.");
    return d.failed;
}
