import Glibc
import SyncLayout
import SyncModel

/// Places the items of all sections around the middle of the viewport, clockwise from the right.
enum PlainCircle {
    static func stack(
        _ sections: [SectionInput], spec: LayoutSpec, viewport: ListSize
    ) -> PlainStack {
        let radius = min(viewport.width, viewport.height) / 2.5
        let count = sections.reduce(0) { $0 + max(0, $1.count) }
        var index = 0
        let plain = sections.map { section in
            let options = PlainOptions(section.options, in: spec)
            var plain = PlainSection(options: options)
            for _ in 0..<max(0, section.count) {
                let angle = 2 * Double.pi * Double(index) / Double(count)
                let center = ListPoint(
                    x: viewport.width / 2 + radius * cos(angle),
                    y: viewport.height / 2 + radius * sin(angle))
                plain.cells.append(
                    ListRect(
                        x: center.x - options.itemSize.width / 2,
                        y: center.y - options.itemSize.height / 2,
                        width: options.itemSize.width, height: options.itemSize.height))
                index += 1
            }
            return plain
        }
        return PlainStack(plain, contentSize: viewport)
    }
}
