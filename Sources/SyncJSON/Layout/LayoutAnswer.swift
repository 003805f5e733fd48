package import SyncLayout
package import SyncModel

/// The output line of `layout` for a ``LayoutInput``.
package struct LayoutAnswer: Sendable, Equatable {
    package var contentSize: ListSize
    /// In content order.
    package var elements: [LayoutElement]
    /// The ids of those items that have one.
    package var names: [ItemPath: Identifier] = [:]
    /// The item that makes room for the dragged one, if any.
    package var target: ItemPath?
    /// Where scrolling ends, if the input asked for it.
    package var targetOffset: ListPoint?

    package init(contentSize: ListSize, elements: [LayoutElement]) {
        self.contentSize = contentSize
        self.elements = elements
    }

    /// Lays out the input.
    package init(
        to input: LayoutInput, within limits: LayoutLimits = LayoutLimits()
    ) throws(LayoutError) {
        try limits.check(input)
        let layout = try CollectionLayout(
            input.spec, in: input.environment, sections: input.sections)
        layout.lookLimit = layout.lookLimit(forElements: limits.elements)
        contentSize = layout.contentSize(in: input.bounds)
        elements =
            if let rect = input.rect {
                try layout.elements(in: rect, bounds: input.bounds, limit: limits.elements)
            } else {
                try layout.elements(bounds: input.bounds, limit: limits.elements)
            }
        names = input.names
        target = input.point.flatMap { layout.moveTarget(at: $0, previous: input.previous) }
        targetOffset = input.proposedOffset.map {
            layout.targetContentOffset(proposed: $0, bounds: input.bounds)
        }
        guard isFinite else { throw .tooLong }
    }

    /// Whether all its numbers are finite; sums of very large lengths are not.
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

    /// Begins an answer. Its elements follow, then ``end(_:)``. In between, the caller may take the
    /// written bytes and call ``reset()``.
    package mutating func begin(_ answer: LayoutAnswer) {
        beginObject()
        key("contentSize")
        write(answer.contentSize)
        key("elements")
        beginList()
    }

    /// Writes an element of an answer.
    package mutating func write(_ element: LayoutElement, of answer: LayoutAnswer) {
        var name: Identifier?
        if case .cell(let path) = element.identity { name = answer.names[path] }
        write(element, id: name)
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
            write(offset)
        }
        endObject()
    }
}
