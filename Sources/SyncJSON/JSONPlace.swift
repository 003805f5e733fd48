import CJansson

/// A text that is parsed.
struct ParsedText {
    let root: UnsafeMutablePointer<json_t>
    /// Where it stands in a larger text.
    let path: JSONPath
}

/// Where a value stands in a parsed text: in which object or list, and where in that.
///
/// Most values are read without an error, so this takes no memory. The path of an error is searched
/// for in the whole text.
///
/// # Performance
/// ``path`` is O(n) for n values in the text, and takes memory for the depth of the text; all else
/// is O(1).
struct JSONPlace: BitwiseCopyable {
    fileprivate enum Slot: BitwiseCopyable {
        /// An iterator, which stays valid as long as the object.
        case member(UnsafeMutableRawPointer)
        case element(Int)
    }

    private let text: UnsafePointer<ParsedText>
    /// `nil` for the whole text.
    private let container: UnsafeMutablePointer<json_t>?
    private let slot: Slot

    /// The place of the whole text.
    init(in text: UnsafePointer<ParsedText>) {
        self.init(in: text, container: nil, .element(0))
    }

    private init(
        in text: UnsafePointer<ParsedText>, container: UnsafeMutablePointer<json_t>?, _ slot: Slot
    ) {
        self.text = text
        self.container = container
        self.slot = slot
    }

    /// The place of a member of an object.
    func member(
        _ iterator: UnsafeMutableRawPointer, of object: UnsafeMutablePointer<json_t>
    ) -> JSONPlace {
        JSONPlace(in: text, container: object, .member(iterator))
    }

    /// The place of an element of a list.
    func element(_ index: Int, of list: UnsafeMutablePointer<json_t>) -> JSONPlace {
        JSONPlace(in: text, container: list, .element(index))
    }

    /// The keys and indices that lead to it.
    var path: JSONPath {
        guard let container else { return text.pointee.path }
        return slot.path(in: path(to: container))
    }

    /// Searches for an object or a list. It is there once: only true, false and null are shared.
    private func path(to container: UnsafeMutablePointer<json_t>) -> JSONPath {
        let whole = text.pointee
        if container == whole.root { return whole.path }
        var levels = [Level(container: whole.root)]
        while let last = levels.indices.last {
            guard let value = levels[last].next() else {
                levels.removeLast()
                continue
            }
            if value == container {
                return levels.reduce(whole.path) { $1.slot?.path(in: $0) ?? $0 }
            }
            let type = value.pointee.type
            if type == JSON_OBJECT || type == JSON_ARRAY { levels.append(Level(container: value)) }
        }
        return whole.path
    }

    /// An object or a list that is searched, and how far.
    private struct Level {
        let container: UnsafeMutablePointer<json_t>
        /// The last value that was looked at.
        var slot: Slot?

        /// The next value.
        mutating func next() -> UnsafeMutablePointer<json_t>? {
            switch slot {
            case .element(let index): return element(index + 1)
            case .member(let member): return self.member(json_object_iter_next(container, member))
            case nil where container.pointee.type == JSON_ARRAY: return element(0)
            case nil: return member(json_object_iter(container))
            }
        }

        private mutating func element(_ index: Int) -> UnsafeMutablePointer<json_t>? {
            slot = .element(index)
            return json_array_get(container, index)
        }

        private mutating func member(
            _ member: UnsafeMutableRawPointer?
        ) -> UnsafeMutablePointer<json_t>? {
            guard let member else { return nil }
            slot = .member(member)
            return json_object_iter_value(member)
        }
    }
}

extension JSONPlace.Slot {
    fileprivate func path(in path: JSONPath) -> JSONPath {
        switch self {
        case .member(let iterator): .key(String(keyOf: iterator), of: path)
        case .element(let index): .index(index, of: path)
        }
    }
}

extension String {
    /// The key of an object's member.
    init(keyOf member: UnsafeMutableRawPointer) {
        let count = json_object_iter_key_len(member)
        self.init(
            decoding: UnsafeRawBufferPointer(start: json_object_iter_key(member), count: count),
            as: UTF8.self)
    }
}
