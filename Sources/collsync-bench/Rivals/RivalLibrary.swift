/// Libraries without a server: how long merging alone takes.
struct RivalLibrary {
    let name: String
    let package: String
    let work: String
    private let program: String

    /// The time it took; empty if it is not installed.
    func figures() -> [Rivals.Figure] {
        Rivals.figures(of: "python3", ["-", "20000"], program)
    }

    private static let work =
        "a field set, exported and merged by one other; no network, no disk, one thread"

    static let all = [
        RivalLibrary(
            name: "Loro", package: "PyPI loro", work: work,
            program: """
                import sys, time, loro
                edits = int(sys.argv[1])
                one, other = loro.LoroDoc(), loro.LoroDoc()
                titles = one.get_map('titles')
                held = one.oplog_vv
                start = time.perf_counter()
                for i in range(edits):
                    titles.insert(f'i{i * 7919 % 10000}', f'title number {i}, a long one')
                    one.commit()
                    update = one.export(loro.ExportMode.Updates(held))
                    held = one.oplog_vv
                    other.import_(update)
                seconds = time.perf_counter() - start
                assert other.get_deep_value() == one.get_deep_value()
                print('edit', seconds, edits, sep='\\t')
                """),
        RivalLibrary(
            name: "pycrdt (Yrs)", package: "PyPI pycrdt", work: work,
            program: """
                import sys, time, pycrdt
                edits = int(sys.argv[1])
                one, other = pycrdt.Doc(), pycrdt.Doc()
                titles, others = one.get('titles', type=pycrdt.Map), other.get('titles', type=pycrdt.Map)
                updates = []
                watch = one.observe(lambda event: updates.append(event.update))
                start = time.perf_counter()
                for i in range(edits):
                    titles[f'i{i * 7919 % 10000}'] = f'title number {i}, a long one'
                    other.apply_update(updates.pop())
                seconds = time.perf_counter() - start
                assert others.to_py() == titles.to_py()
                print('edit', seconds, edits, sep='\\t')
                """),
    ]
}
