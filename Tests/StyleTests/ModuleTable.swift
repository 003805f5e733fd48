/// The modules from bottom to top, each with its allowed imports.
enum ModuleTable {
    struct Module {
        let name: String
        let folder: String
        /// Modules of this package, and libraries of the system or of other packages.
        let imports: Set<String>
        /// Programs may import any module except the system's libraries.
        let isProgram: Bool
    }

    /// The imports that any module may have.
    static let everywhere: Set<String> = ["Glibc", "Synchronization"]

    /// The modules that must build on any system. In these a single file imports the C library by
    /// each system's name.
    static let portable: Set<String> = [
        "SyncBytes", "SyncIO", "SyncModel", "SyncLayout", "SyncWire", "SyncClient", "CollSync",
        "CollSyncUI",
    ]

    /// The C library's names on different systems.
    static let libraryNames: Set<String> = ["Glibc", "Musl", "Darwin"]

    /// Libraries for the modules that list them only.
    static let systemLibraries: Set<String> = [
        "CMemory", "CUV", "CZlib", "CSQLite", "CCairo", "COpenSSL",
        "CWslay", "CYAML",
    ]

    /// Libraries of other packages, for the modules that list them only.
    static let packageLibraries: Set<String> = [
        "NIOCore", "NIOEmbedded", "NIOHTTP1",
    ]

    /// Libraries for programs only, which start once and are on no hot path.
    static let programLibraries: Set<String> = ["Foundation", "ArgumentParser", "Logging"]

    static let modules: [Module] = [
        module("SyncBytes", []),
        module("SyncCounts", []),
        module("SyncTerminal", []),
        module("SyncYAML", ["CYAML"]),
        module("SyncTree", ["CMemory"]),
        module("SyncIO", ["SyncBytes"]),
        module("SyncLoop", ["SyncIO", "SyncBytes", "CUV", "CMemory"]),
        module("SyncTLS", ["SyncIO", "SyncBytes", "COpenSSL"]),
        module("SyncHTTPCodec", ["SyncBytes", "CZlib", "NIOCore", "NIOEmbedded", "NIOHTTP1"]),
        module(
            "SyncWebSocket", ["SyncHTTPCodec", "SyncIO", "SyncBytes", "COpenSSL", "CWslay"]),
        module("SyncModel", ["SyncBytes"]),
        module("SyncAccess", ["SyncModel", "SyncBytes"]),
        module("SyncEngine", ["SyncModel", "SyncTree", "SyncBytes", "CMemory"]),
        module("SyncLayout", ["SyncModel"]),
        module("SyncPicture", ["SyncLayout", "SyncModel", "SyncBytes", "CCairo"]),
        module("SyncJSON", ["SyncLayout", "SyncModel", "SyncBytes"]),
        module(
            "SyncTokens",
            ["SyncAccess", "SyncJSON", "SyncModel", "SyncBytes", "COpenSSL"]),
        module("SyncWire", ["SyncLayout", "SyncModel", "SyncBytes", "CZlib"]),
        module(
            "SyncStore",
            [
                "SyncAccess", "SyncModel", "SyncIO", "SyncCounts", "SyncBytes", "CSQLite", "CZlib",
            ]),
        module(
            "SyncRoom",
            ["SyncLayout", "SyncEngine", "SyncModel", "SyncWire", "SyncCounts", "SyncBytes"]),
        module(
            "SyncServer",
            [
                "SyncRoom", "SyncEngine", "SyncLayout", "SyncAccess", "SyncModel", "SyncWire",
                "SyncStore", "SyncIO", "SyncCounts", "SyncBytes",
            ]),
        module("SyncClient", ["SyncModel", "SyncLayout", "SyncWire", "SyncIO", "SyncBytes"]),
        module(
            "SyncHTTP",
            [
                "SyncServer", "SyncClient", "SyncJSON", "SyncPicture", "SyncLayout", "SyncWire",
                "SyncModel", "SyncAccess", "SyncWebSocket", "SyncHTTPCodec", "SyncIO", "SyncBytes",
            ]),
        module(
            "CollSync",
            [
                "SyncClient", "SyncLayout", "SyncModel", "SyncWire", "SyncIO",
                "SyncBytes",
            ]),
        module(
            "CollSyncUV",
            ["CollSync", "SyncClient", "SyncIO", "SyncLoop", "SyncTLS", "SyncWebSocket"]),
        module("CollSyncJSON", ["CollSync", "SyncJSON", "SyncModel"]),
        module("CollSyncUI", ["CollSync", "SyncModel", "Foundation"]),
        program("collsync"),
        program("collsync-cli"),
        program("collsync-bench"),
        module("CBenchmark", []),
        module("SeededRandom", [], under: "Tests"),
        module("ModelSupport", ["SyncLayout", "SyncModel"], under: "Tests"),
        module("StoreSupport", ["SyncStore", "SyncModel", "SyncBytes"], under: "Tests"),
        module(
            "SyncSim", ["SyncModel", "SyncIO", "SyncStore", "SyncBytes", "SeededRandom"],
            under: "Tests"),
        module(
            "EngineTwin", ["SyncEngine", "SyncModel", "ModelSupport", "SeededRandom"],
            under: "Tests"),
        module(
            "LayoutTwin", ["SyncLayout", "SyncModel", "ModelSupport", "SeededRandom"],
            under: "Tests"),
        module(
            "RoomSupport", ["SyncRoom", "SyncWire", "SyncModel", "EngineTwin"], under: "Tests"),
        module(
            "ServerSupport",
            [
                "SyncServer", "SyncStore", "SyncLoop", "SyncAccess", "SyncModel", "SyncIO",
                "SyncBytes", "ModelSupport",
            ],
            under: "Tests"),
        module("WireSupport", ["SyncWire", "SyncIO", "SyncBytes"], under: "Tests"),
        module("TLSSupport", ["SyncTLS", "SyncIO", "SyncBytes", "COpenSSL"], under: "Tests"),
        module(
            "RoomTrials",
            [
                "SyncRoom", "SyncWire", "SyncLayout", "SyncEngine", "SyncModel", "SyncBytes",
                "EngineTwin", "SeededRandom",
            ],
            under: "Tests"),
    ]

