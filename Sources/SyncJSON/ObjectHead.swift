/// Collects the members of an object, except its long list, as an object of their own.
struct ObjectHead {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    var isEmpty: Bool { text.count == 1 }

    /// The length in bytes.
    var count: Int { text.count }

    /// Adds a member's text, which must not be empty.
    mutating func append(_ member: ArraySlice<UInt8>) {
        if !isEmpty { text.append(UInt8(ascii: ",")) }
        text.append(contentsOf: member)
    }

    func parse<Result>(
        at path: JSONPath, _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try (text + [UInt8(ascii: "}")]).withUnsafeBufferPointer { bytes throws(JSONError) in
            try JSONNode.parse(UnsafeRawBufferPointer(bytes), at: path, body)
        }
    }
}
