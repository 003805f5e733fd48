import Foundation
import Testing

/// The conversations of `Protocol/` equal what the server sends. To record them again, and their
/// blocks in the README:
///
///     COLLSYNC_RECORD_STREAMS=1 swift test --filter ConversationTests
@Suite("Conversations", .serialized)
struct ConversationTests {
    init() throws {
        guard ProcessInfo.processInfo.environment["COLLSYNC_RECORD_STREAMS"] != nil else { return }
        for name in Conversation.names {
            try ConversationPlayer.play(Conversation(named: name)).write(named: name)
        }
    }

    @Test(arguments: Conversation.names)
    func theServerSaysTheSame(name: String) throws {
        let recorded = try Conversation(named: name)
        let played = try ConversationPlayer.play(recorded)
        #expect(played.lines.count == recorded.lines.count)
        for (now, then) in zip(played.lines, recorded.lines) { #expect(now == then) }
    }

    @Test(arguments: Conversation.names)
    func theReadmeShowsTheFile(name: String) throws {
        let text = try String(contentsOf: Conversation.file(name), encoding: .utf8)
        #expect(try Conversation.shown(name) == text)
    }
}
