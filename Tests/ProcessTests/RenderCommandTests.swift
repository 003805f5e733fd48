import Foundation
import Testing

extension ProcessTests {
    /// `collsync-cli render` with the fonts of a system.
    @Suite struct RenderCommandTests {
        /// Draws an item with a title as a PNG, and returns the warnings.
        private func draw(
            _ title: String, to name: String = "picture.png", environment: [String: String] = [:]
        ) throws -> [String] {
            let folder = try TemporaryFolder()
            let item: JSON = ["id": "a", "fields": ["title": .text(title)]]
            let room: JSON = ["sections": [["id": "main", "items": [item]]]]
            let file = try folder.write(room.line, to: "room.json")
            let process = try ChildProcess(
                Program.client,
                ["render", "--input", file, "--layout", "flow", "--out", folder.path(name)],
                environment: environment)
            process.closeInput()
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
            #expect(try process.output.all() == [])
            #expect(FileManager.default.fileExists(atPath: folder.path(name)))
            return try process.errors.all()
        }

        /// Characters that no font has are drawn as boxes. One line reports each of them once.
        @Test func charactersThatNoFontHasAreSaid() throws {
            let folder = try TemporaryFolder()
            let noFonts = try folder.write(
                #"<?xml version="1.0"?><fontconfig></fontconfig>"#, to: "fonts.conf")
            let said = try draw("Tea, tea", environment: ["FONTCONFIG_FILE": noFonts])
            #expect(
                said == [
                    "warning: no font here has 6 characters, such as   , T a e t;"
                        + " fonts-wqy-microhei has those of Chinese, Japanese and Korean"
                ])
            #expect(try draw("Tea, tea") == [])
        }

        /// No font has an unassigned character.
        @Test func aCharacterThatIsNoneYetIsSaid() throws {
            let said = try draw("Tea\u{378}")
            #expect(said.count == 1)
            #expect(said.first?.hasPrefix("warning: no font here has 1 character, such") == true)
            // An SVG uses the fonts of the system that displays it.
            #expect(try draw("Tea\u{378}", to: "picture.svg") == [])
        }
    }
}
