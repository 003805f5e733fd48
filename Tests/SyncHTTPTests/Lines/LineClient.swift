import EngineTwin
import ModelSupport
import SyncBytes
import SyncIO
import SyncJSON
import SyncLayout
import SyncModel
import Testing

/// A client that speaks in lines. It knows `json.md` and nothing else.
final class LineClient: ByteStreamHandler {
    private var stream: (any ByteStream)?
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private(set) var isClosed = false

    /// All lines, in order.
    private(set) var lines: [ServerLine] = []
    private(set) var welcome: ServerLine.Welcome?
    private(set) var snapshot: Snapshot?
    private(set) var views: [Identifier: ShownView] = [:]

    init(having snapshot: Snapshot? = nil) {
        self.snapshot = snapshot
    }

    var errors: [ServerLine.Failure] {
        lines.compactMap { if case .error(let failure) = $0 { failure } else { nil } }
    }

    func didConnect(_ result: Result<any ByteStream, IOError>) {
        guard case .success(let stream) = result else { return isClosed = true }
        self.stream = stream
        stream.open(self)
        flush()
    }

    /// How many transactions it has sent.
    private(set) var sentTransactions = 0

    func send(_ line: String) {
        if line.hasPrefix(#"{"ops""#) { sentTransactions += 1 }
        outgoing += Array((line + "\n").utf8)
        flush()
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        let bytes = SharedBytes(outgoing)
        outgoing = []
        stream.write([bytes])
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        incoming += bytes
        while let end = incoming.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(incoming[..<end])
            incoming.removeFirst(end + 1)
            do {
                let read = try line.withUnsafeBytes { try ServerLine(line: $0) }
                lines.append(read)
                try take(read)
            } catch {
                Issue.record("\(error) in \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    private func take(_ line: ServerLine) throws {
        switch line {
        case .welcome(let welcome): self.welcome = welcome
        case .snapshot(let room, let snapshot):
            #expect(room == welcome?.room)
            self.snapshot = snapshot
        case .batch(let batch):
            if let snapshot { self.snapshot = try LegalityChecker.apply(batch, to: snapshot) }
        case .viewUpdate(let update): views[id(update.view), default: ShownView()].apply(update)
        default: break
        }
    }

    func streamDidDrain() { flush() }

    func streamDidClose(_ error: IOError?) { isClosed = true }
}

/// What a view shows, as lines about it say.
struct ShownView {
    struct Shown: Hashable {
        var element: String
        var id: Identifier?
        var content: String

        init(_ element: LayoutElement, _ id: Identifier?, _ content: ViewLine.Content?) {
            self.element = "\(element)"
            self.id = id
            self.content = content.map { "\($0)" } ?? ""
        }
    }

    private(set) var elements: [Shown: Int] = [:]
    private(set) var updates = 0

    mutating func apply(_ line: ViewLine) {
        updates += 1
        var stayed: [(Shown, ViewLine.Entry)] = []
        for entry in line.disappeared { _ = take(entry) }
        for entry in line.changed { if let former = take(entry) { stayed.append((former, entry)) } }
        for (former, entry) in stayed {
            var shown = Shown(entry.to, entry.id, entry.content)
            if entry.content == nil { shown.content = former.content }
            elements[shown, default: 0] += 1
        }
        for entry in line.appeared {
            #expect(entry.content != nil)
            elements[Shown(entry.to, entry.id, entry.content), default: 0] += 1
        }
    }

    /// Removes the element that an entry names as it was.
    private mutating func take(_ entry: ViewLine.Entry) -> Shown? {
        let key = elements.keys.first {
            $0.element == "\(entry.from)" && $0.id == entry.id
        }
        guard let key, let count = elements[key] else {
            Issue.record("it was not on the screen: \(entry)")
            return nil
        }
        elements[key] = count == 1 ? nil : count - 1
        return key
    }
}
