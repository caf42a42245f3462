/* Giving root's rights up before bubblewrap: even without capabilities the kernel lets user 0 write below /proc/sys. */
#include "sim/machine/host/inside.h"

#include <grp.h>
#include <sandport/kit/text.h>
#include <unistd.h>

#define DROP_FAILED 126

int sim_host_drop(const char *id, char **command) {
    int64_t number = 0;
    if (!sbx_text_int(id, 1, 65535, &number)) return DROP_FAILED;
    const gid_t group = (gid_t)number;
    const uid_t user = (uid_t)number;
    if (setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user)) return DROP_FAILED;
    execv(command[0], command);
    return DROP_FAILED;
}
