import SyncBytes
package import SyncModel

/// The authors of the revisions that the next batches span, for a member that has asked for them.
package struct BatchAuthors: Sendable, Equatable {
    /// The author of at least one of the transactions.
    package struct Author: Sendable, Equatable, Hashable {
        package var client: Identifier
        /// The user that it had signed in as for its newest transaction; empty if it had not.
        package var user: String

        package init(client: Identifier, user: String = "") {
            self.client = client
            self.user = user
        }
    }

    /// A transaction.
    package struct Transaction: Sendable, Equatable {
        package var revision: Revision
        package var counter: UInt64
        /// Its author's index in `authors`.
        package var author: Int

        package init(revision: Revision, counter: UInt64, author: Int) {
            self.revision = revision
            self.counter = counter
            self.author = author
        }
    }

    package var room: RoomHandle
    package var authors: [Author]
    /// By ascending revision. The authors of missing revisions are no longer known.
    package var transactions: [Transaction]

    package init(
        room: RoomHandle, authors: [Author] = [], transactions: [Transaction] = []
    ) {
        self.room = room
        self.authors = authors
        self.transactions = transactions
    }
}

extension BatchAuthors {
    /// The transactions with their authors.
    package var transactionAuthors: [TransactionAuthor] {
        transactions.map { made in
            let author = authors[made.author]
            return TransactionAuthor(
                revision: made.revision, number: made.counter, client: author.client,
                user: author.user)
        }
    }
}

extension BatchAuthors {
    private enum Number {
        static let room = 1
        static let authors = 2
        static let transactions = 3
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.authors: authors.append(try Author(parsing: try reader.body()))
            case Number.transactions:
                transactions.append(try Transaction(parsing: try reader.body()))
            default: try reader.skip()
            }
        }
        guard transactions.allSatisfy({ $0.author < authors.count }) else { throw .malformed }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        for author in authors {
            writer.write(message: Number.authors) { writer in author.write(to: &writer) }
        }
        for transaction in transactions {
            writer.write(message: Number.transactions) { writer in
                transaction.write(to: &writer)
            }
        }
    }
}

extension BatchAuthors.Author {
    fileprivate init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var client: Identifier?
        var user = ""
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: client = try reader.identifier()
            case 2: user = try reader.label().shown
            default: try reader.skip()
            }
        }
        guard let client else { throw .malformed }
        self.init(client: client, user: user)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(1, client)
        writer.write(2, nonempty: user)
    }
}

extension BatchAuthors.Transaction {
    fileprivate init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(revision: 0, counter: 0, author: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: revision = try reader.number()
            case 2: counter = try reader.number()
            case 3: author = try reader.index()
            default: try reader.skip()
            }
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: revision)
        writer.write(2, nonzero: counter)
        writer.write(3, index: author)
    }
}
