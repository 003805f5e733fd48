#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The uses of the C library, which has a different name on each system.

extension UnsafeRawBufferPointer {
    /// Whether these bytes equal the others.
    package func hasSameBytes(as others: UnsafeRawBufferPointer) -> Bool {
        guard count == others.count else { return false }
        guard let base = baseAddress, let other = others.baseAddress else { return true }
        return memcmp(base, other, count) == 0
    }

    /// The index of the first newline from `start` on.
    package func firstNewline(from start: Int) -> Int? {
        guard start < count, let base = baseAddress,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Grows memory and keeps its content, or allocates it; `nil` if the system has none left. The
    /// system moves the pages of large memory. ``release()`` frees it.
    package static func grow(
        _ memory: UnsafeMutableRawBufferPointer?, to size: Int
    ) -> UnsafeMutableRawBufferPointer? {
        realloc(memory?.baseAddress, size).map { Self(start: $0, count: size) }
    }

    /// Frees memory that ``grow(_:to:)`` made.
    package func release() {
        free(baseAddress)
    }
}
