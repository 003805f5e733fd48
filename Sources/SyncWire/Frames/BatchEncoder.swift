import SyncBytes
import SyncModel

/// Makes the frames of a batch: one, or several if it is large.
struct BatchEncoder: ~Copyable {
    private typealias Number = BatchMessage.Number

    private let batch: Batch
    private let partBytes: Int
    private var head: BatchMessage
    private var writer = ByteWriter(capacity: 1024)
    private var frames: [EncodedFrame] = []
    /// Where the current frame, message and stage begin.
    private var frame = 0
    private var message = 0
    private var stage: Int?

    /// How many section deletes one part has at most.
    private static let packedDeletes = 10_000
    /// The most bytes that the index of a section takes.
    private static let indexBytes = 5

    init(channel: Channel, batch: Batch, partBytes: Int) {
        self.batch = batch
        self.partBytes = partBytes
        head = BatchMessage(
            channel: channel, batch: Batch(from: batch.from, to: batch.to, sections: batch.sections)
        )
    }

    mutating func encode() -> [EncodedFrame] {
        openPart()
        for stage in batch.stages {
            openStage()
            write(stage)
            closeStage()
        }
        for count in batch.counts {
            breakIfFull()
            writer.write(message: Number.counts) { writer in count.write(to: &writer) }
        }
        closePart(hasMore: false)
        return frames
    }

    private mutating func write(_ stage: Stage) {
        for item in stage.reloads {
            breakIfFull()
            item.write(to: &writer, as: Stage.Number.reloads)
        }
        for section in stage.changedSections {
            breakIfFull()
            section.write(to: &writer, as: Stage.Number.changedSections)
        }
        for section in stage.insertSections {
            breakIfFull()
            section.write(to: &writer, as: Stage.Number.insertSections)
        }
        for move in stage.moveSections {
            breakIfFull()
            move.write(to: &writer, as: Stage.Number.moveSections)
        }
        for path in stage.deletes {
            breakIfFull()
            path.write(to: &writer, as: Stage.Number.deletes)
        }
        for item in stage.inserts {
            breakIfFull()
            item.write(to: &writer, as: Stage.Number.inserts)
        }
        for move in stage.moves {
            breakIfFull()
            move.write(to: &writer, as: Stage.Number.moves)
        }
        var rest = stage.deleteSections[...]
        while !rest.isEmpty {
            if rest.startIndex > 0 { breakPart() } else { breakIfFull() }
            let packed = rest.prefix(
                min(BatchEncoder.packedDeletes, max(1, partBytes / BatchEncoder.indexBytes)))
            writer.write(Stage.Number.deleteSections, packed: packed)
            rest = rest.dropFirst(packed.count)
        }
    }

    private mutating func breakIfFull() {
        if writer.count >= partBytes { breakPart() }
    }

    /// Continues in a new message, and in the same stage if one is open.
    private mutating func breakPart() {
        let isInStage = stage != nil
        closeStage()
        closePart(hasMore: true)
        head.isContinued = isInStage
        openPart()
        if isInStage { openStage() }
    }

    private mutating func openPart() {
        writer.reset()
        frame = writer.beginLengthDelimited()
        writer.write(tag: FrameNumber.batch, .lengthDelimited)
        message = writer.beginLengthDelimited()
        head.writeHead(to: &writer)
    }

    private mutating func closePart(hasMore: Bool) {
        writer.write(Number.more, true: hasMore)
        writer.endLengthDelimited(message)
        writer.endLengthDelimited(frame)
        frames.append(EncodedFrame(writer.bytes))
    }

    private mutating func openStage() {
        writer.write(tag: Number.stages, .lengthDelimited)
        stage = writer.beginLengthDelimited()
    }

    private mutating func closeStage() {
        guard let stage else { return }
        writer.endLengthDelimited(stage)
        self.stage = nil
    }
}
