import SyncBytes
import SyncIO
import SyncSim
import SyncWebSocket
import TLSSupport

/// A WebSocket of either side and either kind, whose peer sends frames cut anywhere, wrong ones and
/// bytes that are no frames.
///
/// - While all frames are right, what is received is what they carry. Never is more received than
///   came, nor anything while the stream is paused.
/// - What is sent is whole frames that keep the rules, whatever came. A closing frame is the last.
/// - The memory is bounded. Each write is followed by one drain, or the end.
enum WebSocketFuzzer {
    private static let maximumSteps = 80

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let first = choices.below(4)
        let world = WebSocketWorld(first < 2 ? .bytes : .lines, isServer: first % 2 == 0)
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            world.play(&choices)
            world.check()
        }
        world.end()
    }
}

/// A WebSocket, its handler, and the other side.
private final class WebSocketWorld: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    private static let maximumMemoryBytes = 300 << 10

    private let kind: WebSocketProtocol
    private let isServer: Bool
    private let simulation = Simulation(seed: 1)
    private let below: ScriptedStream
    private let stream: WebSocketStream
    private var sentFrames: SentFrames
    /// What the frames so far carry; `nil` once something wrong was sent.
    private var expected: [UInt8]? = []
    private var isInMessage = false
    /// How many frames were sent that are nothing for the handler. A few are allowed.
    private var idleFrames = 0
    private var received: [UInt8] = []
    private var sentBytes = 0
    private var writes = 0
    private var drains = 0
    private var hasEnded = false

    init(_ kind: WebSocketProtocol, isServer: Bool) {
        (self.kind, self.isServer) = (kind, isServer)
        sentFrames = SentFrames(kind: kind, isMasked: !isServer)
        nonisolated(unsafe) var made: (any EventLoop)?
        _ = try? simulation.makePlatform(named: "host").startLoop(named: "loop") { made = $0 }
        simulation.runUntilIdle()
        guard let loop = made else { finding("there is no loop") }
        below = ScriptedStream(on: loop)
        stream = WebSocketStream(on: below, kind, isServer: isServer, loop: loop)
        below.open(stream)
        stream.open(self)
    }

    func play(_ choices: inout InputBytes) {
        switch choices.below(12) {
        case 0:
            expected = nil
            pass(choices.list(below: 40) { $0.byte() })
        case 1: sendAnyFrame(&choices)
        case 2: stream.isReadingPaused.toggle()
        case 3, 4: write(&choices)
        case 5: if choices.oneIn(8) { finish(byClosing: choices.oneIn(2)) }
        case 6: sendMany(&choices)
        case 7: sendControl(&choices)
        default: sendMessage(&choices)
        }
        simulation.run(forMilliseconds: UInt64(choices.oneIn(4) ? 1500 : 1))
    }

    /// Sends the next part of a message, as it should be.
    private func sendMessage(_ choices: inout InputBytes) {
        let length = [choices.below(8), choices.below(256), choices.byte() == 9 ? 70_000 : 130]
        let data = [UInt8](
            repeating: kind == .lines ? 0x20 + choices.byte() % 90 : choices.byte(),
            count: length[choices.below(3)])
        let isFinal = !choices.oneIn(3)
        pass(
            frame(isInMessage ? 0 : kind == .lines ? 1 : 2, data, isFinal: isFinal),
            cutting: choices.below(32))
        isInMessage = !isFinal
        if data.isEmpty { noteIdleFrames(1) }
        expected?.append(contentsOf: data)
        if isFinal, kind == .lines { expected?.append(UInt8(ascii: "\n")) }
    }

    private func sendControl(_ choices: inout InputBytes) {
        let data = [UInt8](repeating: 1, count: choices.below(126))
        pass(frame(choices.oneIn(2) ? 10 : 9, data), cutting: choices.below(32))
        noteIdleFrames(1)
        guard choices.oneIn(8) else { return }
        for _ in 0..<40 { pass(frame(9)) }
        noteIdleFrames(40)
    }

    /// Too many of them may end the connection.
    private func noteIdleFrames(_ count: Int) {
        idleFrames += count
        if idleFrames > 32 { expected = nil }
    }

    private func sendMany(_ choices: inout InputBytes) {
        guard !isInMessage else { return }
        let data: [UInt8] = kind == .lines ? [0x61] : [7]
        let count = choices.below(256) * 8
        let one = frame(kind == .lines ? 1 : 2, data)
        pass((0..<count).flatMap { _ in one })
        let line = kind == .lines ? data + [UInt8(ascii: "\n")] : data
        for _ in 0..<count { expected?.append(contentsOf: line) }
    }

    private func sendAnyFrame(_ choices: inout InputBytes) {
        expected = nil
        var bytes = frame(
            choices.byte() & 15, choices.list(below: 140) { $0.byte() },
            isFinal: !choices.oneIn(4))
        let changed = choices.below(16)
        if choices.oneIn(2), changed < bytes.count { bytes[changed] ^= choices.byte() }
        pass(bytes, cutting: choices.below(8))
    }

    private func frame(_ opcode: UInt8, _ data: [UInt8] = [], isFinal: Bool = true) -> [UInt8] {
        let maskBit: UInt8 = isServer ? 0x80 : 0
        var bytes = [(isFinal ? 0x80 : 0) | opcode]
        switch data.count {
        case ..<126: bytes.append(maskBit | UInt8(data.count))
        case ..<65_536:
            bytes += [maskBit | 126, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        default:
            bytes.append(maskBit | 127)
            for index in (0..<8).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: data.count >> (8 * index)))
            }
        }
        guard isServer else { return bytes + data }
        let mask: [UInt8] = [1, 2, 3, 0xF4]
        return bytes + mask + data.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    private func pass(_ bytes: [UInt8], cutting length: Int = 0) {
        sentBytes += bytes.count
        guard length > 0 else { return below.send([bytes]) }
        below.send(
            stride(from: 0, to: bytes.count, by: max(length, bytes.count / 100)).map {
                Array(bytes[$0..<min($0 + max(length, bytes.count / 100), bytes.count)])
            })
    }

    private func write(_ choices: inout InputBytes) {
        guard !stream.isWriting, !hasEnded else { return }
        let parts = choices.list(below: 4) { choices in
            let byte: UInt8 = choices.oneIn(3) ? UInt8(ascii: "\n") : 0x61
            return SharedBytes([UInt8](repeating: byte, count: choices.below(200)))
        }
        stream.write(parts)
        if stream.isWriting { writes += 1 }
    }

    private func finish(byClosing isClosing: Bool) {
        // What follows is not received.
        expected = nil
        if isClosing { stream.close() } else if !stream.isWriting { stream.finishWriting() }
    }

    func check() {
        sentFrames.read(below.takeWritten())
        let memory = stream.memoryBytes
        expect(memory <= WebSocketWorld.maximumMemoryBytes, "the stream takes \(memory) bytes")
        expect(drains <= writes, "\(writes) writes have \(drains) drains")
        expect(received.count <= sentBytes, "more is received than came")
        guard let expected else { return }
        expect(expected.starts(with: received), "other bytes are received than were sent")
        expect(!sentFrames.isClosed, "a right peer is closed")
    }

    func end() {
        stream.isReadingPaused = false
        simulation.run(forMilliseconds: 2000)
        check()
        if let expected { expect(expected == received, "not all is received") }
        below.close()
        simulation.run(forMilliseconds: 2000)
        check()
        expect(hasEnded, "the stream has not ended")
        simulation.end()
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        expect(!hasEnded, "bytes come behind the end")
        expect(!stream.isReadingPaused, "bytes come while the stream is paused")
        received.append(contentsOf: bytes)
    }

    func streamDidDrain() {
        expect(!hasEnded, "a drain comes behind the end")
        drains += 1
    }

    func streamDidClose(_ error: IOError?) {
        expect(!hasEnded, "the stream has ended twice")
        hasEnded = true
    }
}

