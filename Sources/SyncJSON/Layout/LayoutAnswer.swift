package import SyncEngine
package import SyncLayout

/// How things are laid out: what `layout` prints for a ``LayoutInput``.
package struct LayoutAnswer: Sendable, Equatable {
    package var contentSize: Size
    /// In content order.
    package var elements: [LayoutElement]
    /// What the items are called that have a name.
    package var names: [ItemPath: Identifier] = [:]
    /// The item that makes room, if there is one.
    package var target: ItemPath?
    /// Where scrolling shall end, if that was asked.
    package var targetOffset: Point?

    package init(contentSize: Size, elements: [LayoutElement]) {
        self.contentSize = contentSize
        self.elements = elements
    }

    /// Lays out what is asked for, from scratch.
    package init(to input: LayoutInput) throws(LayoutError) {
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: input.sections)
        contentSize = layout.contentSize(in: input.bounds)
        elements =
            if let rect = input.rect {
                try layout.elements(in: rect, bounds: input.bounds)
            } else {
                try layout.elements(bounds: input.bounds)
            }
        names = input.names
        target = input.point.flatMap { layout.moveTarget(at: $0, previous: input.previous) }
        targetOffset = input.proposedOffset.map {
            layout.targetContentOffset(proposed: $0, bounds: input.bounds)
        }
        guard isFinite else { throw .tooLong }
    }

    /// Whether all its numbers are finite: sums of lengths may not be.
    private var isFinite: Bool {
        contentSize.width.isFinite && contentSize.height.isFinite
            && (targetOffset.map { $0.x.isFinite && $0.y.isFinite } ?? true)
            && elements.allSatisfy { element in
                element.frame.x.isFinite && element.frame.y.isFinite
                    && element.frame.width.isFinite && element.frame.height.isFinite
                    && element.scale.isFinite && element.alpha.isFinite
            }
    }
}

extension JSONWriter {
    /// Writes an answer, without the newline.
    package mutating func write(_ answer: LayoutAnswer) {
        begin(answer)
        for element in answer.elements { write(element, of: answer) }
        end(answer)
    }

    // MARK: Piece by piece

    /// Begins an answer. Its elements follow, then ``end(_:)``; in between, what is written may be taken
    /// out and ``reset()``.
    package mutating func begin(_ answer: LayoutAnswer) {
        beginObject()
        key("contentSize")
        beginObject()
        member("width", answer.contentSize.width)
        member("height", answer.contentSize.height)
        endObject()
        key("elements")
        beginList()
    }

    /// Writes an element of an answer.
    package mutating func write(_ element: LayoutElement, of answer: LayoutAnswer) {
        beginObject()
        write(element.identity, of: answer)
        key("frame")
        beginObject()
        member("x", element.frame.x)
        member("y", element.frame.y)
        member("width", element.frame.width)
        member("height", element.frame.height)
        endObject()
        member("zIndex", element.zIndex)
        member("scale", element.scale)
        if element.alpha != 1 { member("alpha", element.alpha) }
        if element.isHidden {
            key("hidden")
            write(bool: true)
        }
        endObject()
    }

    /// Ends an answer.
    package mutating func end(_ answer: LayoutAnswer) {
        endList()
        if let target = answer.target {
            key("target")
            write(target)
        }
        if let offset = answer.targetOffset {
            key("targetOffset")
            beginObject()
            member("x", offset.x)
            member("y", offset.y)
            endObject()
        }
        endObject()
    }

    private mutating func write(_ identity: LayoutElement.Identity, of answer: LayoutAnswer) {
        key("category")
        switch identity {
        case .cell(let path):
            write(text: "cell")
            writeMembers(of: path)
            if let name = answer.names[path] {
                key("id")
                write(text: name.text)
            }
        case .supplementary(let kind, let section):
            write(text: "supplementary")
            write(kind: kind)
            member("section", section)
        case .itemSupplementary(let kind, let path):
            write(text: "supplementary")
            write(kind: kind)
            writeMembers(of: path)
        case .decoration(let kind, let section):
            write(text: "decoration")
            write(kind: kind)
            member("section", section)
        }
    }

    private mutating func write(kind: String) {
        key("kind")
        write(text: kind)
    }

    private mutating func member(_ name: StaticString, _ number: Double) {
        key(name)
        write(number: number)
    }
}
