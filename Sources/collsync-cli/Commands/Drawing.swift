import CollSync
import Glibc
import SyncJSON
import SyncLayout
import SyncModel
import SyncPicture
import SyncTerminal

/// A collection to draw: its layout, and the text on its elements.
struct Drawing {
    private var input: LayoutInput
    /// Whether the viewport is at the beginning of the content, wherever that is.
    private var isAtBeginning = false
    private let text: (LayoutElement.Identity) -> String

    /// Draws a room's sections.
    init(_ sections: [Snapshot.SectionState], spec: LayoutSpec, _ view: ViewOptions) {
        let bounds = view.viewport.bounds()
        let environment = LayoutEnvironment(viewport: bounds.size)
        input = LayoutInput(
            spec: spec, environment: environment, bounds: bounds,
            sections: sections.map { SectionInput($0) })
        isAtBeginning = view.viewport.isAtBeginning
        let titles = RoomTitles(sections: sections, field: TitleField(name: view.title))
        text = { titles.text(on: $0) }
    }

    /// Draws the first line of a file, which is an input line of `layout`.
    init(layoutLineIn path: String, _ view: ViewOptions) async throws {
        let file = try SnapshotFile(path: path)
        let lines = try LineReader(descriptor: file.descriptor)
        defer { lines.finish() }
        guard case .text(let line) = await lines.next()?.first else {
            throw Failure("\(path): has no line, or a too long one", exitCode: Failure.badData)
        }
        do {
            input = try line.withUnsafeBufferPointer { bytes throws(JSONError) in
                try LayoutInput(line: UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw Failure(
                "\(path): \(error); a file that 'export' has written needs --layout",
                exitCode: Failure.badData, code: "malformed")
        }
        if let warning = input.warning { Terminal.say("warning: \(path): \(warning)") }
        input.bounds = view.viewport.bounds(over: input.bounds)
        input.environment.viewport = input.bounds.size
        let names = input.names
        text = { identity in
            switch identity {
            case .cell(let path): names[path]?.text ?? "\(path.item)"
            case .supplementary(LayoutElement.header, let section): "Section \(section)"
            case .supplementary(let kind, _), .itemSupplementary(let kind, _),
                .decoration(let kind, _):
                kind.text
            }
        }
    }

    /// The picture of the viewport, or of the whole content.
    func picture(ofWhole isWhole: Bool) throws -> Picture {
        let input = isWhole ? unpinned : input
        do {
            let layout = try CollectionLayout(
                input.spec, in: input.environment, sections: input.sections)
            var bounds = input.bounds
            if isAtBeginning { bounds.origin = layout.contentOffset(atBeginningOf: bounds) }
            var area = bounds
            if isWhole {
                let content = layout.contentSize(in: bounds)
                area = ListRect(width: content.width, height: content.height)
            }
            let elements = try layout.elements(in: area, bounds: bounds)
            return try Picture(of: elements, in: area, text: text)
        } catch let error as LayoutError {
            throw Failure(error.explanation, exitCode: Failure.badData, code: error.code)
        } catch let error as PictureError {
            throw Failure(error)
        }
    }

    /// The same with nothing pinned: in a picture of everything, headers and footers are at their
    /// own places.
    private var unpinned: LayoutInput {
        func unpin(_ options: inout LayoutOptions) {
            options.sectionHeadersPinToVisibleBounds = false
            options.sectionFootersPinToVisibleBounds = false
        }
        var input = input
        unpin(&input.spec.options)
        for index in input.sections.indices { unpin(&input.sections[index].options) }
        return input
    }
}
