import SyncJSON
import SyncSim
import SyncWebSocket

/// A whole simulated server with two strangers, whose WebSockets speak in lines. They send sensible
/// and senseless lines in any order, read or do not, disconnect and come back.
///
/// - Each line that the server sends can be read.
/// - Each transaction and each line that can't be read has an answer of its own, unless the
///   connection ends.
/// - Afterwards a guest is served as if nothing had happened (``ConversationFuzzer``).
enum LineFuzzer {
    private static let maximumSteps = 60

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = LineChoices(choices: InputBytes(input))
        let seed = UInt64(choices.choices.below(8))
        let world = FuzzedWorld(seed: seed, FuzzedWorld.Settings(), speaksHTTP: true)
        var strangers = (0..<2).map { _ in Stranger(in: world, &choices.choices) }
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            let index = choices.choices.below(strangers.count)
            switch choices.choices.below(12) {
            case 0:
                let times: [UInt64] = [1, 10, 100, 1000, 20_000, 70_000]
                world.simulation.run(forMilliseconds: times[choices.choices.below(6)])
            case 1:
                strangers[index].visitor.close()
                strangers[index] = Stranger(in: world, &choices.choices)
            case 2: strangers[index].visitor.reads.toggle()
            case 3: strangers[index].send(Array(choices.choices.rest.prefix(300)))
            default: strangers[index].send(Array(choices.line().utf8))
            }
            for stranger in strangers { stranger.check() }
        }
        for stranger in strangers { stranger.visitor.reads = true }
        world.simulation.run(forMilliseconds: 20_000)
        for stranger in strangers {
            stranger.check()
            stranger.checkEnd()
            stranger.visitor.close()
        }
        ConversationFuzzer.expectService(in: world)
        world.end()
    }

    /// A stranger, and the answers that it still has to get.
    private final class Stranger {
        let visitor: WebVisitor
        private var unanswered = 0

        init(in world: FuzzedWorld, _ choices: inout InputBytes) {
            let options = [
                "", "&presence=true", "&viewOnly=true&presence=true", "&authors=true",
                "&everyRevision=true", "&from=1&id=00&epoch=01",
            ]
            let target = "/v1/ws?room=caf%C3%A9" + options[choices.below(options.count)]
            visitor = world.enterWeb(by: WebSocketClient(target: target, .lines))
        }

        func send(_ bytes: [UInt8]) {
            for line in bytes.split(separator: 0x0A) where needsAnswer(Array(line)) {
                unanswered += 1
            }
            visitor.send(bytes + [0x0A])
        }

        private func needsAnswer(_ line: [UInt8]) -> Bool {
            // A text that is not UTF-8 ends the connection.
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return false }
            do {
                let command = try line.withUnsafeBytes { try JoinCommand(line: $0) }
                if case .transaction = command { return true }
                return false
            } catch {
                return true
            }
        }

        func check() {
            for text in visitor.takeLines() {
                do {
                    switch try text.withUnsafeBytes({ try ServerLine(line: $0) }) {
                    case .ack, .reject, .error: unanswered -= 1
                    default: break
                    }
                } catch {
                    finding("\(error): \(String(decoding: text, as: UTF8.self))")
                }
            }
        }

        /// Errors of views and drags count as answers, too.
        func checkEnd() {
            expect(visitor.isClosed || unanswered <= 0, "\(unanswered) lines have no answer")
        }
    }
}
