/* Between a client and the PostgreSQL server: passes everything on, and cuts both at a COMMIT. */
#ifndef TESTS_STORES_PROXY_H
#define TESTS_STORES_PROXY_H

enum proxy_cut {
    PROXY_CUTS_NOTHING,
    PROXY_CUTS_BEFORE_COMMIT, /* the server never sees it */
    PROXY_CUTS_AFTER_COMMIT   /* the server has answered it, and the client never hears */
};

struct proxy;

/** Listens in a folder of its own. */
struct proxy *proxy_create(const char *server_folder);

/** Where clients connect: `host` of a connection string. */
const char *proxy_folder(const struct proxy *proxy);

/** The next COMMIT, once. */
void proxy_arm(struct proxy *proxy, enum proxy_cut cut);

/** Has it been cut since? */
int proxy_has_cut(struct proxy *proxy);

void proxy_free(struct proxy *proxy);

#endif
