import Foundation
import Testing

@testable import collsync

/// What a client, a proxy or a file has written goes into the log, and people read it on terminals.
@Suite struct LogLineTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func aLineCommandsNoTerminal(seed: UInt64) throws {
        var hostile = HostileText(seed: seed)
        let (message, peer, why) = (hostile.text(), hostile.text(), hostile.text())
        for format in LogFormat.allCases {
            let line = LineLogHandler.line(
                format, level: .warning, message, [("peer", peer), ("why", why)])
            expectNoCommands(in: line, seed: seed)
            #expect(!line.unicodeScalars.contains("\n"), "seed \(seed)")
            guard format == .json else { continue }
            let members = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            #expect(members["peer"]?.utf8.elementsEqual(peer.utf8) == true, "seed \(seed)")
            #expect(members["message"]?.utf8.elementsEqual(message.utf8) == true, "seed \(seed)")
        }
    }
}
