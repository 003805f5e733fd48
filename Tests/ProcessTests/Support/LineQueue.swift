import Foundation
import Glibc

/// The lines of a descriptor, in order; each is returned once. A thread reads them as they come, so
/// the writer never waits.
final class LineQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []
    private var given = 0
    private var isEnded = false

    init(reading descriptor: Int32) {
        Thread.detachNewThread { self.read(descriptor) }
    }

    /// The next line; `nil` if all have been returned and no more come.
    ///
    /// - Throws: ``TestFailure`` if neither happens in time.
    func next(within seconds: Double = Deadline.usual) throws -> String? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while given == lines.count, !isEnded {
            guard condition.wait(until: deadline) else {
                throw TestFailure("no line came in \(seconds) s")
            }
        }
        guard given < lines.count else { return nil }
        given += 1
        return lines[given - 1]
    }

    /// The next line, if it has arrived.
    func nextIfThere() -> String? {
        condition.lock()
        defer { condition.unlock() }
        guard given < lines.count else { return nil }
        given += 1
        return lines[given - 1]
    }

    /// All lines until the end, including those already returned.
    func all(within seconds: Double = Deadline.usual) throws -> [String] {
        try waitForEnd(within: seconds)
        condition.lock()
        defer { condition.unlock() }
        return lines
    }

    func waitForEnd(within seconds: Double = Deadline.usual) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isEnded {
            guard condition.wait(until: deadline) else {
                throw TestFailure("the lines did not end in \(seconds) s")
            }
        }
    }

    /// The last lines, for messages.
    var tail: String {
        condition.lock()
        defer { condition.unlock() }
        return lines.suffix(20).map { String($0.prefix(400)) }.joined(separator: "\n")
    }

    private func read(_ descriptor: Int32) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer[..<count]
            pending = take(linesOf: pending)
        }
        close(descriptor)
        condition.lock()
        defer { condition.unlock() }
        if !pending.isEmpty { lines.append(String(decoding: pending, as: UTF8.self)) }
        isEnded = true
        condition.broadcast()
    }

    /// Adds the complete lines and returns the rest.
    private func take(linesOf bytes: [UInt8]) -> [UInt8] {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return bytes }
        let whole = bytes[..<end].split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        condition.lock()
        defer { condition.unlock() }
        lines += whole.map { String(decoding: $0, as: UTF8.self) }
        condition.broadcast()
        return Array(bytes[(end + 1)...])
    }
}
