#if !LIBFUZZER
    import Glibc

    /// The program without libFuzzer: it plays inputs that are files, each once.
    ///
    ///     collsync-fuzz --fuzzer=NAME FILE…
    ///
    /// It prints the name of each input before it plays it, so that the last one is the one that
    /// has ended the program.
    @main struct Replay {
        static func main() {
            let fuzzer = Fuzzer.chosen
            var count = 0
            for path in CommandLine.arguments.dropFirst() where !path.hasPrefix("--") {
                say(path)
                guard let input = read(path) else {
                    say("can't be read: error \(errno)")
                    exit(66)
                }
                input.withUnsafeBytes { fuzzer.run($0) }
                count += 1
            }
            say("\(count) inputs")
        }

        private static func read(_ path: String) -> [UInt8]? {
            guard let file = fopen(path, "r") else { return nil }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = fread(&part, 1, part.count, file)
                if count == 0 { return ferror(file) == 0 ? bytes : nil }
                bytes += part[..<count]
            }
        }
    }
#endif
