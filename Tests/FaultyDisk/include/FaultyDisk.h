#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

/// A disk that fails on command, for a program that is started with this library in LD_PRELOAD.
///
/// The environment's FAULTY_DISK names a file. While there is such a file, its first letter says what
/// fails of that which SQLite does to a disk:
///
///     f    the disk is full: of what is written the first half gets there, the rest does not
///     w    writing fails
///     s    what is written can't be synced
///
/// Sockets, pipes and reading are left alone.
#define FAULTY_DISK_VARIABLE "FAULTY_DISK"

#endif
