import SyncJSON

/// The kinds of lines that the server says, so that no generator leaves one out.
enum ServerLineKind: CaseIterable, Sendable {
    case welcome, snapshot, ack, reject, authors, batch
    case viewUpdate, dragTarget, presence, clipboard, pasted, nearLimit, error

    init(_ line: ServerLine) {
        self =
            switch line {
            case .welcome: .welcome
            case .snapshot: .snapshot
            case .ack: .ack
            case .reject: .reject
            case .authors: .authors
            case .batch: .batch
            case .viewUpdate: .viewUpdate
            case .dragTarget: .dragTarget
            case .presence: .presence
            case .clipboard: .clipboard
            case .pasted: .pasted
            case .nearLimit: .nearLimit
            case .error: .error
            }
    }
}

/// The kinds of commands about the clipboard.
enum ClipboardCommandKind: CaseIterable, Sendable {
    case copy, cut, paste

    init(_ command: ClipboardCommand) {
        self =
            switch command {
            case .copy: .copy
            case .cut: .cut
            case .paste: .paste
            }
    }
}
