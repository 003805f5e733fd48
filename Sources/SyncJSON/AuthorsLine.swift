import SyncBytes
import SyncModel

// The authors of the transactions in the next batches.

extension JSONWriter {
    mutating func write(authors: [TransactionAuthor]) {
        beginObject()
        key("authors")
        beginList()
        for author in authors {
            beginObject()
            member("revision", author.revision)
            member("tx", author.number)
            key("client")
            write(text: author.client.text)
            if !author.user.isEmpty {
                key("user")
                write(text: author.user)
            }
            endObject()
        }
        endList()
        endObject()
    }
}

extension JSONNode {
    func authors() throws(JSONError) -> [TransactionAuthor] {
        try elements { node throws(JSONError) in try node.author() }
    }

    private func author() throws(JSONError) -> TransactionAuthor {
        var revision: Revision?
        var number: UInt64?
        var client: Identifier?
        var user = ""
        enum Key: JSONName, CaseIterable { case revision, tx, client, user }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .revision: revision = try node.wholeNumber()
            case .tx: number = try node.wholeNumber()
            case .client: client = try node.identifier()
            case .user: user = try node.text().shown
            }
        }
        return TransactionAuthor(
            revision: try required(revision, "revision"), number: try required(number, "tx"),
            client: try required(client, "client"), user: user)
    }
}
