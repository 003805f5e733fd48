import Foundation
import SeededRandom
import TLSSupport
import Testing

extension ProcessTests {
    /// Many strangers at a server with TLS, and a member that works meanwhile.
    @Suite struct SecuredFloodTests {
        @Test func unfinishedHandshakesDisturbNobody() throws {
            let count = 200
            let server = try SecuredServer(["--handshake-timeout", "3s"])
            let member = try server.join("member")
            try member.insertAnother()
            let before = try server.process.residentBytes
            // Some begin a handshake and send no more.
            var beginners: [SecuredConnection] = []
            var strangers: [RawSocket] = []
            var generator = SplitMix64(seed: 1)
            for number in 1...count {
                beginners.append(try SecuredConnection(strangerTo: server.port))
                let stranger = try RawSocket(port: server.port)
                try stranger.send(
                    (0..<1 + generator.below(4000)).map { _ in UInt8(generator.below(256)) })
                strangers.append(stranger)
                if number % 20 == 0 { try member.insertAnother() }
            }
            for stranger in strangers { try stranger.receiveUntilClosed() }
            let bytes = try server.process.residentBytes - before
            print("an unfinished handshake: \(bytes / count) bytes of the server's memory")
            #expect(bytes / count < 256 << 10 || Program.isSanitized)
            try member.insertAnother()
            for beginner in beginners { try beginner.receiveUntilClosed() }
            try member.insertAnother()
            #expect(member.welcomes.count == 1, "it was connected all the time")
            #expect(try member.finish() == .exit(0))
            #expect(try server.process.terminate() == .exit(0))
        }
    }
}
