import ModelSupport
import SyncBytes
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

/// What lines ask for, and how they are answered.
@Suite("Members in lines")
struct LineMemberTests {
    @Test("a transaction is answered by its number, and shown by its batch")
    func transactions() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        let welcome = try #require(client.welcome)
        #expect(welcome.client.hasPrefix("c-") && welcome.room == "room" && welcome.role == "admin")
        #expect(welcome.version == "1.0" && welcome.id.count == 32)
        client.send(insert("milk"))
        client.send(#"{"tx":7,"ops":[{"delete":{"id":"nobody"}}]}"#)
        client.send(insert("eggs"))
        #expect(world.run { client.answeredNumbers.count == 3 })
        #expect(client.answeredNumbers == [1, 7, 8])
        let kinds = client.lines.filter {
            if case .ack = $0 { return true }
            if case .batch = $0 { return true }
            return false
        }
        guard case .ack(1, _)? = kinds.first else { throw Missing() }
        #expect(world.run { client.snapshot?.sections.first?.items.map(\.id) == ["milk", "eggs"] })
    }

    @Test("a line that can't be read is answered, with its number")
    func mistakes() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        let lines = [
            "", "nonsense", #"{"ops":[{"insert":{}}]}"#, #"{"undo":{}}"#,
            #"{"copy":{"ids":["a"]}}"#,
            #"{"paste":{"to":{"section":"main"}}}"#, #"{"view":{"id":"v","overscan":2}}"#,
            #"{"drag":{"begin":{"id":"a","view":"v"}}}"#, #"{"drag":{"end":{}}}"#,
            #"{"presence":{"selected":[]}}"#, #"{"view":{"id":"v","close":true}}"#,
        ]
        for line in lines { client.send(line) }
        #expect(world.run { client.errors.count == 9 })
        #expect(client.errors.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9, 10])
        let codes = [
            "malformed", "malformed", "unsupported", "unsupported", "unsupported", "badView",
            "badDrag", "badDrag", "notAllowed",
        ]
        #expect(client.errors.map(\.code) == codes)
        client.send(insert("a"))
        #expect(world.run { client.answeredNumbers == [1] }, "it goes on")
    }

    @Test("a transaction whose number is in flight is not sent")
    func inFlight() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        client.send(#"{"tx":1,"ops":[]}"# + "\n" + #"{"tx":1,"ops":[]}"#)
        #expect(world.run { client.errors.count == 1 && client.answeredNumbers == [1] })
        #expect(client.errors[0].code == "malformed" && client.errors[0].line == 2)
    }

    @Test("copies are pasted under new ids")
    func paste() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        client.send(
            #"{"paste":{"clipboard":{"room":"other","items":[{"id":"a"}]},"to":{"section":"main"}}}"#
        )
        #expect(
            world.run { client.lines.contains { if case .pasted = $0 { true } else { false } } })
        let ids = try #require(client.snapshot?.sections.first?.items.map(\.id))
        #expect(ids.count == 1 && ids != ["a"])
        guard
            case .pasted(let line)? = client.lines.last(where: {
                if case .pasted = $0 { true } else { false }
            })
        else { throw Missing() }
        #expect(line.ids == ids && line.revision == 1)
    }

    @Test("members see each other, and whom a batch is by")
    func others() throws {
        let world = try LineWorld(seed: 3)
        let ann = try world.join(["presence=true", "authors=true"])
        let ben = try world.join(["presence=true"])
        let name = try Identifier(#require(ben.welcome).client)
        ben.send(insert("milk"))
        ben.send(#"{"presence":{"selected":["milk"],"custom":{"colour":"red"}}}"#)
        func shown() -> PresenceLine? {
            ann.lines.lazy.reversed().compactMap { line -> PresenceLine? in
                if case .presence(let presence) = line { presence } else { nil }
            }.first
        }
        #expect(world.run { shown()?.selected == ["milk"] && ann.snapshot?.revision == 1 })
        #expect(shown()?.client == name.text && shown()?.custom != nil)
        #expect(
            ann.lines.contains(
                .authors([
                    TransactionAuthor(revision: 1, number: 1, client: name)
                ])))
        #expect(!ben.lines.contains { if case .authors = $0 { true } else { false } })
    }

    @Test("an item is dragged and dropped by lines")
    func drag() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        for item in ["a", "b", "c"] { client.send(insert(item)) }
        client.send(
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":300,"height":400}}}"#)
        #expect(world.run { client.views["v"]?.elements.count ?? 0 >= 3 })
        client.send(#"{"drag":{"begin":{"id":"a","view":"v"}}}"#)
        client.send(#"{"drag":{"begin":{"id":"b","view":"v"}}}"#)
        client.send(#"{"drag":{"update":{"x":150,"y":20}}}"#)
        client.send(#"{"drag":{"end":{}}}"#)
        #expect(world.run { client.answeredNumbers.count == 4 })
        #expect(client.errors.map(\.code) == ["badDrag"])
        #expect(
            world.run {
                client.snapshot?.sections.first?.items.map(\.id).first != "a"
            })
        #expect(client.lines.contains { if case .dragTarget = $0 { true } else { false } })
    }

    @Test("a view that the server refuses is an error that names it, and can be opened again")
    func refusedView() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        client.send(
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":-1,"height":4}}}"#)
        #expect(world.run { client.errors.count == 1 })
        #expect(client.errors[0].message.hasPrefix("view v: "))
        client.send(
            #"{"view":{"id":"v","layout":{"kind":"flow"},"bounds":{"width":300,"height":4}}}"#)
        #expect(world.run { client.views["v"]?.updates ?? 0 > 0 })
        for number in 0..<20 {
            client.send(
                #"{"view":{"id":"n\#(number)","layout":{"kind":"flow"},"bounds":{"width":9}}}"#)
        }
        #expect(world.run { client.errors.count == 6 })
        #expect(client.errors.dropFirst().allSatisfy { $0.code == "limitExceeded" })
    }

    @Test("views whose names differ by their spelling only are different views")
    func spellings() throws {
        let world = try LineWorld(seed: 3)
        let client = try world.join()
        let names = Spellings.all.map { id($0) }
        for name in names {
            client.send(
                #"{"view":{"id":"\#(name)","layout":{"kind":"flow"},"bounds":{"width":300,"height":4}}}"#
            )
        }
        #expect(world.run { names.allSatisfy { client.views[$0]?.updates == 1 } })
        for name in names {
            client.send(#"{"view":{"id":"\#(name)","close":true}}"#)
            for name in names { client.send(#"{"view":{"id":"\#(name)","overscan":7}}"#) }
        }
        #expect(world.run { client.errors.count == 1 + 2 + 3 + 4 })
        for (name, closed) in zip(names, [4, 3, 2, 1]) {
            let own = client.errors.filter {
                $0.message.utf8.starts(with: "view \(name) is not open".utf8)
            }
            #expect(own.count == closed, "\(name)")
        }
    }

    private func insert(_ item: String) -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(item)"},"to":{"section":"main"}}}]}"#
    }

    private struct Missing: Error {}
}
