import CZlib

/// What deflated frames take for granted: bytes that frames are likely to hold, the likeliest last.
/// `Protocol/dictionary.bin` holds the same for other programs; it never changes within a version.
package enum WireDictionary {
    private static let text: StaticString = "\u{0A}"

    /// The bytes.
    package static var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    static func set(on stream: UnsafeMutablePointer<z_stream>) -> Bool {
        deflateSetDictionary(stream, text.utf8Start, UInt32(text.utf8CodeUnitCount)) == Z_OK
    }

    static func setForInflating(on stream: UnsafeMutablePointer<z_stream>) -> Bool {
        inflateSetDictionary(stream, text.utf8Start, UInt32(text.utf8CodeUnitCount)) == Z_OK
    }
}
