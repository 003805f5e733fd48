/// The histories that the recorded streams begin with: a scenario for each clause of
/// `Protocol/merge-rules.md` that random histories of some length hardly ever depend on.
///
/// After each scenario the recorder deletes its sections, so that the rooms stay small.
enum GoldenOpenings {
    static let scenarios: [String: [String]] = [
        "stream": seen + sections + counts + besideItself + operations + repetitions,
        "stream-with-horizon": pastHorizon,
    ]

    /// B1, P1, P4 and what an author has seen.
    private static let seen = [
        // B1: later bases may be below the base of a refused transaction.
        """
        host 0: section s; insert a in s
        bob 1: delete ghost
        bob 0: insert b in main
        """,
        // P4: the end is behind the dead.
        """
        host 0: section s; insert a in s; insert d in s
        cid 1: delete d
        ann 2: insert x in s
        bob 1: insert y in s after a
        """,
        // P4: an index beyond all is the end, not the place behind the last counted.
        """
        host 0: section s; insert a in s; insert d in s
        cid 1: delete d
        ann 2: insert x in s
        bob 2: insert y in s at 5
        """,
        // S1: a placement with neither section nor anchor is refused, even for an operation that
        // would be lost.
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: delete a
        bob 1: move a
        cid 1: insert b
        """,
        // Whether an operation is lost is decided before its placement is looked at.
        """
        host 0: section s; insert a in s; insert b in s; section t
        ann 1: delete a; deleteSection t
        bob 1: move a in s after ghost; insert b in t after ghost; move a in t
        """,
    ]

    /// S2 and S3.
    private static let sections = [
        // S2: the anchor stood in another incarnation of the section.
        """
        host 0: section s; insert a in s; insert b in s
        host 1: deleteSection s
        host 2: section s; insert c in s; insert d in s
        ann 3: insert x after a
        ann 3: insert x2 in s before b
        bob 1: insert y after a
        cid 1: insert z in s at 0
        cid 1: insert z3 in s after c
        cid 1: insert z2 in s after ghost
        """,
        // S2, S4: if neither the section nor the anchor ever was, the code names the section.
        """
        ann 0: insert x in nowhere after ghost
        """,
        // S3: the same holds for a section whose deletion was seen.
        """
        host 0: section s; insert a in s
        host 1: deleteSection s
        host 2: insert x in s after ghost
        host 2: insert x in s after a
        ann 1: insert x in s after ghost
        """,
        // S3: a deleteSection that found it deleted does not count.
        """
        host 0: section s; insert a in s; section t
        ann 1: deleteSection s
        bob 1: deleteSection s; insert x in s
        """,
        // S3: the new node has the last one as its origin.
        """
        host 0: section s; section t
        ann 1: deleteSection s
        bob 1: insert x in s
        cid 1: section u after s
        """,
        // S3: it is nobody's, so the author that brought it back has not seen it.
        """
        host 0: section s; section t
        ann 1: deleteSection s
        bob 1: insert x in s
        cid 3: section z before s
        bob 1: section u before s
        """,
    ]

    /// P3.
    private static let counts = [
        // An insert's former life counts.
        """
        host 0: section s; insert a in s; insert b in s; insert c in s
        ann 1: delete a
        bob 1: insert a in s at 1
        """,
        // A thing whose deletion changed nothing does not count.
        """
        host 0: section s; insert a in s; insert b in s; insert c in s
        ann 1: delete a
        bob 1: delete a; insert x in s at 1
        cid 1: move a in s; insert y in s at 1
        dan 1: move b in s at 1
        """,
        // A thing whose insertion was lost counts where it did.
        """
        host 0: section s; insert a in s; insert b in s; insert c in s
        ann 1: insert q in s
        bob 1: insert a in s; insert x in s at 1
        """,
        // A deleteSection takes out the things counted there. A thing that came from elsewhere
        // counts where it was.
        """
        host 0: section s; insert a in s; insert b in s; section t; insert c in t; insert d in t
        ann 1: move c in s
        bob 1: deleteSection s; insert x in t at 1
        """,
        // What it deletes does not count, even if that was elsewhere at the base.
        """
        host 0: section s; insert a in s; section t; insert c in t; insert d in t
        bob 1: move c in s
        bob 1: deleteSection s; insert x in t at 1
        """,
        // A superseded one takes its contents out of the count all the same.
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: insert n in s
        bob 1: deleteSection s; insert x in s at 1
        """,
        """
        host 0: section s; insert a in s; insert b in s; section t
        ann 1: deleteSection s
        bob 1: deleteSection s; insert x in s; insert y in s at 1
        """,
        // It also takes itself out of the count of sections.
        """
        host 0: section s; insert a in s; section t; section u
        ann 1: insert n in s
        bob 1: deleteSection s; section v at 2
        """,
    ]

