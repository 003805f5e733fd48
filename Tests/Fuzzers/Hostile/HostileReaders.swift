import CollSync
import SyncClient

// The readers of a client's streams, which check what they get.
extension HostileWorld {
    func read(_ room: CollectionRoom) {
        let (changes, presence) = (room.changes, room.presence)
        begin("changes") { [gate] in
            let list = CollectionList()
            for try await change in changes {
                do throws(CollectionError) {
                    try list.apply(change)
                } catch {
                    finding("the client gives out a change that does not fit: \(error)")
                }
                if let snapshot = list.snapshot { HostileWorld.check(snapshot) }
                await gate.pass()
            }
        }
        begin("presence") { [gate] in
            var known: Set<Identifier> = []
            for await changes in presence {
                for change in changes {
                    switch change {
                    case .shows(let member): known.insert(member.client)
                    case .left(let client):
                        expect(known.remove(client) != nil, "an unknown member has left")
                    }
                }
                await gate.pass()
            }
        }
    }

    func read(_ view: CollectionView) {
        let events = view.events
        begin("events of a view") { [gate] in
            var shown: Set<UInt64> = []
            for await event in events {
                if case .updated(let change) = event { HostileWorld.check(change, on: &shown) }
                await gate.pass()
            }
        }
    }

    private static func check(_ change: ViewChange, on shown: inout Set<UInt64>) {
        for gone in change.disappeared {
            expect(shown.remove(gone.from.key) != nil, "an element that is not there disappears")
        }
        for changed in change.changed {
            expect(shown.contains(changed.from.key), "an element that is not there changes")
        }
        for new in change.appeared {
            expect(shown.insert(new.to.key).inserted, "an element appears that is there")
        }
        let most = limits.viewElements
        expect(shown.count <= most, "there are \(shown.count) elements, above the limit")
    }

    // MARK: What the client has

    static func check(_ snapshot: Snapshot) {
        let bytes = MemoryBytes.of(snapshot)
        expect(bytes <= limits.roomBytes, "a room has \(bytes) bytes, above the limit")
    }

    /// Checks that each answer of the client's own comes at once, and is within the limits.
    func inspect(_ room: CollectionRoom) {
        begin(HostileWorld.local + "snapshot") {
            HostileWorld.check(try await room.snapshot())
        }
        begin(HostileWorld.local + "others") {
            let bytes = try await room.others().reduce(0) { total, member in
                let ids = member.selected + member.highlighted
                return ids.reduce(total + member.user.utf8.count + member.displayName.utf8.count) {
                    $0 + $1.text.utf8.count
                }
            }
            let most = HostileWorld.limits.presenceBytes
            expect(bytes <= most, "other members show \(bytes) bytes, above the limit")
        }
    }

    func inspect(_ view: CollectionView) {
        begin(HostileWorld.local + "screen") {
            let elements = try await view.screen().elements
            let most = HostileWorld.limits.viewElements
            expect(elements.count <= most, "\(elements.count) elements are shown")
            var bytes = 0
            var counted: Set<ViewThing> = []
            for content in elements.map(\.content) where counted.insert(content.thing).inserted {
                switch content {
                case .item(let item): bytes += MemoryBytes.of(item)
                case .section(let section): bytes += MemoryBytes.of(section)
                }
            }
            expect(bytes <= HostileWorld.limits.viewBytes, "a screen has \(bytes) bytes")
        }
    }
}
