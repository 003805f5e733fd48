#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// OpenSSL's macros, which Swift can't call.

// Allows TLS 1.3 alone. Returns 0 on failure.
static inline long collsync_tls_allow_only_13(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

// Sets the groups in which keys are agreed on. Returns 0 on failure.
static inline long collsync_tls_set_groups(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_groups_list(context, list);
}

// Frees record buffers while they are empty, and returns from a read after each record that has no data.
static inline void collsync_tls_set_modes(SSL_CTX *context) {
    // Processors compute AES fast. A client that asks for ChaCha20 first has one that does not.
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
}

static inline void collsync_tls_set_session_cache(SSL_CTX *context, int mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

// Gives clients one ticket to resume a session by, or none.
static inline void collsync_tls_set_tickets(SSL_CTX *context, int has_tickets) {
    SSL_CTX_set_num_tickets(context, has_tickets);
    if (!has_tickets) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
}

static inline void collsync_tls_set_longest_certificates(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}

// Tells the server which of its names the client means.
static inline long collsync_tls_set_server_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name);
}

// Marks a read as one that there was no input for, or as done.
static inline void collsync_bio_set_waiting(BIO *bio, int is_waiting) {
    BIO_clear_retry_flags(bio);
    if (is_waiting) BIO_set_retry_read(bio);
}
