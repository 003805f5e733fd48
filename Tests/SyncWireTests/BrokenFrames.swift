import SyncBytes
import SyncWire

/// Broken frames with their lengths, one of each kind.
enum BrokenFrames {
    static func all() throws -> [(name: String, bytes: [UInt8])] {
        let good = field(2, field(1, [0x61]))
        let list = ClientMessage.listRooms(ListRooms(request: 3)).bytes()
        let deflated = try deflate(list)
        let frames: [(name: String, bytes: [UInt8])] = [
            ("a length over the limit", [0x81, 0x80, 0x80, 0x08]),
            ("a length of more than four bytes", [0x80, 0x80, 0x80, 0x80, 0x01]),
            ("a length not in its shortest form", [0x83, 0x00, 0x9A, 0x01, 0x00]),
            ("an empty frame", frame([])),
            ("two messages in a frame", frame(list + list)),
            ("a message that is cut", frame([0x9A, 0x01, 0x02, 0x08])),
            ("a tag with field number 0", frame([0x02, 0x00])),
            ("a group", frame([0x0B, 0x0C])),
            ("a varint of eleven bytes", frame(field(19, [0x08] + overlong))),
            (
                "a request id of more than 32 bits",
                frame(field(19, [0x08, 0x80, 0x80, 0x80, 0x80, 0x10]))
            ),
            (
                "a text that is not UTF-8",
                frame(field(16, field(1, Array("collsync".utf8)) + field(6, [0xC3, 0x28])))
            ),
            ("a hello of another protocol", frame(field(16, field(1, Array("GET /".utf8))))),
            ("bytes of HTTP", Array(http.utf8)),
            (
                "a deflated frame in a deflated frame",
                frame(try deflatedFrame(deflatedBody(deflated)))
            ),
            ("a deflated body that is cut", frame(deflatedBody(Array(deflated.dropLast())))),
            ("bytes behind a deflated body", frame(deflatedBody(deflated + [0]))),
            ("a deflated body that is noise", frame(deflatedBody([0xFF, 0xFF, 0xFF]))),
            ("a message of a newer kind", frame(field(48, []))),
            ("a message of a server", frame(field(32, []))),
            (
                "a room name with a slash",
                frame(field(20, [0x08, 0x05] + field(2, Array("a/b".utf8))))
            ),
            ("a join without a client", frame(field(17, [0x08, 0x05] + field(2, [0x61])))),
            ("an operation of a newer kind", frame(submit(good, field(10, [])))),
            ("an empty operation", frame(submit(good, []))),
            ("an id with a control character", frame(submit(good, field(2, field(1, [0x07]))))),
            ("an id that is not UTF-8", frame(submit(field(2, field(1, [0xC0, 0xAF]))))),
            (
                "an id of 129 bytes",
                frame(submit(field(2, field(1, [UInt8](repeating: 0x61, count: 129)))))
            ),
            (
                "a number that is not finite",
                frame(submit(insertWithValue([0x21, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F])))
            ),
            ("a value nested 33 deep", frame(submit(good, insertWithValue(nested(33))))),
            ("a trail of nine", frame(submit(field(3, field(1, [0x62]) + field(2, trailOfNine))))),
        ]
        return frames + content()
    }

    /// Invalid names and values, which do not end the connection.
    private static func content() -> [(name: String, bytes: [UInt8])] {
        let good = field(2, field(1, [0x61]))
        let room: [UInt8] = [0x08, 0x07]
        let request: [UInt8] = [0x08, 0x05]
        let number: [UInt8] = [0x10, 0x01]
        let name = field(2, [0x61])
        let noName: [UInt8] = [0x07]
        let infinite: [UInt8] = [0x21, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
        let above = joined([0x18], zigzag(9_007_199_254_740_993))
        let below = joined([0x18], zigzag(-9_007_199_254_740_993))
        let secret = field(4, [UInt8](repeating: 0x61, count: 65))
        let placement = field(2, field(1, [0x62]))
        return [
            ("an integer beyond 2^53", frame(submit(good, insertWithValue(above)))),
            (
                "a section's placement that names a section",
                frame(submit(good, field(8, joined(field(1, [0x61]), placement))))
            ),
            (
                "a join under a name that is none",
                frame(field(17, joined(request, name, field(3, noName))))
            ),
            (
                "a join with a secret of 65 bytes",
                frame(field(17, joined(request, name, field(3, [0x61]), secret)))
            ),
            (
                "a presence with a name that is none",
                frame(field(11, joined(room, field(2, noName))))
            ),
            (
                "a presence with a number that is not finite",
                frame(field(11, joined(room, field(4, infinite))))
            ),
            (
                "a presence with an integer beyond 2^53",
                frame(field(11, joined(field(4, below), room)))
            ),
            ("a presence with an empty value", frame(field(11, joined(field(4, []), room)))),
            (
                "a view with an anchor that names nothing",
                frame(field(9, joined(room, number, field(9, []))))
            ),
            (
                "a view with an anchor that is an item and the beginning",
                frame(
                    field(
                        9, joined(room, number, field(9, joined(field(1, [0x61]), [0x18, 0x01])))))
            ),
            (
                "a view with an anchor that is no name",
                frame(field(9, joined(field(9, field(1, noName)), room, number)))
            ),
            (
                "a drag of what is no name",
                frame(field(13, joined(room, number, field(3, field(1, noName)))))
            ),
            ("a drag without a step", frame(field(13, joined(room, number)))),
        ]
    }

    private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

    /// A `sint64` of more than 53 bits.
    private static func zigzag(_ number: Int64) -> [UInt8] {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        var bytes: [UInt8] = []
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static let http =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:7420\r\nUser-Agent: a browser\r\nAccept: text/html\r\n\r\n"
    private static let overlong = [UInt8](repeating: 0xFF, count: 10) + [0x01]
    private static let trailOfNine = (0..<9).flatMap { _ in field(5, [0x61]) }
}
