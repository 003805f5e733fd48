import SyncBytes
import SyncClient
import SyncHTTPCodec
import SyncJSON
import SyncLayout
import SyncModel
import SyncServer
import SyncWire

/// The screen of a view that is not kept open: the line that opens it as the body, its first update
/// as the answer.
final class ViewPost: ScreenRead {
    private var body = RequestBody(of: "a line", atMost: LineSocket.mostLineBytes)
    private var command: ViewCommand?

    override var memoryBytes: Int { super.memoryBytes + body.memoryBytes }

    override func refusal(ofBodyBytes count: Int) -> ErrorMessage? {
        body.refusal(ofBytes: count)
    }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    override func ask() {
        let text = body.take()
        perform(onBytes: text.count) {
            ViewPost.read(text)
        } then: { [self] in
            didRead($0)
        }
    }

    private static func read(_ text: [UInt8]) -> Result<ViewCommand, JSONError> {
        do throws(JSONError) {
            let command = try SharedBytes(text).withBytes { bytes throws(JSONError) in
                try JoinCommand(line: bytes)
            }
            guard case .view(let view) = command, view.layout != nil, view.bounds != nil else {
                throw JSONError(path: "view", message: "must have a layout and bounds")
            }
            return .success(view)
        } catch {
            return .failure(error)
        }
    }

    private func didRead(_ result: Result<ViewCommand, JSONError>) {
        body.didRead()
        switch result {
        case .failure(let error): refuse(malformed: error.description)
        case .success(let command):
            self.command = command
            find()
        }
    }

    override func viewCommand() -> ViewCommand? { command }

    override func didShow(_ screen: ViewScreen) {
        guard let command else { return }
        if textBytes <= SessionRequest.smallBytes {
            let line = ViewPost.line(screen, for: command)
            if line.weight <= SessionRequest.smallBytes {
                return answer(line.text(atMost: ScreenRead.mostBytes))
            }
        }
        performAside {
            ViewPost.line(screen, for: command).text(atMost: ScreenRead.mostBytes)
        } then: { [self] in
            answer($0)
        }
    }

    private func answer(_ text: SharedBytes?) {
        guard let text else { return refuseLargeScreen() }
        let fields = HTTPFields(["Content-Type": "application/json"])
        respond(Response(200, fields.warning(command?.layout?.spec.warning()), body: text))
    }

    private static func line(_ screen: ViewScreen, for command: ViewCommand) -> ViewLine {
        let shown = screen.snapshot
        let elements = command.layout.map { ContentOrder(of: $0.spec).sort(shown.elements) } ?? []
        return ViewLine(
            view: command.id.text, revision: shown.revision ?? 0, contentSize: shown.contentSize,
            offset: shown.bounds == command.bounds ? nil : shown.bounds.origin,
            appeared: elements.map { ViewLine.Entry($0) })
    }
}

extension ViewLine.Entry {
    /// An element that has been there all along.
    init(_ shown: ViewElement) {
        let content: ViewLine.Content =
            switch shown.content {
            case .item(let item): .item(item)
            case .section(let section): .section(section)
            }
        self.init(
            from: shown.element, to: shown.element, id: shown.content.thing.id, content: content)
    }
}
