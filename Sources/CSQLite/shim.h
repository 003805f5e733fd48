#pragma once
#include <sqlite3.h>

// What Swift cannot call: a variadic function, and a constant that is a cast.

/// Whether the write-ahead log is left as it is when the connection closes.
static inline int collsync_sqlite_keep_wal_on_close(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

/// Binds text that SQLite copies.
static inline int collsync_sqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}
