import Foundation
import SyncJSON
import SyncModel
import Testing

/// The table of operations in `Protocol/json.md`, and the errors for unknown keys.
@Suite struct DocumentedOperationsTests {
    private static let file = URL(filePath: #filePath)
        .appending(path: "../../../Protocol/json.md").standardized

    private static let names = [
        "insert", "delete", "move", "update", "increment", "insertSection", "deleteSection",
        "moveSection", "updateSection",
    ]

    /// Each row has an operation's name and a line with that operation.
    @Test func `every operation has a line that is read`() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let rows = text.matches(of: /\| `(\w+)` \|.*\| `(\{"ops":.*\})` \|/)
        #expect(rows.map { String($0.1) } == Self.names)
        for row in rows {
            guard case .transaction(let operations, _, _, _, _) = try readCommand(String(row.2))
            else {
                Issue.record("\(row.1) has another line")
                continue
            }
            #expect(operations.map(name) == [String(row.1)])
        }
    }

    private func name(_ operation: ListOperation) -> String {
        switch operation {
        case .insert: "insert"
        case .delete: "delete"
        case .move: "move"
        case .update: "update"
        case .increment: "increment"
        case .insertSection: "insertSection"
        case .deleteSection: "deleteSection"
        case .moveSection: "moveSection"
        case .updateSection: "updateSection"
        case .guarded: "guarded"
        }
    }

    @Test(arguments: [
        (
            #"{"op":[]}"#,
            "ops, base, tx, all, id, epoch, view, presence, drag, copy, cut, paste, undo or redo"
        ),
        (
            #"{"ops":[{"destroy":{}}]}"#,
            names.dropLast().joined(separator: ", ") + " or updateSection"
        ),
        (#"{"ops":[{"insert":{"item":{"colour":1}}}]}"#, "id, kind, size, fields or flags"),
        (#"{"ops":[{"move":{"to":{"over":"a"}}}]}"#, "after, before, index, trail or section"),
        (#"{"ops":[{"delete":{"force":true}}]}"#, "id"),
        (
            #"{"ops":[{"insertSection":{"section":{"items":[]}}}]}"#,
            "id, fields, supplementaries or flags"
        ),
        (#"{"ops":[{"updateSection":{"flags":{"x":true}}}]}"#, "acceptsMoves"),
        (
            #"{"view":{"size":1}}"#,
            "id, close, bounds, snap, anchor, overscan, layout, contentInset, safeArea, layoutMargins or pixelScale"
        ),
    ])
    func `an unknown key is told those that are known`(line: String, known: String) {
        let message = problem(in: line)?.message
        #expect(message == "unknown key; it can be \(known)")
    }

    /// The program that prints the error knows the line.
    @Test func `an error in JSON names only the column`() {
        #expect(problem(in: "[1,")?.message.hasSuffix("(column 4)") == true)
        #expect(problem(in: "{\n\n}x")?.message.hasSuffix("(line 3 of it, column 2)") == true)
    }
}
