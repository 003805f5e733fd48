// swift-tools-version: 6.2
import PackageDescription

// Programs outside of collsync's package that use it as anybody's would: what they can't name, no
// user can.
let package = Package(
    name: "apps",
    dependencies: [.package(name: "collsync", path: "../..")],
    targets: [
        .executableTarget(
            name: "Groceries", dependencies: [.product(name: "CollSyncUV", package: "collsync")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "OwnPlatform",
            dependencies: [
                .product(name: "CollSync", package: "collsync"),
                .product(name: "SyncIO", package: "collsync"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "Examples",
            dependencies: [
                .product(name: "CollSyncUV", package: "collsync"),
                .product(name: "CollSyncUI", package: "collsync"),
                .product(name: "CollSyncJSON", package: "collsync"),
                .product(name: "SyncTLS", package: "collsync"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Core",
            dependencies: [
                .product(name: "CollSync", package: "collsync"),
                .product(name: "CollSyncUI", package: "collsync"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
