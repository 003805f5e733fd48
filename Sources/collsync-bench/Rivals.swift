import Foundation

/// Runs the same work in rivals, if they are installed.
///
/// Each is a short program for its own interpreter, which prints lines of `name seconds count`.
enum Rivals {
    struct Figure {
        var name: String
        var seconds: Double
        var count: Int
        var perSecond: Double { Double(count) / seconds }
    }

    /// Loro's movable list of `items` items and `edits` edits of each kind (PyPI `loro`). Empty if
    /// it is not installed.
    static func loro(items: Int, edits: Int) -> [Figure] {
        figures(of: "python3", ["-", "\(items)", "\(edits)"], loroList)
    }

    /// Plays a trace in Loro's text.
    static func loroTrace(_ path: String) -> [Figure] {
        figures(of: "python3", ["-", path], loroText)
    }

    /// Plays a trace in Yjs's text (Debian `node-yjs`).
    static func yjsTrace(_ path: String) -> [Figure] {
        figures(of: "env", ["NODE_PATH=/usr/share/nodejs", "node", "-", path], yjsText)
    }

    static func figures(
        of program: String, _ arguments: [String], _ script: String
    ) -> [Figure] {
        guard let output = try? TraceBenchmark.run(program, arguments, input: script) else {
            return []
        }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 3, let seconds = Double(parts[1]), let count = Int(parts[2]) else {
                return nil
            }
            return Figure(name: String(parts[0]), seconds: seconds, count: count)
        }
    }

    private static let loroList = """
        import sys, time, random, loro
        items, edits = int(sys.argv[1]), int(sys.argv[2])
        random.seed(1)
        def resident():
            return int(open('/proc/self/statm').read().split()[1]) * 4096
        def report(name, start, count):
            doc.commit()
            print(name, time.perf_counter() - start, count, sep='\\t', flush=True)
        doc = loro.LoroDoc()
        tasks = doc.get_movable_list('tasks')
        titles = doc.get_map('titles')
        before = resident()
        start = time.perf_counter()
        for i in range(items):
            tasks.insert(random.randint(0, i), f'i{i}')
            doc.commit()
        report('insert', start, items)
        print('bytes', resident() - before, items, sep='\\t', flush=True)
        start = time.perf_counter()
        for i in range(edits):
            tasks.mov(random.randrange(items), random.randrange(items))
            doc.commit()
        report('move', start, edits)
        start = time.perf_counter()
        for i in range(edits):
            titles.insert(f'i{random.randrange(items)}', f'edited {i % 1000}')
            doc.commit()
        report('field edit', start, edits)
        start = time.perf_counter()
        for i in range(edits):
            tasks.delete(random.randrange(items - i), 1)
            doc.commit()
        report('delete', start, edits)
        """

    private static let loroText = """
        import sys, time, gzip, json, loro
        opened = gzip.open(sys.argv[1]) if sys.argv[1].endswith('.gz') else open(sys.argv[1])
        trace = json.load(opened)
        patches = [patch for txn in trace['txns'] for patch in txn['patches']]
        doc = loro.LoroDoc()
        text = doc.get_text('text')
        start = time.perf_counter()
        for position, deleted, inserted in patches:
            if deleted: text.delete(position, deleted)
            if inserted: text.insert(position, inserted)
            doc.commit()
        seconds = time.perf_counter() - start
        assert text.to_string() == trace['endContent']
        print('trace', seconds, len(patches), sep='\\t')
        """

    private static let yjsText = """
        const Y = require('yjs'), fs = require('fs'), zlib = require('zlib');
        let bytes = fs.readFileSync(process.argv[2]);
        if (process.argv[2].endsWith('.gz')) bytes = zlib.gunzipSync(bytes);
        const trace = JSON.parse(bytes);
        const patches = trace.txns.flatMap(txn => txn.patches);
        const doc = new Y.Doc();
        const text = doc.getText('text');
        const start = process.hrtime.bigint();
        for (const [position, deleted, inserted] of patches) {
          doc.transact(() => {
            if (deleted) text.delete(position, deleted);
            if (inserted) text.insert(position, inserted);
          });
        }
        const seconds = Number(process.hrtime.bigint() - start) / 1e9;
        if (text.toString() !== trace.endContent) process.exit(1);
        console.log(['trace', seconds, patches.length].join('\\t'));
        """
}