    /// P5.
    private static let besideItself = [
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: insert x in s after a
        bob 1: move a after a; insert y in s at 1
        """,
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: delete a
        bob 1: move a after a; insert y in s at 1
        """,
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: insert n in s
        bob 1: deleteSection s
        cid 1: move a before a
        """,
        """
        host 0: section s closed; insert a in s; insert b in s -movable
        ann 1: move a after a; move a in nowhere after a
        bob 1: move b after b
        """,
    ]

    /// O2 to O6.
    private static let operations = [
        // O2: deleted by name, before and after a deleteSection deleted it.
        """
        host 0: section s; insert x in s
        ann 1: insert y in s
        bob 1: deleteSection s
        ann 1: delete x
        cid 1: move x in s
        """,
        """
        host 0: section s; insert x in s
        ann 1: insert y in s
        ann 1: delete x
        bob 1: deleteSection s
        cid 1: move x in s
        """,
        // O2: an author that saw only a former incarnation does not delete by name.
        """
        host 0: section s; insert x in s
        host 1: delete x
        host 2: insert x in s; insert y in s
        bob 3: deleteSection s
        ann 1: delete x
        cid 3: move x in main
        """,
        // O4: flags alone.
        """
        host 0: section s; insert a in s -editable
        ann 1: update a +editable f
        ann 1: update a
        ann 1: increment a
        ann 1: update a +editable
        ann 1: update a f
        """,
        // O6: the seen node must be of the incarnation that lives.
        """
        host 0: section s; insert a in s
        cid 1: delete a
        cid 2: insert a in s
        bob 1: deleteSection s
        """,
        // O6: and it must not have been dead at the base.
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: insert n in s
        dan 1: deleteSection s
        cid 1: move a in s
        bob 3: deleteSection s
        """,
    ]

    /// L1 to L3.
    private static let repetitions = [
        """
        ann 0:
        again ann
        """,
        // A refused transaction is not applied when it is sent again.
        """
        ann 0: delete ghost
        host 0: section s; insert ghost in s
        again ann
        again host
        host 1: insert z in s
        again host
        """,
        // A delete that is sent again deletes neither what came back since, nor the next
        // incarnation.
        """
        host 0: section s; insert a in s
        ann 1: delete a
        host 2: insert a in s
        again ann
        """,
        // A loss is reported again.
        """
        host 0: section s; insert a in s
        ann 1: delete a
        bob 1: move a in s; insert b in s
        again bob
        """,
    ]

    /// B2 and what holds past the horizon.
    private static let pastHorizon = [
        // B2: a base at the horizon is not past it.
        """
        host 0: section s; insert a in s
        horizon 1
        bob 1: insert x in s after ghost
        ann 0: insert y in s after ghost
        """,
        // S2: a section that was not seen, past the horizon.
        """
        host 0: section s; insert a in s
        host 1: insert b in s
        horizon 1
        ann 0: insert x in s at 0
        ann 0: delete b; delete a
        """,
        // S4: the author makes it again, and has seen it then.
        """
        host 0: section t
        host 1: insert b in t
        horizon 2
        ann 0: insert x in s
        ann 0: insert y in s at 0
        """,
        // P7: the end of the first section. Siblings count only in the named section.
        """
        host 0: section s at 0; section t; insert a in s; insert b in t; insert c in t
        host 1: insert d in t
        horizon 2
        ann 0: insert x after ghost
        ann 1: insert y in t after ghost trail a b
        ann 1: insert z in t after ghost
        """,
        // P8: an anchor stands for its place now, in the named section only.
        """
        host 0: section s; section t; insert a in s; insert b in s
        host 1: insert x in t; insert w in t
        host 2: insert q in t
        horizon 3
        ann 1: insert y in s after x trail a
        ann 1: insert z in t after x
        ann 1: insert v after x
        """,
        // P7: `main` is made, even if a deleted one is remembered.
        """
        host 0: insert a in main
        horizon 1
        host 1: deleteSection main
        ann 0: insert x after ghost
        bob 1: insert y in main at 0
        """,
    ]
}
