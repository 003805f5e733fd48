import SyncBytes
import SyncHTTPCodec
import SyncServer

// Bodies that are compressed, as the client takes that.
extension HTTPConnection {
    /// Says in the head of a response that its body is compressed, if it is.
    func beginCompression(in fields: inout HTTPFields) {
        guard BodyCompression.isUseful(for: fields) else { return }
        fields.add("Vary", "Accept-Encoding")
        guard record.acceptsGzip else { return }
        // The answer to HEAD says what that to GET would.
        if !output.isHeadAlone {
            guard let new = BodyCompression() else { return }
            compression = new
        }
        fields.add("Content-Encoding", "gzip")
        // It is another representation than the plain one.
        if let tag = fields.value(of: "ETag"), !tag.hasPrefix("W/") {
            fields.set("ETag", "W/" + tag.shown)
        }
    }

    /// Compresses what waits for that.
    func compress() {
        guard let compression, let work = compression.next() else { return }
        gateway.performAside(work) { [weak self] piece in
            guard let self, self.compression === compression, phase == .open else { return }
            gateway.perform {
                compression.didEncode()
                self.didCompress(SharedBytes(piece.bytes), isLast: piece.isLast)
            }
        }
    }

    private func didCompress(_ bytes: SharedBytes, isLast: Bool) {
        output.addBody([bytes])
        if isLast {
            compression = nil
            output.endBody()
            didRespond()
            read()
        } else {
            didWork()
            // It may have been too little to be written.
            tellIfTaken()
            compress()
        }
    }
}
