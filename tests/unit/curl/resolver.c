/* A resolver that hangs: an exchange still ends at its deadline and at its cancel. Rows P4, P9.
 *
 * This program's getaddrinfo() takes the place of the system's, also for libcurl's resolver thread; for one name it
 * says nothing until the test lets it go, as the system's does for many seconds when no name server answers. */
#include "client.h"
#include "t.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>

#define HANGING_HOST  "hangs.sandport.invalid"
#define TWO_ADDRESSES "two.sandport.invalid" /* nobody listens at the first of them */

static pthread_mutex_t gate_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static int gate_waiting; /* look-ups that hang now */
static int gate_entered; /* look-ups that have hung */
static int gate_open;

static void gate_wait(void) {
    pthread_mutex_lock(&gate_mutex);
    gate_waiting++;
    gate_entered++;
    pthread_cond_broadcast(&gate_changed);
    while (!gate_open) pthread_cond_wait(&gate_changed, &gate_mutex);
    gate_waiting--;
    pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate_mutex);
}

/* The addresses of the one before those of the other, in one list that freeaddrinfo() frees. */
static int addresses_joined(struct addrinfo *first, struct addrinfo *second, struct addrinfo **out) {
    struct addrinfo *last = first;
    while (last->ai_next) last = last->ai_next;
    last->ai_next = second;
    *out = first;
    return 0;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    typedef int resolve_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    resolve_fn *system_resolve = NULL;
    *(void **)&system_resolve = dlsym(RTLD_NEXT, "getaddrinfo");
    if (name && strcmp(name, HANGING_HOST) == 0) {
        gate_wait();
        return EAI_AGAIN;
    }
    if (system_resolve && name && strcmp(name, TWO_ADDRESSES) == 0) {
        struct addrinfo *first = NULL, *second = NULL;
        int failed = system_resolve("127.0.0.2", service, hints, &first);
        if (!failed) failed = system_resolve("127.0.0.1", service, hints, &second);
        return failed ? failed : addresses_joined(first, second, out);
    }
    return system_resolve ? system_resolve(name, service, hints, out) : EAI_FAIL;
}

static void gate_await_entered(void) {
    pthread_mutex_lock(&gate_mutex);
    while (!gate_entered) pthread_cond_wait(&gate_changed, &gate_mutex);
    pthread_mutex_unlock(&gate_mutex);
}

/* Lets the look-ups return and waits until they have: the resolver threads that were left behind end in order. */
static void gate_release(void) {
    pthread_mutex_lock(&gate_mutex);
    gate_open = 1;
    pthread_cond_broadcast(&gate_changed);
    while (gate_waiting) pthread_cond_wait(&gate_changed, &gate_mutex);
    gate_open = gate_entered = 0;
    pthread_mutex_unlock(&gate_mutex);
}

struct firing {
    struct client *client;
    struct sbx_cancel *cancel;
    int64_t fired_ms;
};

static void *firing_run(void *arg) {
    struct firing *firing = arg;
    gate_await_entered();
    firing->fired_ms = firing->client->env->now_ms(firing->client->env);
    sbx_cancel_fire(firing->cancel);
    return NULL;
}

static void a_cancel_does_not_wait_for_the_resolver(void) {
    struct client *c = client_begin(NULL);
    struct firing firing = {c, sbx_cancel_create(c->env), 0};
    pthread_t thread;
    c->req.url = "http://" HANGING_HOST "/x";
    c->req.cancel = sbx_cancel_event(firing.cancel);
    T_EQ(pthread_create(&thread, NULL, firing_run, &firing), 0);
    CLIENT_EXPECT(c, SBX_EVIDENCE_CANCELLED);
    int64_t ended_ms = c->env->now_ms(c->env);
    pthread_join(thread, NULL);
    T_TRUE(ended_ms - firing.fired_ms <= witness_late_ms(c->witness));
    T_EQ(c->info.sent_bytes, 0);
    gate_release();
    sbx_cancel_free(firing.cancel);
    client_end(c);
}

static void a_deadline_does_not_wait_for_the_resolver(void) {
    struct client *c = client_begin(NULL);
    int64_t due_ms = c->env->now_ms(c->env) + 50;
    c->req.url = "http://" HANGING_HOST "/x";
    c->req.deadline_ms = due_ms;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DEADLINE);
    T_TRUE(c->env->now_ms(c->env) - due_ms <= witness_late_ms(c->witness));
    T_EQ(c->info.sent_bytes, 0);
    gate_await_entered();
    gate_release();
    client_end(c);
}

/* The connect limit holds for the look-up too; no answer about the name is not the answer that it has no address. */
static void the_connect_limit_does_not_wait_for_the_resolver(void) {
    struct sbx_curl_options opt;
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.connect_ms = 50;
    struct client *c = client_begin(&opt);
    c->req.url = "http://" HANGING_HOST "/x";
    CLIENT_EXPECT(c, SBX_EVIDENCE_CONNECT);
    T_EQ(c->info.sent_bytes, 0);
    gate_await_entered();
    gate_release();
    client_end(c);
}

/* The first of two addresses is dead: the next is tried, and the request arrives once. */
static void f124_the_next_address_is_tried(void) {
    struct client *c = client_begin(NULL);
    char url[64];
    snprintf(url, sizeof(url), "http://" TWO_ADDRESSES ":%d/x", raw_server_port(c->server));
    c->req.url = url;
    client_script_one(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(c->body_len, 2);
    T_EQ(raw_server_counts(c->server).executions, 1);
    client_end(c);
}

/* Freeing the env does not wait either. */
static void an_env_is_freed_while_the_resolver_hangs(void) {
    struct client *c = client_begin(NULL);
    struct sbx_env *other = NULL;
    T_STATUS(sbx_curl_env_create(NULL, &other), SBX_OK);
    c->req.url = "http://" HANGING_HOST "/x";
    c->req.deadline_ms = c->env->now_ms(c->env) + 30;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DEADLINE);
    gate_await_entered();
    client_end(c); /* before the resolver is let go: a wait for it would never end */
    gate_release();
    sbx_env_free(other);
}

T_CASES(T_CASE(a_cancel_does_not_wait_for_the_resolver), T_CASE(a_deadline_does_not_wait_for_the_resolver),
        T_CASE(the_connect_limit_does_not_wait_for_the_resolver), T_CASE(f124_the_next_address_is_tried),
        T_CASE(an_env_is_freed_while_the_resolver_hangs))
