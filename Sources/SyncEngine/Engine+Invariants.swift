import SyncTree

extension Engine {
    /// Traps with a message if an invariant does not hold. O(n); for tests.
    package func checkInvariants() {
        var seenNodes = 0
        var dead = 0
        tree.checkInvariants(sectionSequence)
        var sequences: Set<OrderTree.SequenceID> = []
        tree.forEach(sectionSequence) { node, isLive in
            check(node, isLive, &dead)
            seenNodes += 1
            precondition(things[nodes[node].thing].isSection, "sections stand among sections")
            sequences.insert(nodes[node].sequence)
        }
        for sequence in sequences {
            tree.checkInvariants(sequence)
            tree.forEach(sequence) { node, isLive in
                check(node, isLive, &dead)
                seenNodes += 1
                precondition(nodes[node].sequence == sequence, "a node knows its sequence")
                precondition(!things[nodes[node].thing].isSection, "items stand in sections")
            }
        }
        precondition(seenNodes == nodes.count - 1, "every node stands somewhere")
        precondition(dead == deadNodeCount, "the dead are counted")
        precondition(retainedBytes == countRetainedBytes(), "retained bytes are counted")
        precondition(things.count == itemTable.count + sectionTable.count, "every thing has an id")
        precondition(rollback.entries.isEmpty, "nothing is left to take back")
    }

    private func check(_ node: NodeID, _ isLive: Bool, _ dead: inout Int) {
        let record = nodes[node]
        precondition(isLive == (record.died == NodeRecord.alive), "what lives counts")
        precondition(record.born <= revision && record.born <= record.died, "born, then died")
        precondition(
            isLive || record.died > horizon || unsweptCount > 0,
            "what the horizon has passed is swept")
        if isLive {
            precondition(things[record.thing].node == node, "only the last node lives")
            let section = sectionOfSequence[Int(record.sequence)]
            precondition(isAlive(section), "what lives is in a section that lives")
            precondition(things[section].sequence == record.sequence, "in its latest life")
        } else {
            dead += 1
        }
        if isForgotten(thing: record.thing) { return }
        let isSection = things[record.thing].isSection
        let found = id(ofThing: record.thing) { isSection ? findSection($0) : findItem($0) }
        precondition(found == record.thing, "a thing is found by its id")
    }
}
