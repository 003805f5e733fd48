/// A place in a JSON text, for errors.
indirect enum JSONPath {
    /// The text as a whole.
    case root
    /// A member of an object.
    case key(String, of: JSONPath)
    /// An element of a list.
    case index(Int, of: JSONPath)

    /// The longest key, in bytes, that a path has in full.
    private static let longestKey = 64

    func error(_ message: String) -> JSONError {
        JSONError(path: text, message: message)
    }

    /// The path as text, such as `ops[0].insert.item`.
    var text: String {
        switch self {
        case .root: ""
        case .index(let index, let parent): "\(parent.text)[\(index)]"
        case .key(let key, let parent): JSONPath.text(of: key, in: parent.text)
        }
    }

    private static func text(of key: String, in parent: String) -> String {
        let isPlain = key.utf8.count <= longestKey && !key.isEmpty && key.utf8.allSatisfy(isPlain)
        guard isPlain else {
            let shown = key.utf8.count <= longestKey ? key : beginning(of: key) + "…"
            return "\(parent)[\"\(shown)\"]"
        }
        return parent.isEmpty ? key : "\(parent).\(key)"
    }

    /// As many scalars of a key as fit into the longest one. A character may have thousands.
    private static func beginning(of key: String) -> String {
        var count = 0
        let fitting = key.unicodeScalars.prefix { scalar in
            count += UTF8.width(scalar)
            return count <= longestKey
        }
        return String(fitting)
    }

    /// Whether a byte needs no quotes in a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }
}
