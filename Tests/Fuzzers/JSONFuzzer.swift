import SyncBytes
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire

/// Lines that programs write, lines for programs, lines of layouts, and snapshots to import.
///
/// - Readable operations can be encoded for the protocol, and read back as the same. So can the
///   layouts of views.
/// - A line that was read is written so that it reads the same.
/// - A small layout is made, or its error is reported, and the answer can be written. An answer for
///   a rectangle has only what is in it.
/// - A snapshot's text gives the same result however it is split.
enum JSONFuzzer {
    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let choice = choices.byte()
        switch choice % 4 {
        case 0: readCommand(choices.rest)
        case 1: layOut(choices.rest)
        case 2: readLine(choices.rest)
        default: readSnapshot(choices.rest, pieceBytes: 1 + Int(choice >> 2))
        }
    }

    private static func readCommand(_ text: UnsafeRawBufferPointer) {
        switch try? JoinCommand(line: text) {
        case .transaction(let operations, let base, _, _, let isAllOrNothing):
            check(
                ListTransaction(
                    base: base ?? 0, operations: operations, isAllOrNothing: isAllOrNothing))
        case .view(let view):
            guard let layout = view.layout else { return }
            expect(
                (try? ViewLayout(json: layout.json)) == layout,
                "the layout changes when it is written and read: \(layout)")
        case .drag, .presence, .clipboard, .unsupported, nil: break
        }
    }

    private static func check(_ transaction: ListTransaction) {
        let written = written(transaction)
        do throws(Rejection) {
            let again = try written.withUnsafeBufferPointer { bytes throws(Rejection) in
                try ListTransaction(parsing: UnsafeRawBufferPointer(bytes))
            }
            // Names are sorted when they are written, so the bytes are compared.
            expect(
                self.written(again) == written,
                "the operations change when they are written and read: \(transaction)")
            expect(
                again.operations.count == transaction.operations.count,
                "some operations are lost when they are written and read: \(transaction)")
        } catch {
            expect(
                error.code == .limitExceeded,
                "the written operations can't be read: \(error), \(transaction)")
        }
    }

    private static func written(_ transaction: ListTransaction) -> [UInt8] {
        var writer = ByteWriter()
        packed(transaction).write(to: &writer)
        return writer.makeArray()
    }

    private static func readLine(_ text: UnsafeRawBufferPointer) {
        guard let line = try? ServerLine(line: text) else { return }
        var writer = JSONWriter()
        writer.write(line)
        let again = try? ServerLine(line: writer.bytes)
        let written = String(decoding: writer.bytes, as: UTF8.self)
        expect(again == line, "the line changes when it is written and read: \(written)")
    }

    // MARK: Layouts

    /// How many items are laid out in a run.
    private static let maximumItems = 1000

    private static func layOut(_ text: UnsafeRawBufferPointer) {
        guard let input = try? LayoutInput(line: text),
            input.sections.allSatisfy({ $0.count <= maximumItems }),
            input.sections.reduce(0, { $0 + $1.count }) <= maximumItems,
            let answer = try? LayoutAnswer(to: input)
        else { return }
        var writer = JSONWriter()
        writer.write(answer)
        expect(!writer.bytes.contains(UInt8(ascii: "\n")), "the answer has a line break: \(answer)")
        guard let rect = input.rect, rect.width >= 0, rect.height >= 0 else { return }
        expect(
            answer.elements.allSatisfy { rect.intersects($0.frame) },
            "the answer has elements outside of \(rect): \(answer)")
    }

    // MARK: Snapshots

    private struct Reading: Equatable {
        var parts: [SnapshotReader.Part] = []
        var error: JSONError?
    }

    private static func readSnapshot(_ text: UnsafeRawBufferPointer, pieceBytes: Int) {
        let whole = parts(of: text, pieceBytes: max(text.count, 1))
        let cut = parts(of: text, pieceBytes: pieceBytes)
        expect(
            whole == cut,
            "the snapshot reads as \(whole), but in pieces of \(pieceBytes) bytes as \(cut)")
    }

    private static func parts(of text: UnsafeRawBufferPointer, pieceBytes: Int) -> Reading {
        var reader = SnapshotReader(maximumElementBytes: 4096)
        var reading = Reading()
        do throws(JSONError) {
            for start in stride(from: 0, to: text.count, by: pieceBytes) {
                let end = min(start + pieceBytes, text.count)
                reader.append(UnsafeRawBufferPointer(rebasing: text[start..<end]))
                while let part = try reader.next() { reading.parts.append(part) }
            }
            try reader.finish()
        } catch {
            reading.error = error
        }
        return reading
    }
}
