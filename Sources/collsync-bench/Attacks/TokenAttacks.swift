import Foundation
import SyncModel
import SyncWire

/// Tokens that nobody has signed, and what users can do to the audit trail.
struct TokenAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "keyids", what: "tokens that name their key by marks", needsUsers: true,
                prepare: keyIDs),
            Attack(
                name: "trail", what: "as many lines of the audit trail as can be caused",
                needsUsers: true, prepare: trail),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// A token whose key id has so many bytes.
    private static func token(keyIDBytes bytes: Int) -> String {
        let id = TextAttacks.marks(bytes: bytes)
        let header = Data(#"{"alg":"EdDSA","kid":"\#(id)"}"#.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "\(header).e30.AA"
    }

    private func keyIDs(_ scene: AttackScene) throws -> () throws -> Void {
        // As long as an id may be, as long as one that is decoded, and longer.
        let tokens = [128, 1400, 5000].map(Self.token)
        let strangers = try scene.gang.visit(count: count(64), tokens: tokens)
        return { [self] in
            for stranger in strangers {
                let request = stranger.request("GET", "/v1/rooms")
                stranger.goOn = { _ in request }
            }
            for turn in 0..<count(2000) {
                try scene.gang.add(token: tokens[turn % tokens.count])
                try scene.gang.run(seconds: 0.002)
            }
            try scene.expectHTTP()
            try scene.gang.run(seconds: 5 * scale)
            let refused = strangers.reduce(0) { $0 + ($1.statuses[401] ?? 0) }
            scene.remarks.append("\(refused) requests refused")
            if strangers.contains(where: { $0.statuses[200] != nil }) {
                scene.failures.append("such a token is taken")
            }
        }
    }

    private func trail(_ scene: AttackScene) throws -> () throws -> Void {
        _ = try scene.talk().fill(try AttackScene.room("victim"), items: 10)
        let edit = Array(
            #"{"ops":[{"updateSection":{"id":"main","set":{"title":"x"}}}]}"#.utf8)
        let share = Array(#"{"room":"victim","role":"admin"}"#.utf8)
        let members = try scene.gang.visit(count: count(64))
        let strangers = try scene.gang.visit(count: count(32), tokens: ["broken", "a.b.c"])
        return { [self] in
            for (number, member) in members.enumerated() {
                var turn = 0
                // Each joins another room with each request, or shares one that it may not share.
                member.goOn = { stranger in
                    turn += 1
                    return turn % 3 == 0
                        ? stranger.request("POST", "/v1/tokens", body: share)
                        : stranger.request(
                            "POST", "/v1/rooms/room-\(number)-\(turn % 50)/transactions",
                            "Idempotency-Key: \(turn)\r\n", body: edit)
                }
            }
            for stranger in strangers {
                let request = stranger.request("GET", "/v1/rooms")
                stranger.goOn = { _ in request }
            }
            try scene.gang.run(seconds: 5 * scale)
            try scene.expect("a deletion", within: 1) {
                _ = try scene.talkWeb().ask("DELETE", "/v1/rooms/victim", status: 204)
            }
            // A line is written a moment later.
            try scene.gang.run(seconds: max(1, 5 * scale))
            let lines = try scene.programs.outputOfServer(["audit", scene.data, "--json"])
                .split(separator: "\n")
            scene.remarks.append("\(lines.count) lines")
            let isThere = lines.contains {
                $0.contains(#""kind":"deleteRoom""#) && $0.contains(#""room":"victim""#)
            }
            if !isThere { scene.failures.append("the trail has no line of the deletion") }
        }
    }
}
