public import CollSync
import SyncJSON
public import SyncModel

extension Clipboard {
    /// The clipboard as one line of JSON, for another program. `Protocol/json.md` describes it.
    ///
    ///     let clipboard = try await room.copy(["milk"])
    ///     let text = clipboard.json
    ///     let same = try Clipboard(json: text)
    ///     print(same == clipboard)
    ///
    /// # Performance
    /// O(n) for n bytes of items, each time it is asked for.
    public var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a clipboard from the text of ``json``, or of another program.
    ///
    /// - Throws: `malformed` if the text is no clipboard.
    public init(json: String) throws(CollectionError) {
        var json = json
        let result = json.withUTF8 { bytes in
            Result { () throws(JSONError) in
                try Clipboard(json: UnsafeRawBufferPointer(bytes))
            }
        }
        switch result {
        case .success(let clipboard): self = clipboard
        case .failure(let error):
            throw .malformed("that is no clipboard: \(error)")
        }
    }
}
