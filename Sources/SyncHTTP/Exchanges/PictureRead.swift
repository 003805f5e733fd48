import SyncBytes
import SyncClient
import SyncHTTPCodec
import SyncJSON
import SyncLayout
import SyncModel
import SyncPicture
import SyncServer
import SyncWire

/// A picture of what a viewport of a room shows, as `collsync-cli render` makes it.
///
/// What it shows is what strangers have written, and a browser takes an SVG for a page. So it is
/// told to let it load and run nothing, wherever it displays it.
final class PictureRead: ScreenRead {
    private let options: PictureOptions
    private let head: RequestHead
    private var isDrawn = false

    /// A search for a font takes milliseconds.
    private static let fontSearches = 16

    init(
        _ options: PictureOptions, of room: RoomName, for head: RequestHead,
        _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.options = options
        self.head = head
        super.init(room, connection, session)
    }

    override var memoryBytes: Int {
        super.memoryBytes + (isDrawn ? Int(options.pixels) * PictureRead.bytesOfPixel : 0)
    }

    private static let bytesOfPixel = 4

    override func ask() { find() }

    override func didFind(_ newest: RevisionTag) {
        if head.fields.hasNoneMatch(newest.entityTag) {
            return respond(.unchanged(newest, isText: options.format == .svg))
        }
        join()
    }

    override func viewCommand() -> ViewCommand? {
        ViewCommand(
            id: "picture", layout: ViewLayout(options.layout), bounds: options.bounds,
            anchor: options.isAtBeginning ? .beginning : nil)
    }

    override func didShow(_ screen: ViewScreen) {
        guard let identity = joined?.identity else { return }
        let revision = screen.revision ?? 0
        let tag = RevisionTag(identity.origin(of: revision), revision)
        let options = options
        isDrawn = true
        performAside {
            PictureRead.answer(screen.snapshot, options, tag)
        } then: { [self] result in
            switch result {
            case .success(let response): respond(response)
            case .failure(let error):
                let code: ErrorCode = error.code == "unavailable" ? .unavailable : .limitExceeded
                refuse(ErrorMessage(code, error.explanation))
            }
        }
    }

    private static func answer(
        _ shown: ViewSnapshot, _ options: PictureOptions, _ tag: RevisionTag
    ) -> Result<Response, PictureError> {
        Result { () throws(PictureError) in
            let picture = try Picture(of: shown, options)
            let bytes: SharedBytes
            switch options.format {
            case .svg: bytes = SharedBytes(Array(try picture.svg().utf8))
            case .png:
                var missing: Set<Unicode.Scalar> = []
                bytes = SharedBytes(
                    try picture.png(
                        scale: options.scale, atMost: PictureOptions.mostPaintedPixels,
                        fontSearches: fontSearches, missing: &missing))
            }
            return Response(
                200,
                HTTPFields([
                    "Content-Type": options.format.mediaType, "ETag": tag.entityTag,
                    "Cache-Control": "private, no-cache",
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                    "X-Content-Type-Options": "nosniff",
                ]).warning(options.layout.warning()), body: bytes)
        }
    }
}

extension Picture {
    /// Draws a screen.
    fileprivate init(
        of shown: ViewSnapshot, _ options: PictureOptions
    ) throws(PictureError) {
        let elements = ContentOrder(of: options.layout).sort(shown.elements)
        var texts: [LayoutElement.Identity: String] = [:]
        for shown in elements {
            let identity = shown.element.identity
            texts[identity] = options.title.text(on: identity, showing: shown.content)
        }
        try self.init(of: elements.map(\.element), in: shown.bounds) { texts[$0] ?? "" }
    }
}

extension TitleField {
    /// The text on an element. A view does not know how many items a section has, so a footer
    /// without a title has its kind.
    fileprivate func text(
        on identity: LayoutElement.Identity, showing content: ViewContent
    ) -> String {
        switch (identity, content) {
        case (.cell, .item(let item)): title(of: item)
        case (.supplementary(let kind, _), .section(let section)):
            title(of: kind, in: section) ?? kind.text
        case (.supplementary(let kind, _), _), (.itemSupplementary(let kind, _), _),
            (.decoration(let kind, _), _):
            kind.text
        case (.cell, .section): ""
        }
    }
}
