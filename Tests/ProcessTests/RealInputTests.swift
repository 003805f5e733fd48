import Foundation
import SeededRandom
import Testing

extension ProcessTests {
    /// A list that nobody made for this test: the packages that apt knows, if it knows enough.
    @Suite struct RealInputTests {
        @Test(.enabled("apt knows fewer than 1,000 packages here") { try count() >= 1000 })
        func packagesAreImportedAndEdited() throws {
            let text = try RealInputTests.packages
            let index = try RoomReplica(snapshot: JSON(text))
            let server = try ServerProcess()
            let file = try server.folder.write(text, to: "packages.json")
            let imported = try CommandResult.client(["import", "packages", file], at: server)
            #expect(imported.ending == .exit(0), "\(imported)")
            let start = try server.export("packages")
            #expect(start.sections.filter { !$0.items.isEmpty } == index.sections)

            var generator = SplitMix64(seed: 7)
            let clients = try ["a", "b", "c"].map {
                try JoinProcess($0, room: "packages", at: server.address)
            }
            for _ in 0..<40 {
                for client in clients {
                    try client.submit(edit(start, using: &generator))
                }
            }
            for client in clients { try client.readUntilAnswered() }
            let last = clients.flatMap(\.acknowledged.values).max() ?? 0
            for client in clients { try client.read(untilRevision: last) }
            let exported = try server.export("packages")
            #expect(exported.items.count >= index.items.count - 40)
            for client in clients {
                #expect(try client.room == exported)
                #expect(client.rejected == [:])
                #expect(try client.finish() == .exit(0))
            }
        }

        /// The first packages, as a snapshot object.
        private static var packages: String {
            get throws {
                let script = URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "../../deploy/package-index").standardized
                let printed = try ChildProcess(script, ["2000"])
                guard try printed.wait() == .exit(0) else {
                    throw TestFailure(printed.transcript)
                }
                return try printed.output.all().joined(separator: "\n")
            }
        }

        private static func count() throws -> Int {
            try RoomReplica(snapshot: JSON(packages)).items.count
        }

        /// The edits of a person in such a list: sort in, mark, remove.
        private func edit(
            _ room: RoomReplica, using generator: inout SplitMix64
        ) -> [JSON] {
            let identifiers = room.identifiers
            let one = JSON.text(identifiers.randomElement(using: &generator) ?? "")
            let other = JSON.text(identifiers.randomElement(using: &generator) ?? "")
            return switch Int.random(in: 0..<10, using: &generator) {
            case ..<5: [["move": ["id": one, "to": ["after": other]]]]
            case ..<9: [["update": ["id": one, "set": ["seen": true], "unset": ["version"]]]]
            default: [["delete": ["id": one]]]
            }
        }
    }
}
