/* SHA-256, by libcrypto. */
#include <sandport/kit/text.h>

#include <openssl/evp.h>
#include <stdlib.h>

struct sbx_sha256 {
    EVP_MD_CTX *ctx;
    EVP_MD_CTX *copy; /* to finish without ending the running hash */
    int failed;
};

struct sbx_sha256 *sbx_sha256_create(void) {
    struct sbx_sha256 *hash = calloc(1, sizeof(*hash));
    if (!hash) return NULL;
    hash->ctx = EVP_MD_CTX_new();
    hash->copy = EVP_MD_CTX_new();
    if (!hash->ctx || !hash->copy || !EVP_DigestInit_ex(hash->ctx, EVP_sha256(), NULL)) {
        sbx_sha256_free(hash);
        return NULL;
    }
    return hash;
}

void sbx_sha256_add(struct sbx_sha256 *hash, const void *data, size_t len) {
    if (!EVP_DigestUpdate(hash->ctx, data, len)) hash->failed = 1;
}

void sbx_sha256_hex(struct sbx_sha256 *hash, char *out) {
    unsigned char digest[SBX_SHA256_SIZE] = {0};
    out[0] = 0;
    if (hash->failed || !EVP_MD_CTX_copy_ex(hash->copy, hash->ctx)) return;
    if (EVP_DigestFinal_ex(hash->copy, digest, NULL)) sbx_hex(digest, sizeof(digest), out);
}

void sbx_sha256_free(struct sbx_sha256 *hash) {
    if (!hash) return;
    EVP_MD_CTX_free(hash->ctx);
    EVP_MD_CTX_free(hash->copy);
    free(hash);
}

int sbx_sha256_of(const void *data, size_t len, char *out_hex) {
    unsigned char digest[SBX_SHA256_SIZE];
    out_hex[0] = 0;
    if (!EVP_Digest(data, len, digest, NULL, EVP_sha256(), NULL)) return 0;
    sbx_hex(digest, sizeof(digest), out_hex);
    return 1;
}
