import SeededRandom
import SyncBytes
import SyncEngine
import SyncHTTP
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// Measures the work of making what members receive: snapshots, batches, images, screens.
struct CostOfShowing {
    private let benchmark: CostBenchmark
    private let encoder = MessageEncoder()
    private var engine: Engine { benchmark.room.engine }

    private static let contentBytes = 16_000
    private static let partBytes = 64 << 10
    private static let editsOfBatch = 50

    init(_ benchmark: CostBenchmark) {
        self.benchmark = benchmark
    }

    func nanoseconds(of cost: WorkCost) throws -> Double {
        switch cost {
        case .imageNode:
            time { benchmark.room.state.encodeImage().count }
                / Double(engine.itemCount + engine.deadNodeCount)
        case .imageBytes:
            try withLargeContent { room in
                time { room.state.encodeImage().count } / Double(room.engine.byteCount)
            }
        case .snapshotNode:
            time { snapshot(engine).count } / Double(engine.itemCount + engine.deadNodeCount)
        case .snapshotBytes:
            try withLargeContent { room in
                time { snapshot(room.engine).count } / Double(room.engine.byteCount)
            }
        case .readItem:
            time { snapshot(engine).count } / Double(engine.contentSteps)
        case .batchEntry: try batchEntry()
        case .batchBytes: try batchBytes()
        case .deflatedBytes: try deflatedBytes()
        case .readDelivery: try readDelivery()
        case .element: try views(scrolling: true)
        case .goneElement: try goneElement()
        case .layoutStep: try views(scrolling: false)
        default: throw BenchError("\(cost) shows nothing")
        }
    }

    private func time(_ body: () -> Int) -> Double {
        CostBenchmark.time(1) { _ in _ = body() }
    }

    private func snapshot(_ engine: Engine) -> [EncodedFrame] {
        engine.encodeSnapshot(on: .room(1), partBytes: CostOfShowing.partBytes)
    }

    private func withLargeContent(_ body: (CostRoom) throws -> Double) throws -> Double {
        try body(
            try CostRoom(
                items: min(2000, benchmark.items / 10), contentBytes: CostOfShowing.contentBytes))
    }

    private func timeBatch(of engine: Engine, from base: Revision) -> Double {
        time {
            guard let batch = engine.batch(from: base, to: engine.revision) else { return 0 }
            return encoder.encode(batch, on: .room(1), partBytes: CostOfShowing.partBytes).count
        }
    }

    private func batchEntry() throws -> Double {
        let base = engine.revision
        for _ in 0..<benchmark.count {
            try benchmark.room.apply(try benchmark.room.edit(benchmark.below))
        }
        defer { engine.advanceHorizon(to: engine.revision) }
        return timeBatch(of: engine, from: base)
            / Double(engine.entryCount(from: base, to: engine.revision))
    }

    private func batchBytes() throws -> Double {
        try withLargeContent { room in
            let base = room.engine.revision
            let main = Placement(section: Identifier("main"))
            let count = min(500, benchmark.count)
            for number in 0..<count {
                let item = try CostRoom.item(
                    room.items + number, contentBytes: CostOfShowing.contentBytes)
                try room.apply(
                    try PackedTransaction(
                        ListTransaction(base: base, operations: [.insert(item, to: main)])))
            }
            return timeBatch(of: room.engine, from: base)
                / Double(count * CostOfShowing.contentBytes)
        }
    }

    /// Of the encodings that count in these bytes, the one that takes longest for what it counts
    /// as.
    private func deflatedBytes() throws -> Double {
        let room = try CostRoom(items: benchmark.count)
        let (snapshot, batches) = (snapshot(room.engine), try batches(of: room))
        return max(
            timeEncoding(snapshot, by: Deflater()), timeEncoding(snapshot, by: LineEncoder()),
            timeEncoding(batches, by: LineEncoder()),
            timeEncoding(batches, by: LineEncoder(compresses: true)))
    }

    /// A frame keeps what was made of it, so each encoding is made once.
    private func timeEncoding(_ frames: [EncodedFrame], by encoder: any FrameEncoder) -> Double {
        let bytes = frames.reduce(0) { $0 + $1.bytesToEncode(by: encoder) }
        return time { frames.reduce(0) { $0 + $1.bytes(by: encoder).count } } / Double(bytes)
    }

    /// Batches of some edits each, as a busy room has them.
    private func batches(of room: CostRoom) throws -> [EncodedFrame] {
        var frames: [EncodedFrame] = []
        for _ in 0..<(1 + benchmark.count / CostOfShowing.editsOfBatch) {
            let base = room.engine.revision
            for _ in 0..<CostOfShowing.editsOfBatch {
                try room.apply(try room.edit(benchmark.below))
            }
            guard let batch = room.engine.batch(from: base, to: room.engine.revision) else {
                throw BenchError("a room of edits has a batch")
            }
            frames += encoder.encode(batch, on: .room(1), partBytes: CostOfShowing.partBytes)
        }
        return frames
    }

    private func readDelivery() throws -> Double {
        let frames = snapshot(try CostRoom(items: 1000).engine)
        return CostBenchmark.time(benchmark.count) { index in
            _ = frames[index % frames.count].plain.parts(answering: 7)
        }
    }

    /// Removes a viewer that has as many elements as a screen may have.
    private func goneElement() throws -> Double {
        let budget = TurnBudget()
        let room = benchmark.room.makeRoom(budget: budget)
        let id = ConnectionID(value: 1)
        _ = try room.join(
            Admission(member: id, client: Identifier("viewer"), secret: [1], viewOnly: true))
        var demand = ViewDemand(view: 1, bounds: ListRect(width: 375, height: 25_000))
        demand.spec = LayoutSpec(kind: .waterfall)
        try room.show(demand, to: id)
        for number in 1...100 {
            room.compose(with: encoder, at: UInt64(number) * 1000) { _, _ in }
            room.ready(id)
        }
        room.leave(id)
        let before = budget.spent
        let nanoseconds = time {
            while room.hasUnswept { room.sweep() }
            return 0
        }
        return nanoseconds / Double(WorkCost.goneElement.units(for: budget.spent - before))
    }

    /// Lays the room out for a new viewer, or scrolls its view.
    private func views(scrolling isScrolling: Bool) throws -> Double {
        let budget = TurnBudget()
        let room = benchmark.room.makeRoom(budget: budget)
        let id = ConnectionID(value: 1)
        _ = try room.join(
            Admission(member: id, client: Identifier("viewer"), secret: [1], viewOnly: true))
        defer { room.leave(id) }
        var demand = ViewDemand(view: 1, bounds: ListRect(width: 375, height: 667), overscan: 600)
        demand.spec = LayoutSpec(kind: .waterfall)
        try room.show(demand, to: id)
        let made = time {
            room.compose(with: encoder, at: 1000) { _, _ in }
            return 0
        }
        if !isScrolling { return made / Double(max(1, room.viewSteps)) }
        let before = budget.spent
        var nanoseconds = 0.0
        for number in 1...100 {
            room.ready(id)
            var next = ViewDemand(
                view: 1,
                bounds: ListRect(
                    y: Double(benchmark.below(benchmark.items)), width: 375, height: 667))
            next.overscan = 600
            try room.show(next, to: id)
            nanoseconds += time {
                room.compose(with: encoder, at: 1000 + UInt64(number) * 100) { _, _ in }
                return 0
            }
        }
        return nanoseconds / Double(max(1, budget.spent - before))
    }
}
