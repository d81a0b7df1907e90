// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled in Swift 6 mode, with the upcoming features on and warnings treated as errors.
/// Deprecated declarations stay warnings: the old spellings of the API are deprecated on purpose, and the tests use them.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// What an app without sync does not build: see the trait of that name.
let replicating: TargetDependencyCondition? = .when(traits: ["Replication"])

let package = Package(
    name: "CouchbaseLiteSwift",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18)],
    products: [
        .library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"]),
        .library(name: "CouchbaseLiteSwiftLogBridge", targets: ["CouchbaseLiteSwiftLogBridge"]),
        .library(name: "CouchbaseLiteTestSupport", targets: ["CouchbaseLiteTestSupport"]),
        .executable(name: "cblite", targets: ["cblite"]),
    ],
    traits: [
        .trait(
            name: "Replication",
            description:
                "Sync with servers, other devices and other databases; it needs SwiftNIO, NIOSSL and swift-certificates."
        ),
        .default(enabledTraits: ["Replication"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLiteSystem",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        // Not on iOS and tvOS, which have no such library: there words are indexed as they are written.
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .systemLibrary(name: "CSystemCalls"),
        // Line editing and the width of characters, for the tool.
        .systemLibrary(name: "CTerminal", providers: [.apt(["libedit-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // The C library under one name; see the target.
        .target(name: "CLibrary", swiftSettings: swiftSettings),
        .target(name: "ExactStrings", swiftSettings: swiftSettings),
        .target(name: "LogCore", swiftSettings: swiftSettings),
        .target(name: "Fleece", dependencies: ["CLibrary"], swiftSettings: swiftSettings),
        // Log files, and the queue to sinks that must not delay the threads of the network.
        .target(name: "LogOutput", dependencies: ["ExactStrings", "LogCore", "Fleece"], swiftSettings: swiftSettings),
        .target(
            name: "SQLiteEngine",
            dependencies: [
                "CLibrary", "ExactStrings", "CSQLiteSystem",
                .target(name: "CStemmer", condition: .when(platforms: [.linux, .macOS])),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "DocumentStore",
            dependencies: [
                "CLibrary", "ExactStrings", "CSystemCalls", "LogCore", "Fleece", "SQLiteEngine",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "QueryEngine",
            dependencies: ["CLibrary", "ExactStrings", "LogCore", "Fleece", "SQLiteEngine", "DocumentStore"],
            swiftSettings: swiftSettings,
            // The Unicode library that comes with Foundation.
            linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]
        ),
        // Backups in one file.
        .target(
            name: "Backup",
            dependencies: ["CLibrary", "CZlib", "ExactStrings", "DocumentStore", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: swiftSettings
        ),
        // What opens and closes a database, delivers changes to listeners and tasks, follows the contents of blobs, and runs the work of `async`
        // functions.
        .target(
            name: "DatabaseRuntime",
            dependencies: ["ExactStrings", "LogCore", "Fleece", "SQLiteEngine", "DocumentStore", "QueryEngine"],
            swiftSettings: swiftSettings
        ),
        // Codes objects as documents, and translates predicates on them.
        .target(
            name: "ModelCoding",
            dependencies: ["ExactStrings", "Fleece", "DocumentStore", "QueryEngine", "DatabaseRuntime"],
            swiftSettings: swiftSettings
        ),
        // What the message layer, the transports and replication share: errors, and the protocol of channels.
        .target(name: "SyncCore", swiftSettings: swiftSettings),
        .target(name: "BLIP", dependencies: ["ExactStrings", "SyncCore", "CZlib"], swiftSettings: swiftSettings),
        .target(
            name: "Replication",
            dependencies: [
                "CLibrary", "ExactStrings", "LogCore", "Fleece", "SQLiteEngine", "DocumentStore", "SyncCore", "BLIP",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        // The one target that needs the network packages.
        .target(
            name: "Transport",
            dependencies: [
                "CLibrary", "ExactStrings", "LogCore", "SyncCore",
                .product(name: "Crypto", package: "swift-crypto", condition: replicating),
                .product(name: "NIOCore", package: "swift-nio", condition: replicating),
                .product(name: "NIOPosix", package: "swift-nio", condition: replicating),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: replicating),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: replicating),
                .product(name: "X509", package: "swift-certificates", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        // What runs sessions: the queues, clocks and channels that they do not have.
        .target(
            name: "SyncRuntime",
            dependencies: [
                "ExactStrings", "LogCore", "DocumentStore", "SyncCore", "BLIP", "Replication", "Transport",
            ],
            swiftSettings: swiftSettings
        ),
        // HTTP/1.1 for the tool and for tests. Apps do not build it.
        .target(
            name: "WebServer",
            dependencies: [
                "CZlib", "ExactStrings", "LogCore", "SyncCore", "Transport",
                .product(name: "NIOCore", package: "swift-nio", condition: replicating),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: replicating),
                .product(name: "NIOPosix", package: "swift-nio", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        // A server with sync, REST, users and channels for the databases in a directory. Used by the tool and by tests.
        .target(
            name: "Hub",
            dependencies: [
                "ExactStrings", "LogCore", "Fleece", "SQLiteEngine", "DocumentStore", "QueryEngine", "DatabaseRuntime", "SyncCore",
                "BLIP", "Replication", "Transport", "SyncRuntime", "WebServer",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            resources: [.embedInCode("Description/Files")],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "CouchbaseLiteSwift",
            dependencies: [
                "ExactStrings", "LogCore", "Fleece", "LogOutput", "SQLiteEngine", "DocumentStore", "QueryEngine",
                "DatabaseRuntime", "ModelCoding",
                .target(name: "SyncCore", condition: replicating),
                .target(name: "BLIP", condition: replicating),
                .target(name: "Replication", condition: replicating),
                .target(name: "Transport", condition: replicating),
                .target(name: "SyncRuntime", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        // Apart, so that the library itself does not depend on swift-log.
        .target(
            name: "CouchbaseLiteSwiftLogBridge",
            dependencies: ["CouchbaseLiteSwift", .product(name: "Logging", package: "swift-log")],
            swiftSettings: swiftSettings
        ),
        // For the tests of apps: temporary databases, links with faults, documents from JSON.
        .target(
            name: "CouchbaseLiteTestSupport",
            dependencies: ["CouchbaseLiteSwift", "DocumentStore", .target(name: "Hub", condition: replicating)],
            swiftSettings: swiftSettings
        ),
        // The files of the inspector's page as constants. Apart, so that they are compiled only when they change.
        .target(
            name: "InspectorPage",
            resources: [.embedInCode("Files")],
            swiftSettings: swiftSettings
        ),
        // A page to look at a database in a browser, and its API.
        .target(
            name: "Inspector",
            dependencies: [
                "CLibrary", "ExactStrings", "Fleece", "SQLiteEngine", "DocumentStore", "QueryEngine", "CouchbaseLiteSwift", "InspectorPage",
                .target(name: "SyncCore", condition: replicating), .target(name: "Transport", condition: replicating),
                .target(name: "WebServer", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "cblite",
            dependencies: [
                "CTerminal", "ExactStrings", "Fleece", "SQLiteEngine", "DocumentStore", "Backup", "QueryEngine",
                .target(name: "Hub", condition: replicating), .target(name: "SyncCore", condition: replicating),
                "CouchbaseLiteSwift", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .target(name: "Inspector", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        // The example `Examples/Notes`, which is a package of its own, for the tests that run it.
        .executableTarget(
            name: "NotesExample",
            dependencies: ["CouchbaseLiteSwift", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Examples/Notes/Sources/notes",
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .define("SYNC", .when(traits: ["Replication"])),
            ]
        ),
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // How tests run: what is known to Swift Testing.
        .target(
            name: "TestTraits",
            dependencies: ["TestSupport"],
            path: "Tests/TestTraits",
            swiftSettings: swiftSettings
        ),
        .target(name: "FleeceReencoder", dependencies: ["Fleece"], path: "Tests/FleeceReencoder", swiftSettings: swiftSettings),
        .target(
            name: "ConformanceSupport",
            dependencies: ["Fleece", "TestSupport"],
            path: "Tests/ConformanceSupport",
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "ExactStringsTests", dependencies: ["ExactStrings"], swiftSettings: swiftSettings),
        .testTarget(name: "LogCoreTests", dependencies: ["LogCore"], swiftSettings: swiftSettings),
        .testTarget(name: "LogOutputTests", dependencies: ["LogOutput", "LogCore", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(name: "FleeceTests", dependencies: ["Fleece", "FleeceReencoder", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "SQLiteEngineTests",
            dependencies: ["SQLiteEngine", "TestSupport", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "DocumentStoreTests",
            dependencies: [
                "DocumentStore", "FleeceReencoder", "TestSupport", "TestTraits",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "DatabaseRuntimeTests",
            dependencies: ["Fleece", "SQLiteEngine", "DocumentStore", "QueryEngine", "DatabaseRuntime", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "BackupTests",
            dependencies: ["Backup", "CouchbaseLiteSwift", "DocumentStore", "DatabaseWriter", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "BLIPTests",
            dependencies: ["ExactStrings", "BLIP", "SyncCore", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "ExactStrings", "Replication", "BLIP", "SyncCore", "DocumentStore", "SQLiteEngine", "Fleece",
                "ReplicationSimulation", "TestSupport", "TestTraits",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "TransportFuzzing", "ExactStrings", "BLIP", "SyncCore", "TestSupport", "TestTraits",
                .target(name: "Transport", condition: replicating),
                .product(name: "NIOCore", package: "swift-nio", condition: replicating),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: replicating),
                .product(name: "NIOPosix", package: "swift-nio", condition: replicating),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: replicating),
                .product(name: "Crypto", package: "swift-crypto", condition: replicating),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: replicating),
                .product(name: "X509", package: "swift-certificates", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "WebServerTests",
            dependencies: [
                "SyncCore", "TestSupport", "TestTraits",
                .target(name: "Transport", condition: replicating), .target(name: "WebServer", condition: replicating),
                .product(name: "NIOCore", package: "swift-nio", condition: replicating),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: replicating),
                .product(name: "NIOPosix", package: "swift-nio", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HubTests",
            dependencies: [
                // The tool is run.
                "cblite", "CouchbaseLiteSwift", "CouchbaseLiteTestSupport", "DocumentStore", "SQLiteEngine", "TestSupport", "TestTraits",
                .target(name: "Hub", condition: replicating), .target(name: "Transport", condition: replicating),
                .target(name: "BLIP", condition: replicating), .target(name: "SyncCore", condition: replicating),
                .target(name: "Replication", condition: replicating), "Inspector",
                .target(name: "WebServer", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SyncRuntimeTests",
            dependencies: [
                "DocumentStore", "TestSupport", "TestTraits",
                .target(name: "SyncCore", condition: replicating), .target(name: "SyncRuntime", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
        // Databases that replicate over links in memory, with a virtual clock and faults from a seed.
        .target(
            name: "ReplicationSimulation",
            dependencies: ["ExactStrings", "Replication", "BLIP", "SyncCore", "DocumentStore", "Fleece", "TestSupport"],
            path: "Tests/ReplicationSimulation",
            swiftSettings: swiftSettings
        ),
        // Bytes at random for whatever reads what a peer says before and below its messages.
        .target(
            name: "TransportFuzzing",
            dependencies: [
                "TestSupport", .target(name: "BLIP", condition: replicating), .target(name: "SyncCore", condition: replicating),
                .target(name: "Transport", condition: replicating), .target(name: "WebServer", condition: replicating),
                .product(name: "NIOCore", package: "swift-nio", condition: replicating),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: replicating),
            ],
            path: "Tests/TransportFuzzing",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ReplicationFuzz",
            dependencies: ["ReplicationSimulation", "TransportFuzzing"],
            path: "Tests/ReplicationFuzz",
            swiftSettings: swiftSettings
        ),
        // A naive evaluator of queries and what compares the engine with it; script/fuzz runs it for long.
        .target(
            name: "QueryOracle",
            dependencies: [
                "SQLiteEngine", "Fleece", "DocumentStore", "QueryEngine", "ConformanceSupport", "TestSupport",
            ],
            path: "Tests/QueryOracle",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "QueryFuzz",
            dependencies: ["QueryOracle", "TestSupport"],
            path: "Tests/QueryFuzz",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "QueryEngineTests",
            dependencies: ["QueryEngine", "ConformanceSupport", "QueryOracle", "TestSupport", "TestTraits"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ModelCodingTests",
            dependencies: ["Fleece", "DocumentStore", "QueryEngine", "ModelCoding"],
            swiftSettings: swiftSettings
        ),
        // The other process of the tests about two processes, and the one that they kill.
        .executableTarget(
            name: "DatabaseWriter",
            dependencies: ["CouchbaseLiteSwift", "TestSupport", "ThreadSanitizerSupport"],
            path: "Tests/DatabaseWriter",
            swiftSettings: swiftSettings
        ),
        .target(name: "ThreadSanitizerSupport", path: "Tests/ThreadSanitizerSupport"),
        // Two processes with many threads on one database; script/stress runs it for long.
        .executableTarget(
            name: "DatabaseStress",
            dependencies: ["CouchbaseLiteSwift", "TestSupport", "ThreadSanitizerSupport"],
            path: "Tests/DatabaseStress",
            swiftSettings: swiftSettings
        ),
        // A database while the power fails, calls of the operating system fail and the disk is full; script/faults runs all of it.
        .target(name: "CFileFaults", path: "Tests/CFileFaults"),
        .executableTarget(
            name: "DatabaseFaults",
            dependencies: ["CouchbaseLiteSwift", "CFileFaults", "TestSupport"],
            path: "Tests/DatabaseFaults",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CouchbaseLiteSwiftTests",
            dependencies: [
                "ExactStrings", "LogCore", "Fleece", "LogOutput", "QueryEngine", "DatabaseRuntime", "CouchbaseLiteSwift",
                "CouchbaseLiteSwiftLogBridge", "CouchbaseLiteTestSupport", "ConformanceSupport",
                "DatabaseFaults", "DatabaseWriter", "DatabaseStress", "TestSupport", "TestTraits",
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CouchbaseLiteSwiftLogBridgeTests",
            dependencies: ["CouchbaseLiteSwiftLogBridge", .product(name: "Logging", package: "swift-log")],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CouchbaseLiteTestSupportTests",
            dependencies: ["CouchbaseLiteTestSupport", "CouchbaseLiteSwift", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        // Code as apps write it, in either language mode; it sees the public API only.
        .executableTarget(
            name: "Swift5MainProgram",
            dependencies: ["CouchbaseLiteSwift"],
            path: "Tests/ClientTests/Swift5Main",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "Swift6MainProgram",
            dependencies: ["CouchbaseLiteSwift"],
            path: "Tests/ClientTests/Swift6Main",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: ["CouchbaseLiteSwift", "TestSupport"],
            path: "Tests/ClientTests/Swift5",
            swiftSettings: [
                .swiftLanguageMode(.v5),
                .treatAllWarnings(as: .error),
                .treatWarning("DeprecatedDeclaration", as: .warning),
            ]
        ),
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: ["CouchbaseLiteSwift", "Swift5MainProgram", "Swift6MainProgram", "TestSupport", "TestTraits"],
            path: "Tests/ClientTests/Swift6",
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "NotesExampleTests",
            dependencies: ["NotesExample", "cblite", "TestSupport", "TestTraits"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "InspectorTests",
            dependencies: [
                "Inspector", "InspectorPage", "CouchbaseLiteSwift", "DocumentStore", "Fleece", "QueryEngine", "SQLiteEngine", "TestSupport",
                "TestTraits",
                .target(name: "WebServer", condition: replicating),
            ],
            // The driver of the browser.
            exclude: ["Page/browser.py", "Page/drive.py", "Page/drive_hub.py"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "cbliteTests",
            dependencies: [
                "cblite", "CouchbaseLiteSwift", "SQLiteEngine", "DocumentStore", "Fleece", "TestSupport", "TestTraits",
                .target(name: "BLIP", condition: replicating), .target(name: "SyncCore", condition: replicating),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
