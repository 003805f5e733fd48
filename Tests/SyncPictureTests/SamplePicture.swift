import SyncLayout
import SyncModel

@testable import SyncPicture

/// A picture that has something of everything.
enum SamplePicture {
    static let elements: [LayoutElement] = [
        LayoutElement(
            .supplementary(kind: "header", section: 0), frame: ListRect((0, 0, 200, 24)), zIndex: 1),
        LayoutElement(.supplementary(kind: "note", section: 0), frame: ListRect((0, 24, 200, 20))),
        .cell(0, 0, (10, 54, 50, 40)),
        LayoutElement(
            .itemSupplementary(kind: "new", ItemPath(section: 0, item: 0)),
            frame: ListRect((45, 46, 30, 16))),
        .cell(0, 1, (70, 54, 50, 40)).with { $0.scale = 1.2 },
        .cell(0, 2, (130, 54, 60, 40)).with { $0.alpha = 0.5 },
        .cell(0, 3, (130, 54, 60, 40)).with { $0.isHidden = true },
        LayoutElement(
            .supplementary(kind: "footer", section: 0), frame: ListRect((0, 104, 200, 18))),
        LayoutElement(
            .decoration(kind: "ground", section: 0), frame: ListRect((4, 48, 192, 52)), zIndex: -1),
        .cell(1, 0, (10, 130, 1.0 / 3, 40)),
        .cell(1, 1, (20, 130, 1_000, 40)),
        .cell(1, 2, (20, 300, 100, 40)),
    ]

    static func picture() throws -> Picture {
        try Picture(of: elements, in: ListRect(width: 200, height: 180)) { identity in
            switch identity {
            case .cell(let path): ["Oat milk", "Eggs & ham", "Strawberries", "Hidden"][path.item]
            case .supplementary(let kind, _) where kind == "header": "Shopping <this week>"
            case .supplementary(let kind, _) where kind == "footer": "4 items"
            case .supplementary(let kind, _), .itemSupplementary(let kind, _): kind.text
            case .decoration: ""
            }
        }
    }
}