/// What a WebSocket sends: frames that keep the rules of RFC 6455, and nothing behind the last one.
private struct SentFrames {
    let kind: WebSocketProtocol
    let isMasked: Bool
    private(set) var isClosed = false
    private var isInMessage = false

    init(kind: WebSocketProtocol, isMasked: Bool) {
        (self.kind, self.isMasked) = (kind, isMasked)
    }

    mutating func read(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8> {
            expect(rest.count >= count, "a write ends within a frame")
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        while !rest.isEmpty {
            expect(!isClosed, "something is sent behind a closing frame")
            let start = Array(take(2))
            expect((start[1] & 0x80 != 0) == isMasked, "the mask is wrong")
            var length = Int(start[1] & 0x7F)
            if length >= 126 {
                let least = length == 126 ? 126 : 65_536
                length = take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
                expect(length >= least, "a length has too many bytes")
            }
            let data = take((isMasked ? 4 : 0) + length)
            check(start[0], length, data)
        }
    }

    private mutating func check(_ head: UInt8, _ length: Int, _ data: ArraySlice<UInt8>) {
        expect(head & 0x70 == 0, "a reserved bit is set")
        let isFinal = head & 0x80 != 0
        switch head & 15 {
        case 8, 9, 10:
            expect(isFinal && length <= 125, "a frame about the connection is too long")
            expect(head & 15 != 9, "nobody sends pings")
            isClosed = head & 15 == 8
        case 0:
            expect(isInMessage, "a message goes on that has not begun")
            isInMessage = !isFinal
        case 1, 2:
            expect(!isInMessage, "a message begins within another")
            expect((head & 15 == 1) == (kind == .lines), "the message is of the wrong kind")
            isInMessage = !isFinal
        default: finding("an opcode is reserved")
        }
    }
}
