import CZlib
import Foundation
import Glibc
import ModelSupport
import SeededRandom
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncStore
import Testing

/// Nothing of a purged item is left: not in the image as it was before compression, and not in any
/// file of the store, whatever in it is inflated.
@Suite("The proof of a purge")
struct PurgeProofTests {
    @Test("an image after a purge has nothing of the items", arguments: 0..<40 as Range<UInt64>)
    func image(seed: UInt64) throws {
        let room = try SecretRoom(seed: seed, steps: 150)
        var random = SplitMix64(seed: seed)
        let purged = Set(room.secrets.keys.sorted().filter { _ in random.chance(50) })
        let image = try purge(purged, in: room)
        let bytes = image.body.array
        for item in purged {
            // The bytes are no part of the expectation: they would be printed.
            let left = (room.secrets[item] ?? []).filter { bytes.contains($0) }
            #expect(left == [], "seed \(seed)")
        }
        let state = try image.body.withBytes { try RoomState(image: $0) }
        state.engine.checkInvariants()
        let items = state.engine.snapshot().sections.flatMap(\.items)
        #expect(items == room.content(without: purged), "the others stay, seed \(seed)")
    }

    @Test("the histories have what a purge must reach")
    func histories() throws {
        let rooms = try (0..<10 as Range<UInt64>).map { try SecretRoom(seed: $0, steps: 150) }
        let whole = rooms.count { $0.refusedCount > 0 && $0.lossCount > 0 && $0.images.count > 1 }
        #expect(whole == rooms.count)
        for room in rooms {
            // Purging nothing leaves what lives, but forgets the past.
            let former = room.stored.snapshot?.body.array ?? []
            let log = room.records.flatMap { $0.body.array }
            let logged = room.secrets.values.joined().count { log.contains($0) }
            #expect(logged > 50)
            let living = try purge([], in: room).body.array
            let gone = room.secrets.values.joined().filter {
                former.contains($0) && !living.contains($0)
            }
            #expect(gone != [], "the image has former values")
        }
    }

    private func purge(_ items: Set<Identifier>, in room: SecretRoom) throws -> StoredSnapshot {
        var purge = RoomPurge(items.sorted())
        var random = SplitMix64(seed: 1)
        return try purge.makeImage(of: roomName("room"), room.stored) { random.next() }
    }

    // MARK: The whole store

    @Test("no file of a store has anything of a purged item", arguments: 0..<6 as Range<UInt64>)
    func files(seed: UInt64) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "collsync-purge-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let room = try SecretRoom(seed: seed, steps: 400)
        let storage = try SQLiteStorage(directory: folder.path)
        var images = room.images[...]
        for record in room.records {
            #expect(
                try storage.append([PendingAppend(record: record, room: roomName("room"))]) == [nil]
            )
            guard let image = images.first, image.sequence == record.sequence else { continue }
            images.removeFirst()
            while try !storage.saveSnapshot(image, of: roomName("room")) {}
        }
        storage.close()
        let all = room.secrets.values.joined()
        let before = try ReadableBytes(of: folder).count(of: all)
        #expect(before > 100)

        let purged = Set(room.secrets.keys.sorted().prefix(5))
        var purge = RoomPurge(purged.sorted())
        var random = SplitMix64(seed: seed)
        let now = ClockReading(steadyMilliseconds: 5, wallClockMilliseconds: 9000)
        try StorePurge.purge(
            directory: folder.path, room: roomName("room"), at: now
        ) { stored throws(StoreError) in
            try purge.makeImage(of: roomName("room"), stored) { random.next() }
        }
        let bytes = try ReadableBytes(of: folder)
        for item in purged {
            let left = (room.secrets[item] ?? []).filter { bytes.contain($0) }
            #expect(left == [], "seed \(seed)")
        }
        let items = room.content(without: purged)
        let found = items.map(\.id).filter { bytes.contain($0.text) }
        #expect(found == items.map(\.id), "the image can be searched")
    }
}

/// All bytes of a folder's files, and all that they are once more if they are inflated from any
/// place.
private struct ReadableBytes {
    private var blocks: [[UInt8]] = []

    init(of folder: URL) throws {
        for file in try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        {
            let data = Array(try Data(contentsOf: file))
            blocks.append(data)
            for start in data.indices.dropLast(2) {
                let head = Int(data[start]) << 8 | Int(data[start + 1])
                guard data[start] & 0x0f == 8, data[start] < 0x80, head % 31 == 0 else { continue }
                let inflated = inflate(data[start...])
                if !inflated.isEmpty { blocks.append(inflated) }
            }
        }
    }

    func contain(_ text: String) -> Bool { blocks.contains { $0.contains(text) } }

    func count(of texts: some Sequence<String>) -> Int { texts.count { contain($0) } }
}

/// Inflates as much as can be inflated. A block without its end still has its beginning.
private func inflate(_ data: ArraySlice<UInt8>) -> [UInt8] {
    var stream = z_stream()
    guard
        inflateInit2_(&stream, 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var input = Array(data.prefix(1 << 20))
    return input.withUnsafeMutableBytes { input in
        stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.avail_in = UInt32(input.count)
        var status = Z_OK
        while status == Z_OK, output.count < 4 << 20 {
            let count = chunk.withUnsafeMutableBytes { chunk in
                stream.next_out = chunk.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(chunk.count)
                status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return chunk.count - Int(stream.avail_out)
            }
            output += chunk.prefix(count)
            if count == 0 { break }
        }
        return output
    }
}

extension [UInt8] {
    /// The system's functions search quickly, also in a debug build.
    fileprivate func contains(_ text: String) -> Bool {
        let text = Array(text.utf8)
        guard let first = text.first, count >= text.count else { return false }
        return withUnsafeBytes { bytes in
            guard var place = bytes.baseAddress else { return false }
            let end = place + bytes.count - text.count
            while place <= end, let found = memchr(place, Int32(first), end - place + 1) {
                if memcmp(found, text, text.count) == 0 { return true }
                place = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
