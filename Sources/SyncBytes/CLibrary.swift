#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// What the C library does here, by whatever name a system has it.

extension UnsafeRawBufferPointer {
    /// Whether these bytes are the same as as many others.
    func holdsSame(as others: UnsafeRawBufferPointer) -> Bool {
        guard let base = baseAddress, let other = others.baseAddress else { return true }
        return memcmp(base, other, count) == 0
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Makes memory larger, or makes some, and keeps what it holds; `nil` if there is none. The
    /// system moves the pages of large memory. It is given back with ``release()``.
    package static func grow(
        _ memory: UnsafeMutableRawBufferPointer?, to size: Int
    ) -> UnsafeMutableRawBufferPointer? {
        realloc(memory?.baseAddress, size).map { Self(start: $0, count: size) }
    }

    /// Gives back what ``grow(_:to:)`` made.
    package func release() {
        free(baseAddress)
    }
}
