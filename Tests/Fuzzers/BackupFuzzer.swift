import Glibc
import StoreSupport
import SyncIO
import SyncServer
import SyncStore

/// Backups of strangers: any bytes, streams with right checksums and wrong contents, and valid ones
/// with a changed byte.
///
/// - A stream is read, or refused as a bad copy. What is read is written again byte for byte.
/// - No byte of a valid backup can be changed.
/// - What can be read is restored into a store in which `verify` finds nothing, or is refused, and
///   then there is no store.
enum BackupFuzzer {
    private static let headerTime: UInt64 = 7

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let step = choices.oneIn(4) ? 1 + choices.below(64) : Int.max
        switch choices.below(4) {
        case 0: check(Array(choices.rest), step: step)
        case 1:
            // As it is, but for lengths and checksums, so that changes of it reach the rooms.
            let stream = BackupPieces(splitting: Array(choices.rest)).stream
            if check(stream, step: step) { restore(stream) }
        case 2: changeByte(&choices, step: step)
        default:
            var pieces = BackupPieces(splitting: valid(&choices))
            for _ in 0..<(1 + choices.below(4)) { pieces.edit(&choices) }
            check(pieces.stream, step: step)
        }
    }

    /// Reads a stream.
    ///
    /// - Returns: whether it is a backup.
    @discardableResult
    private static func check(_ stream: [UInt8], step: Int) -> Bool {
        do throws(StoreError) {
            let contents = try BackupContents(reading: stream, step: step) { wanted, offset in
                // What a stream claims costs no more memory than what came of it.
                expect(
                    wanted <= max(BackupReader.firstStepBytes, offset),
                    "\(wanted) bytes are wanted after \(offset)")
            }
            // The mark, the header's head and its version come before the time.
            let time = stream[29..<37].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let written = try contents.written(timeMilliseconds: time)
            expect(written == stream, "what was read is written in another way")
            return true
        } catch {
            guard case .badCopy(let what) = error, !what.isEmpty else { finding("\(error)") }
            return false
        }
    }

    private static func valid(_ choices: inout InputBytes) -> [UInt8] {
        let contents = BackupContents(&choices)
        do throws(StoreError) {
            let stream = try contents.written(timeMilliseconds: headerTime)
            let read = try BackupContents(reading: stream)
            expect(read == contents, "something else is read than was written")
            return stream
        } catch {
            finding("a valid backup: \(error)")
        }
    }

    private static func changeByte(_ choices: inout InputBytes, step: Int) {
        var stream = valid(&choices)
        let place = (choices.below(256) << 8 | choices.below(256)) % stream.count
        stream[place] ^= 1 + UInt8(choices.below(255))
        expect(!check(stream, step: step), "byte \(place) can be changed")
    }
}

// MARK: - Restoring

extension BackupFuzzer {
    /// The most memory that a restored room may take.
    private static let roomBytes = 64 << 20

    private static func restore(_ stream: [UInt8]) {
        let folder = makeFolder()
        defer { remove(folder) }
        let place = "\(folder)/store"
        let clock = ClockReading(steadyMilliseconds: 5, wallClockMilliseconds: 1_800_000_000_000)
        var seed: UInt64 = 0
        var offset = 0
        var options = RestoreOptions()
        options.maximumRoomBytes = roomBytes
        do throws(StoreError) {
            let summary = try StoreRestore.restore(
                into: place, options, at: clock,
                by: RestoredRooms(
                    wallClockMilliseconds: clock.wallClockMilliseconds, atMost: roomBytes
                ) {
                    seed += 1
                    return seed
                },
                checkedBy: RoomVerifier(atMost: roomBytes),
                willReplace: { () throws(StoreError) in }
            ) { memory in
                let count = min(memory.count, stream.count - offset)
                memory.copyBytes(from: stream[offset..<(offset + count)])
                offset += count
                return count
            }
            // The restored room has an epoch more.
            let most = 2 * roomBytes
            let verified = try StoreVerifier.verify(
                directory: place, replay: RoomVerifier(atMost: most), atMost: most
            ) {
                finding("the restored store: \($0)")
            }
            expect(verified.rooms == summary.rooms, "there are \(verified.rooms) rooms")
        } catch {
            switch error {
            case .badCopy, .conflict, .corrupt, .tooLarge: break
            default: finding("\(error)")
            }
            expect(access(place, F_OK) != 0, "there is a store after \(error)")
        }
    }

    private static func makeFolder() -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/collsync-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { finding("there is no temporary folder") }
        return String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes a folder with the store in it, or with what a refused one has left.
    private static func remove(_ folder: String) {
        for name in ["collsync.db", "collsync.tail", "lock", "revocations"] {
            unlink("\(folder)/store/\(name)")
        }
        rmdir("\(folder)/store")
        expect(rmdir(folder) == 0, "something is left in \(folder)")
    }
}
