import SyncBytes
import SyncModel
import SyncTree

/// Reading the nodes, and what they have to agree on.
extension ImageReader {
    mutating func readNodes() throws {
        let count = try count(reader.count / ImageWriter.leastNodeBytes)
        try checkMemory(and: count * (MemoryLayout<NodeRecord>.stride + 20))
        engine.nodes.reserve(count)
        nodes.reserveCapacity(count + 1)
        var origins: [UInt64] = [0]
        var previous: [Int] = [0]
        origins.reserveCapacity(count + 1)
        previous.reserveCapacity(count + 1)
        for _ in 0..<count {
            let thing = things[try number(upTo: things.count - 1)]
            let sequence = sequences[try number(upTo: sequences.count - 1)]
            guard thing != 0, sequence != 0 else { throw ImageError.malformed("an empty node") }
            let born = try reader.readVarint()
            let died = try reader.readVarint()
            guard born <= engine.revision, died <= engine.revision,
                died == 0 || died > engine.horizon && died >= born
            else { throw ImageError.malformed("a node's revisions are out of range") }
            let author = try readAuthor()
            let incarnation = UInt32(truncatingIfNeeded: try reader.readVarint())
            origins.append(try reader.readVarint())
            previous.append(try number(upTo: count))
            nodes.append(
                engine.nodes.make(
                    NodeRecord(
                        born: born, died: died == 0 ? NodeRecord.alive : died, thing: thing,
                        sequence: sequence, origin: 0, previous: 0, author: author,
                        incarnation: incarnation)))
        }
        try linkNodes(previous)
        for index in nodes.indices.dropFirst() {
            try checkMemory(at: index, and: 16 * count)
            try place(nodes[index], origin: origins[index])
        }
    }

    // MARK: The nodes of a thing

    /// Links each thing to its last node, and each node to the thing's node before it.
    ///
    /// The links of a thing are one chain through all of its nodes, back in time. So all nodes are
    /// passed once. A chain that came back to one of its nodes would never end; it passes more
    /// nodes than there are.
    private mutating func linkNodes(_ previous: [Int]) throws(ImageError) {
        lives = SectionLives(sequences: engine.sectionOfSequence.count)
        var left = nodes.count - 1
        for index in things.indices.dropFirst() {
            let thing = things[index]
            guard lastNodes[index] > 0, lastNodes[index] < UInt64(nodes.count) else {
                throw .malformed("a thing has no node")
            }
            var number = Int(lastNodes[index])
            engine.things[thing].node = nodes[number]
            while number != 0 {
                let record = engine.nodes[nodes[number]]
                guard left > 0, record.thing == thing else {
                    throw .malformed("the nodes of a thing are no chain")
                }
                left -= 1
                let earlier = previous[number]
                guard earlier == 0 || engine.nodes[nodes[earlier]].died <= record.born else {
                    throw .malformed("a thing is at two places")
                }
                engine.nodes[nodes[number]].previous = nodes[earlier]
                number = earlier
            }
            try checkLastNode(of: thing)
            if engine.things[thing].isSection { try enterLives(of: thing) }
            try checkMemory(at: index, and: 16 * previous.count)
        }
        guard left == 0 else { throw .malformed("a node is not its thing's") }
        for sequence in sequences.dropFirst()
        where engine.sectionOfSequence[Int(sequence)] == 0 {
            throw .malformed("a sequence has no section")
        }
    }

    /// Checks that a thing lives if its last node does, and that a section's latest items are in
    /// the sequence of that node.
    private func checkLastNode(of thing: ThingID) throws(ImageError) {
        let record = engine.things[thing]
        let last = engine.nodes[record.node]
        guard record.isAlive == (last.died == NodeRecord.alive) else {
            throw .malformed("a thing is dead and alive")
        }
        guard !record.isSection || record.sequence == last.sequence else {
            throw .malformed("a section is not in its latest life")
        }
    }

    /// Notes when a section lived, and in which sequences its items stood then.
    private mutating func enterLives(of section: ThingID) throws(ImageError) {
        var node = engine.things[section].node
        while node != 0 {
            let record = engine.nodes[node]
            let owner = engine.sectionOfSequence[Int(record.sequence)]
            guard owner == 0 || owner == section else {
                throw .malformed("two sections have the same items")
            }
            engine.sectionOfSequence[Int(record.sequence)] = section
            lives.add(from: record.born, to: record.died, of: record.sequence)
            node = record.previous
        }
    }

    // MARK: The places of nodes

    /// Puts a node at the end of its sequence: they come in order.
    private func place(_ node: NodeID, origin: UInt64) throws(ImageError) {
        let record = engine.nodes[node]
        switch origin {
        case ImageWriter.OriginCode.start: break
        case ImageWriter.OriginCode.forgotten: engine.nodes[node].origin = engine.forgottenNode
        default:
            let number = origin - ImageWriter.OriginCode.firstNode
            guard number > 0, number < UInt64(nodes.count) else {
                throw .malformed("a number is out of range")
            }
            engine.nodes[node].origin = nodes[Int(number)]
        }
        let isSection = engine.things[record.thing].isSection
        if isSection {
            engine.sectionNodeCounts[Int(record.sequence)] += 1
        } else {
            // What was before the horizon is forgotten, also where the section was.
            let start = max(record.born, engine.horizon)
            guard lives.contains(from: start, to: record.died, in: record.sequence) else {
                throw .malformed("an item is in a section that is dead")
            }
        }
        let sequence = isSection ? engine.sectionSequence : record.sequence
        let isLive = record.died == NodeRecord.alive
        engine.tree.insert(
            node, after: engine.tree.last(sequence), in: sequence, isLive: isLive)
        if !isLive { engine.deadNodeCount += 1 }
    }
}
