/// The histories that the recorded streams begin with: a scenario for each clause of
/// `Protocol/merge-rules.md` that random histories of some length hardly ever depend on.
///
/// After each scenario the recorder deletes its sections, so that the rooms stay small.
enum GoldenOpenings {
    static let scenarios: [String: [String]] = [
        "stream": seen + sections + counts + besideItself + operations + repetitions + guards,
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

    /// G1 to G6, G8 and G9.
    private static let guards = [
        // G1: a transaction's own operations do not count, but its author's other transactions do.
        """
        host 0: section s; insert a in s; insert b in s
        ann 1: move a after b; update a f since 1 place content f
        ann 1: delete a since 1 place
        bob 3: delete a since 4
        bob 3: delete a since 1 place; update a g since 1; increment a since 2; \
        delete a since 2 place content
        eve 1: delete ghost since 1; delete b since 2
        """,
        // G2, G6: if the life has changed, it is all. G3: what was brought back has another place.
        """
        host 0: section s; section t; insert a in s; insert b in s; insert c in s
        ann 1: delete a; insert x in s; insert y in t; delete b
        ann 2: insert b in s; delete y
        bob 1: delete a since 1 place content f; insert x in s since 1; update b f since 1; \
        insert y in t since 1 place content f
        eve 4: deleteSection s
        dan 4: delete x since 4
        dan 4: move c in t; move x in t
        cid 4: update c f since 4; increment c since 4 place; insert z in s
        fay 4: updateSection s f since 4; updateSection s g since 4 place
        """,
        // G3: what was moved back is moved. What happens around it, or to its section, is nothing.
        """
        host 0: section s; section t; insert a in s; insert b in s; insert c in s
        ann 1: move b in t
        ann 2: move b in s after a
        cid 1: insert x in s after b
        dan 4: moveSection s
        bob 1: delete b since 1 place; delete c since 1 place
        """,
        // G4, G5: what was set back has changed, unless one transaction did both.
        """
        host 0: section s; insert a in s; insert b in s; insert c in s; insert d in s; \
        insert e in s; insert h in s
        ann 1: update a f; update b f
        ann 2: update a f=2; update c f=null; update d size; update e kind; update h -selectable
        ann 3: update a f; update b f; update c -f; insert x in s
        bob 4: update b f=2; update b f
        cid 2: delete a since 2 content; update a g since 2 f; update a g since 2 g; \
        delete a since 2 h f; increment b since 2 content f; delete c since 2 f
        cid 2: delete d since 2 content; delete e since 2 content; delete h since 2 content; \
        updateSection s f since 2 content
        dan 7: updateSection s header
        eve 7: deleteSection s since 7 content
        """,
        // G8: the form goes before the guard, and all else behind it. G9: all or nothing.
        """
        host 0: section s; insert a in s -movable; insert b in s; insert c in s
        ann 1: update a f g; move b in s at 0; update b f; delete c
        bob 1: delete b since 1 place; delete b since 1 place content h f; \
        move a in t since 1 content
        cid 1: move a since 1 content
        dan 1: move a after b since 1
        bob 1 all: update c g; insert x in s; delete b since 1 place; delete a since 1 content
        cid 1 all: delete ghost; delete b since 1 place
        dan 1 all: update c g; delete b since 1
        """,
        // G8: an index counts what an operation was to take, if its guard lost it.
        """
        host 0: section s; insert a in s; insert b in s; insert c in s; section t; section u
        ann 1: update a f; update b f; updateSection s f
        bob 1: delete a since 1 content; insert x in s at 1
        cid 1: move b in s since 1 content; insert y in s at 2
        dan 1: insert c in s since 0; insert z in s at 2
        eve 1: move a after a since 1 content; insert w in s at 1
        fay 1: deleteSection s since 1 content; insert v in s at 1; section v at 2
        """,
    ]

    /// B2, G7 and what else holds past the horizon.
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
        ann 0: deleteSection s
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
        // G7: a guard below the horizon can't be judged; one at the horizon can.
        """
        host 0: section s; insert a in s; insert b in s
        host 1: insert c in s
        host 2: insert d in s
        horizon 2
        ann 3: delete a since 1; delete b since 2; delete d since 1
        bob 1: delete ghost since 1; insert x in s since 1
        bob 3 all: delete a since 1
        bob 3: delete ghost; delete a since 99
        """,
    ]
}
