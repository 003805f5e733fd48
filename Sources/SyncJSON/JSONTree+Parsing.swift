extension JSONTree {
    /// Reads JSON of our own.
    package init(parsing text: String) throws(JSONError) {
        var text = text
        var result: Result<JSONTree, JSONError>?
        text.withUTF8 { bytes in
            do throws(JSONError) {
                result = .success(
                    try JSONNode.parse(UnsafeRawBufferPointer(bytes)) {
                        node throws(JSONError) in try node.tree(depth: 0)
                    })
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { throw JSONPath.root.error("is empty") }
        self = try result.get()
    }
}
