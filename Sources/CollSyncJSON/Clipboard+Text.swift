public import CollSync
import SyncJSON
public import SyncModel

extension Clipboard {
    /// The clipboard as JSON, for another program.
    public var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads what ``json`` says.
    ///
    /// - Throws: `malformed` if it is no clipboard.
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
