/* The account file of a live run: what is taken, what is refused, and that a refusal repeats nothing of the file. */
#include "live/account.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "canary-live-key-0000"

static struct live_account account;
static char why[256];

static int read_with_mode(const char *text, size_t len, mode_t mode) {
    char path[] = "/tmp/sandport-live-XXXXXX";
    int fd = mkstemp(path);
    T_TRUE(fd >= 0);
    T_EQ(write(fd, text, len), len);
    T_EQ(fchmod(fd, mode), 0);
    close(fd);
    why[0] = 0;
    int ok = live_account_read(path, &account, why, sizeof(why));
    unlink(path);
    return ok;
}

static int read_text(const char *text) {
    return read_with_mode(text, strlen(text), 0600);
}

static void takes_what_it_knows(void) {
    T_EQ(read_text("# an account\n\nDAYTONA_API_KEY=" KEY "\nDAYTONA_API_URL=https://daytona.example/api\n"
                   "DAYTONA_TARGET=eu\nDAYTONA_SNAPSHOT=a=b"),
         1);
    T_STR(account.api_key, KEY);
    T_STR(account.api_url, "https://daytona.example/api");
    T_STR(account.target, "eu");
    T_STR(account.snapshot, "a=b");
    T_STR(why, "");
}

static void the_key_is_enough(void) {
    T_EQ(read_text("DAYTONA_API_KEY=" KEY "\n"), 1);
    T_STR(account.api_url, "https://app.daytona.io/api");
    T_STR(account.target, "");
    T_STR(account.snapshot, "");
}

static void refuses_what_is_no_such_file(void) {
    static const struct {
        const char *text, *why;
    } files[] = {
        {"", "expected a line DAYTONA_API_KEY=..."},
        {"DAYTONA_API_URL=https://x.example/api\n", "expected a line DAYTONA_API_KEY=..."},
        {KEY "\n", "line 1: expected NAME=value"},
        {"DAYTONA_API_KEY=" KEY "\nexport DAYTONA_TARGET=eu\n", "line 2: expected DAYTONA_API_KEY, "},
        {"DAYTONA_API_KEY =" KEY "\n", "line 1: expected DAYTONA_API_KEY, "},
        {" DAYTONA_API_KEY=" KEY "\n", "line 1: expected DAYTONA_API_KEY, "},
        {"daytona_api_key=" KEY "\n", "line 1: expected DAYTONA_API_KEY, "},
        {"\n\nDAYTONA_JWT_TOKEN=" KEY "\n", "line 3: expected DAYTONA_API_KEY, "},
        {"DAYTONA_API_KEY=\n", "line 1: expected a value behind ="},
        {"DAYTONA_API_KEY=\"" KEY "\"\n", "line 1: expected the value without quotes"},
        {"DAYTONA_API_KEY='" KEY "'\n", "line 1: expected the value without quotes"},
        {"DAYTONA_API_KEY=" KEY "\r\n", "line 1: expected printable ASCII without spaces"},
        {"DAYTONA_API_KEY=" KEY " \n", "line 1: expected printable ASCII without spaces"},
        {"DAYTONA_API_KEY=" KEY "\xc3\xa9\n", "line 1: expected printable ASCII without spaces"},
        {"DAYTONA_API_KEY=" KEY "\nDAYTONA_API_KEY=" KEY "\n", "line 2: this name was given before"},
        {"DAYTONA_API_KEY=" KEY "\nDAYTONA_API_URL=ftp://x/api\n", "DAYTONA_API_URL: expected an absolute URL"},
        {"DAYTONA_API_KEY=" KEY "\nDAYTONA_API_URL=https://u:p@x.example/api\n",
         "DAYTONA_API_URL: expected an absolute"},
        {"DAYTONA_API_KEY=" KEY "\nDAYTONA_API_URL=http://x.example/api\n", "DAYTONA_API_URL: expected https, "},
        {"DAYTONA_API_KEY=" KEY "\nDAYTONA_API_URL=http://127.0.0.1.x.example/api\n",
         "DAYTONA_API_URL: expected https, "},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (read_text(files[i].text)) T_FAIL("taken: %s", files[i].text);
        T_CONTAINS(why, files[i].why);
        T_TRUE(!strstr(why, "canary"));
        T_STR(account.api_key, "");
    }
}

static void a_nul_is_no_end(void) {
    static const char text[] = "DAYTONA_API_KEY=" KEY "\0\n";
    T_EQ(read_with_mode(text, sizeof(text) - 1, 0600), 0);
    T_CONTAINS(why, "line 1: expected printable ASCII");
}

static void values_have_an_end(void) {
    static char text[20000];
    snprintf(text, sizeof(text), "DAYTONA_API_KEY=%01100d\n", 0);
    T_EQ(read_text(text), 0);
    T_STR(why, "line 1: the value is too long");
    memset(text, '#', sizeof(text) - 1);
    T_EQ(read_text(text), 0);
    T_STR(why, "expected less than 16 KiB");
}

/* The pair differs in one bit of the mode. */
static void others_may_not_use_the_file(void) {
    static const char text[] = "DAYTONA_API_KEY=" KEY "\n";
    static const mode_t open_modes[] = {0604, 0640, 0644, 0602, 0601, 0666};
    for (size_t i = 0; i < sizeof(open_modes) / sizeof(open_modes[0]); i++) {
        T_EQ(read_with_mode(text, sizeof(text) - 1, open_modes[i]), 0);
        T_CONTAINS(why, "expected mode 600 (chmod 600 FILE)");
        T_STR(account.api_key, "");
    }
    T_EQ(read_with_mode(text, sizeof(text) - 1, 0600), 1);
    T_EQ(read_with_mode(text, sizeof(text) - 1, 0400), 1);
}

static void only_files_are_read(void) {
    T_EQ(live_account_read("/nowhere/at/all", &account, why, sizeof(why)), 0);
    T_STR(why, "there is no such file");
    T_EQ(live_account_read("/tmp", &account, why, sizeof(why)), 0);
    T_STR(why, "expected a regular file");
    T_EQ(live_account_read("/dev/null", &account, why, sizeof(why)), 0);
    T_STR(why, "expected a regular file");
}

static void wiping_leaves_nothing(void) {
    static const struct live_account nothing;
    T_EQ(read_text("DAYTONA_API_KEY=" KEY "\nDAYTONA_TARGET=eu\n"), 1);
    live_account_wipe(&account);
    T_MEM(&account, sizeof(account), &nothing, sizeof(nothing));
}

T_CASES(T_CASE(takes_what_it_knows), T_CASE(the_key_is_enough), T_CASE(refuses_what_is_no_such_file),
        T_CASE(a_nul_is_no_end), T_CASE(values_have_an_end), T_CASE(others_may_not_use_the_file),
        T_CASE(only_files_are_read), T_CASE(wiping_leaves_nothing))
