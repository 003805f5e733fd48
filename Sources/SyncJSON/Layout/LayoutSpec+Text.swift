package import SyncLayout

extension LayoutSpec {
    /// Reads a layout's options.
    ///
    /// - Parameters:
    ///   - text: a JSON object; if it has a kind, that must be `kind`.
    ///   - kind: the layout's kind.
    package init(text: String, kind: Kind) throws(JSONError) {
        let bytes = Array(text.utf8)
        self = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            try JSONNode.parse(UnsafeRawBufferPointer(bytes)) { node throws(JSONError) in
                try node.layoutSpec(of: kind)
            }
        }
    }
}
