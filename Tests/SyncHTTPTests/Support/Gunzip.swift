import CZlib

/// What a body of gzip was before.
struct Gunzip {
    let text: [UInt8]
    /// Whether the body has its end, whose length and checksum are right.
    let isWhole: Bool

    struct Malformed: Error {
        let status: Int32
    }

    /// Reads as much of a body as there is of it.
    init(_ body: [UInt8]) throws {
        var stream = z_stream()
        // The number asks zlib for the head and the end of gzip.
        var status = inflateInit2_(
            &stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { inflateEnd(&stream) }
        var (body, text, room) = (body, [UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        body.withUnsafeMutableBufferPointer { bytes in
            stream.next_in = bytes.baseAddress
            stream.avail_in = UInt32(bytes.count)
            repeat {
                room.withUnsafeMutableBufferPointer { room in
                    stream.next_out = room.baseAddress
                    stream.avail_out = UInt32(room.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    text += room[..<(room.count - Int(stream.avail_out))]
                }
            } while status == Z_OK && stream.avail_out == 0
        }
        guard status == Z_STREAM_END || status == Z_OK || status == Z_BUF_ERROR,
            stream.avail_in == 0
        else { throw Malformed(status: status) }
        self.text = text
        isWhole = status == Z_STREAM_END
    }
}