    private static func module(
        _ name: String, _ imports: Set<String>, under folder: String = "Sources"
    ) -> Module {
        Module(name: name, folder: "\(folder)/\(name)", imports: imports, isProgram: false)
    }

    private static func program(_ name: String) -> Module {
        Module(name: name, folder: "Sources/\(name)", imports: programLibraries, isProgram: true)
    }

    /// The modules that a module may import although they are not below it in the table.
    static func misplaced(in modules: [Module]) -> [String] {
        var findings: [String] = []
        var above = systemLibraries.union(packageLibraries).union(programLibraries)
        for module in modules {
            findings += module.imports.subtracting(above).sorted()
                .map { "\(module.name) may not import \($0), which does not stand below it" }
            above.insert(module.name)
        }
        return findings
    }
}

/// A module imports only what the table allows.
enum ImportRule {
    static func findings(
        in text: String, of module: ModuleTable.Module, named path: String
    ) -> [String] {
        let imports = imports(in: text)
        let named = ModuleTable.libraryNames.intersection(imports.map(\.module))
        let isPlatformFile = named == ModuleTable.libraryNames
        return imports.filter { line in
            ModuleTable.libraryNames.contains(line.module)
                && ModuleTable.portable.contains(module.name)
                ? !isPlatformFile : !isAllowed(line.module, in: module)
        }
        .map { "\(path):\($0.line): \(module.name) imports \($0.module)" }
    }

    private static func isAllowed(_ name: String, in module: ModuleTable.Module) -> Bool {
        if module.imports.contains(name) || ModuleTable.everywhere.contains(name) { return true }
        return module.isProgram && ModuleTable.modules.contains { $0.name == name && !$0.isProgram }
    }

    /// The modules that a file imports, in any form of an import.
    private static func imports(in text: String) -> [(line: Int, module: String)] {
        let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return SwiftText(text).code.numberedLines.compactMap { line in
            let words = line.text.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let keyword = words.firstIndex(of: "import") else { return nil }
            let rest = words[(keyword + 1)...].drop { kinds.contains($0) }
            guard let name = rest.first?.split(separator: ".").first else { return nil }
            return (line.number, String(name))
        }
    }
}
