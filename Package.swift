// swift-tools-version: 6.2
import PackageDescription

/// For targets that use Foundation, themselves or by a library, and the C library beside it. Which
/// of the two a C type belongs to then depends on the order in which files are compiled, so the
/// compiler can't check from which module its members come.
let mixed: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let strict = mixed + [.enableUpcomingFeature("MemberImportVisibility")]

/// A product of another package. An app without the trait does not fetch the package.
func product(_ name: String, _ package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", "swift-argument-parser", for: "Programs")
let logging = product("Logging", "swift-log", for: "Programs")
let protobuf = product("SwiftProtobuf", "swift-protobuf", for: "Programs")
let nio = ["NIOCore", "NIOEmbedded", "NIOHTTP1"].map {
    product($0, "swift-nio", for: "Network")
}

/// A module of the product: it may name only modules that stand above it in the list below.
func module(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// What several targets of tests use.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: mixed)
}

let package = Package(
    name: "collsync",
    products: [
        .library(name: "CollSync", targets: ["CollSync"]),
        .library(name: "CollSyncUV", targets: ["CollSyncUV"]),
        .library(name: "CollSyncJSON", targets: ["CollSyncJSON"]),
        .library(name: "CollSyncUI", targets: ["CollSyncUI"]),
        .library(name: "SyncIO", targets: ["SyncIO"]),
        .library(name: "SyncTLS", targets: ["SyncTLS"]),
        .executable(name: "collsync", targets: ["collsync"]),
        .executable(name: "collsync-cli", targets: ["collsync-cli"]),
        .executable(name: "collsync-bench", targets: ["collsync-bench"]),
    ],
    traits: [
        .trait(name: "Network", description: "What CollSyncUV needs: libuv, TLS and WebSockets."),
        .trait(
            name: "Programs", description: "The server, the commands, and the tests.",
            enabledTraits: ["Network"]),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),

        // Headers of our own, for what Swift has no word for.
        .systemLibrary(name: "CMemory"),

        module("SyncBytes", []),
        module("SyncCounts", []),
        module("SyncTerminal", []),
        module("SyncYAML", ["CYAML"]),
        module("SyncTree", ["CMemory"]),
        module("SyncIO", ["SyncBytes"]),
        module("SyncLoop", ["SyncIO", "SyncBytes", "CUV", "CMemory"]),
        module("SyncTLS", ["SyncIO", "SyncBytes", "COpenSSL"]),
        module("SyncHTTPCodec", ["SyncBytes", "CZlib"] + nio),
        module(
            "SyncWebSocket", ["SyncHTTPCodec", "SyncIO", "SyncBytes", "COpenSSL", "CWslay"]),
        module("SyncModel", ["SyncBytes"]),
        module("SyncAccess", ["SyncModel", "SyncBytes"]),
        module(
            "SyncEngine", ["SyncModel", "SyncTree", "SyncBytes", "CMemory"],
            exclude: ["README.md"]),
        module("SyncLayout", ["SyncModel"], exclude: ["README.md"]),
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
            ],
            exclude: ["README.md"]),
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
        module("CollSyncUI", ["CollSync", "SyncModel"]),

        .executableTarget(
            name: "collsync",
            dependencies: [
                "SyncHTTP", "SyncServer", "SyncStore", "SyncModel", "SyncLoop", "SyncTLS",
                "SyncTokens", "SyncAccess", "SyncIO", "SyncWire", "SyncTerminal",
                "SyncBytes", "SyncJSON", "SyncYAML", argumentParser, logging,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "collsync-cli",
            dependencies: [
                "CollSync", "CollSyncUV", "SyncClient", "SyncModel", "SyncLayout", "SyncLoop",
                "SyncTLS", "SyncIO", "SyncJSON", "SyncPicture", "SyncWire", "SyncTerminal",
                argumentParser,
            ],
            exclude: ["README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "collsync-bench",
            dependencies: [
                "SyncEngine", "SyncModel", "SyncLayout", "SyncTree", "SyncWire", "SyncBytes",
                "SyncRoom", "SyncServer", "SyncStore", "SyncIO", "SyncLoop", "SyncSim",
                "SyncTerminal", "SyncHTTP", "SyncHTTPCodec", "SyncAccess", "CBenchmark",
                "LayoutTwin", "TLSSupport", "SeededRandom", argumentParser,
            ],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(name: "CBenchmark", dependencies: ["CUV"]),
        // `deploy/fuzz` builds it with libFuzzer, which has a main function of its own.
        .executableTarget(
            name: "collsync-fuzz",
            dependencies: [
                "SyncBytes", "SyncEngine", "SyncModel", "SyncLayout", "SyncWire", "SyncJSON",
                "SyncClient", "CollSync", "SyncIO", "SyncStore", "SyncRoom", "SyncServer",
                "SyncSim", "SyncTLS", "SyncHTTP", "SyncHTTPCodec", "SyncWebSocket", "SyncAccess",
                "SyncTokens", "TLSSupport", "WireSupport", "HTTPSupport", "EngineTwin",
                "RoomTrials",
                "StoreSupport", "ModelSupport",
            ],
            path: "Tests/Fuzzers", exclude: ["Corpus"],
            swiftSettings: Context.environment["COLLSYNC_FUZZ"] == nil
                ? strict : strict + [.define("LIBFUZZER")]),

        support("SeededRandom", []),
        support("ModelSupport", ["SyncLayout", "SyncModel"]),
        support("StoreSupport", ["SyncStore", "SyncModel", "SyncBytes"]),
        support("SyncSim", ["SyncModel", "SyncIO", "SyncStore", "SyncBytes", "SeededRandom"]),
        support("EngineTwin", ["SyncEngine", "SyncModel", "ModelSupport", "SeededRandom"]),
        support("LayoutTwin", ["SyncLayout", "SyncModel", "ModelSupport", "SeededRandom"]),
        support(
            "RoomSupport", ["SyncRoom", "SyncWire", "SyncModel", "EngineTwin"]),
        support(
            "ServerSupport",
            [
                "SyncServer", "SyncStore", "SyncLoop", "SyncAccess", "SyncModel", "SyncIO",
                "SyncBytes", "ModelSupport",
            ]),
        support(
            "RoomTrials",
            [
                "SyncRoom", "SyncWire", "SyncLayout", "SyncEngine", "SyncModel", "SyncBytes",
                "EngineTwin", "SeededRandom",
            ]),
        support("WireSupport", ["SyncWire", "SyncIO", "SyncBytes"]),
        support("HTTPSupport", ["SyncHTTPCodec"]),
        support("TLSSupport", ["SyncTLS", "SyncIO", "SyncBytes", "COpenSSL"]),
        tests("SyncTreeTests", ["SyncTree", "SeededRandom"]),
        tests("SyncModelTests", ["SyncModel"]),
        tests("SyncAccessTests", ["SyncAccess", "SyncModel", "SyncBytes"]),
        tests(
            "SyncTokensTests",
            ["SyncTokens", "SyncAccess", "SyncModel", "SyncBytes", "SeededRandom"]),
        tests(
            "SyncEngineTests",
            ["SyncEngine", "SyncModel", "SyncBytes", "EngineTwin", "SeededRandom"]),
        tests(
            "SyncLayoutTests",
            ["SyncLayout", "SyncModel", "SyncJSON", "LayoutTwin", "ModelSupport", "SeededRandom"]),
        tests(
            "SyncPictureTests",
            ["SyncPicture", "SyncLayout", "SyncModel", "CCairo", "SeededRandom"],
            exclude: ["Golden"]),
        tests(
            "SyncJSONTests",
            ["SyncJSON", "SyncLayout", "SyncModel", "LayoutTwin", "ModelSupport", "SeededRandom"]),
        tests(
            "SyncWireTests",
            [
                "SyncWire", "SyncLayout", "SyncEngine", "SyncModel", "SyncBytes", "SyncServer",
                "SyncStore", "SyncIO", "SyncSim", "ModelSupport", "SeededRandom", protobuf,
            ]),
        tests(
            "SyncStoreTests",
            [
                "SyncStore", "SyncAccess", "SyncModel", "SyncIO", "SyncBytes", "StoreSupport",
                "ModelSupport", "SeededRandom",
            ]),
        tests(
            "SyncIOTests",
            [
                "SyncIO", "SyncLoop", "SyncSim", "SyncBytes", "SyncWebSocket", "TLSSupport",
                "SeededRandom",
            ]),
        tests(
            "SyncTLSTests",
            [
                "SyncTLS", "SyncIO", "SyncSim", "SyncBytes", "TLSSupport", "SeededRandom",
            ]),
        tests(
            "SyncHTTPCodecTests", ["SyncHTTPCodec", "SyncBytes", "HTTPSupport", "SeededRandom"]),
        tests(
            "SyncWebSocketTests",
            [
                "SyncWebSocket", "SyncHTTPCodec", "SyncIO", "SyncLoop", "SyncSim", "SyncBytes",
                "SyncTLS", "HTTPSupport", "TLSSupport", "SeededRandom",
            ]),
        tests(
            "SyncHTTPTests",
            [
                "SyncHTTP", "SyncServer", "SyncClient", "SyncJSON", "SyncPicture", "SyncLayout",
                "SyncWire", "SyncModel", "SyncEngine", "SyncRoom", "SyncWebSocket",
                "SyncHTTPCodec", "SyncStore", "SyncAccess", "SyncIO", "SyncSim", "SyncBytes",
                "CZlib", "EngineTwin", "LayoutTwin", "ModelSupport", "ServerSupport",
                "HTTPSupport", "SeededRandom",
            ]),
        tests(
            "SyncClientTests",
            [
                "SyncClient", "SyncLayout", "SyncModel", "SyncWire", "SyncIO", "SyncBytes",
                "SyncServer", "SyncRoom", "SyncStore", "SyncAccess", "SyncSim", "EngineTwin",
                "ModelSupport", "SeededRandom",
            ]),
        tests(
            "CollSyncTests",
            [
                "CollSync", "CollSyncUV", "CollSyncJSON", "SyncClient", "SyncLayout", "SyncModel",
                "SyncWire", "SyncIO", "SyncLoop", "SyncServer", "SyncSim", "ServerSupport",
                "ModelSupport", "SeededRandom",
            ]),
        tests(
            "CommandTests",
            [
                "collsync", "collsync-cli", "CollSync", "CollSyncUV", "SyncClient", "SyncServer",
                "SyncLayout", "SyncModel", "SyncWire", "SyncJSON", "SyncPicture", "SyncTerminal",
                "ServerSupport", "SyncIO", "SyncSim", "ModelSupport", "SeededRandom",
                argumentParser,
            ]),
        tests(
            "CollSyncUITests",
            ["CollSyncUI", "CollSync", "SyncModel", "EngineTwin", "SeededRandom"]),
        tests(
            "SyncRoomTests",
            [
                "SyncRoom", "SyncWire", "SyncLayout", "SyncEngine", "SyncModel", "SyncBytes",
                "EngineTwin", "LayoutTwin", "RoomTrials", "RoomSupport", "ModelSupport",
                "SeededRandom",
            ]),
        tests(
            "SyncServerTests",
            [
                "SyncServer", "SyncRoom", "SyncStore", "SyncSim", "SyncJSON", "SyncWire",
                "SyncLayout", "SyncEngine", "SyncAccess", "SyncModel", "SyncIO", "SyncCounts",
                "SyncBytes", "EngineTwin", "RoomSupport", "ServerSupport", "ModelSupport",
                "SeededRandom", "CZlib",
            ]),
        tests(
            "BenchmarkTests",
            [
                "collsync-bench", "collsync", "SyncRoom", "SyncWire", "SyncLayout", "SyncEngine",
                "SyncModel", "SyncBytes", "TLSSupport",
            ]),
        tests(
            "GoldenStreamTests",
            [
                "SyncClient", "SyncEngine", "SyncModel", "SyncWire", "SyncJSON", "SyncBytes",
                "EngineTwin", "SeededRandom",
            ]),
        tests(
            "SimulatorTests",
            [
                "SyncServer", "SyncHTTP", "SyncHTTPCodec", "SyncWebSocket", "SyncRoom",
                "SyncClient", "SyncStore",
                "SyncSim", "SyncWire", "SyncJSON", "SyncLayout", "SyncEngine", "SyncAccess",
                "SyncModel", "SyncIO", "SyncBytes", "SyncTLS", "TLSSupport", "ServerSupport",
                "WireSupport", "HTTPSupport", "EngineTwin",
                "LayoutTwin", "ModelSupport", "SeededRandom",
            ]),
        tests(
            "ProcessTests",
            [
                "collsync", "collsync-fuzz", "SyncServer", "SyncStore", "SyncWire", "SyncModel",
                "SyncIO", "SyncBytes", "SyncAccess", "SyncTokens", "TLSSupport", "ModelSupport",
                "SeededRandom", argumentParser,
            ]),
        tests("StyleTests", []),
    ]
)
