import SyncModel
import SyncWire

/// Names that a comparison of UTF-16 units sorts otherwise, and texts that begin with U+FEFF, which
/// some decoders drop.
extension ExampleMessages {
    static func submitOfOddTexts() throws -> (name: String, message: ClientMessage) {
        let to = Placement(section: Identifier("main"))
        let transaction = ListTransaction(base: 41, operations: [.insert(try oddItem(), to: to)])
        let submit = try Submit(room: 7, counter: 100, transaction: transaction)
        return (
            "submit names that UTF-16 sorts otherwise, and texts that begin with U+FEFF",
            .submit(submit)
        )
    }

    static func batchOfOddTexts() throws -> (name: String, message: ServerMessage) {
        var stage = Stage()
        stage.inserts = [.init(path: ItemPath(section: 0, item: 0), item: try oddItem())]
        let batch = Batch(
            from: 41, to: 42, stages: [stage], sections: 1,
            counts: [SectionCount(section: 0, items: 1)])
        return (
            "batch of names that UTF-16 sorts otherwise, and texts that begin with U+FEFF",
            .batch(BatchMessage(channel: .room(7), batch: batch))
        )
    }

    private static func oddItem() throws -> Item {
        let members = [
            Field(name: Identifier("\u{FFFD}"), value: .number(1)),
            Field(name: Identifier("\u{10000}"), value: .number(2)),
        ]
        let fields = [
            Field(name: Identifier("a"), value: .text("\u{FEFF}Milk")),
            Field(name: Identifier("\u{E000}"), value: .object(members)),
            Field(name: Identifier("\u{FEFF}"), value: .text("\u{FEFF}")),
            Field(name: Identifier("\u{FFFD}"), value: .number(3)),
            Field(name: Identifier("\u{10000}"), value: .number(4)),
        ]
        return Item(
            id: Identifier("\u{FEFF}milk"),
            content: try ItemContent(kind: Identifier("\u{FEFF}cell"), fields: fields))
    }
}
