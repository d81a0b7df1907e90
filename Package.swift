// swift-tools-version: 6.2
import PackageDescription

// The package is a house of five floors. A target knows the targets of its own floor and of the floors below it; the functions at the end refuse
// any other dependency, and complete what the lists leave out: paths, settings and conditions.
// `FLOOR=engine swift test` builds and tests one floor and what is below it. Documentation/Architecture.md describes each target.

/// What a database is made of: files, documents, queries, backups. Needs no network package.
let engine = Floor("Engine") {
    [
        .systemLibrary(name: "CSQLiteSystem", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .systemLibrary(name: "CSystemCalls"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // Inner loops that choose the instructions of the processor when they run.
        .target(name: "CVectorKernels"),
        .target(name: "Base"),
        .target(name: "Fleece", dependencies: ["Base"]),
        .target(
            name: "SQLiteEngine",
            dependencies: [
                "Base", "CSQLiteSystem", "Crypto",
                // iOS and tvOS have no such library: there words are indexed as they are written.
                .target(name: "CStemmer", condition: .when(platforms: [.linux, .macOS])),
            ]
        ),
        .target(name: "DocumentStore", dependencies: ["Base", "CSystemCalls", "Fleece", "SQLiteEngine", "Crypto"]),
        .target(name: "VectorSearch", dependencies: ["Base", "CVectorKernels", "CZlib"]),
        .target(name: "QueryLanguage", dependencies: ["Base", "Fleece"]),
        .target(
            name: "QueryEngine",
            dependencies: ["Base", "Fleece", "SQLiteEngine", "DocumentStore", "VectorSearch", "QueryLanguage"],
            // The Unicode library that comes with Foundation.
            linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]
        ),
        .target(name: "Backup", dependencies: ["Base", "CZlib", "DocumentStore", "Crypto"]),

        .testTarget(name: "BaseTests", dependencies: ["Base"]),
        .testTarget(name: "FleeceTests", dependencies: ["Fleece", "FleeceReencoder", "TestSupport"]),
        .testTarget(name: "SQLiteEngineTests", dependencies: ["Base", "SQLiteEngine", "TestSupport", "Crypto", "CSQLiteSystem"]),
        .testTarget(
            name: "DocumentStoreTests",
            dependencies: [
                "Base", "DocumentStore", "SQLiteEngine", "Fleece", "FleeceReencoder", "VersionHistories", "TestSupport", "TestTraits",
                "Crypto",
            ]
        ),
        .testTarget(name: "VectorSearchTests", dependencies: ["Base", "CVectorKernels", "VectorSearch"]),
        .testTarget(
            name: "QueryLanguageTests",
            dependencies: ["QueryLanguage", "Fleece", "ConformanceSupport", "QueryOracle", "TestSupport"]
        ),
        .testTarget(
            name: "QueryEngineTests",
            dependencies: [
                "Base", "QueryLanguage", "QueryEngine", "DocumentStore", "SQLiteEngine", "VectorSearch", "Fleece", "ConformanceSupport",
                "QueryOracle", "TestSupport", "TestTraits",
            ]
        ),
        .testTarget(
            name: "BackupTests",
            dependencies: ["Backup", "DocumentStore", "SQLiteEngine", "Fleece", "TestSupport", "TestTraits", "Crypto"]
        ),

        .systemLibrary(name: "CSpawn", path: "Tests/Support/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn"], path: "Tests/Support/TestSupport"),
        .target(name: "TestTraits", dependencies: ["TestSupport"], path: "Tests/Support/TestTraits"),
        .target(name: "FleeceReencoder", dependencies: ["Fleece"], path: "Tests/Support/FleeceReencoder"),
        .target(name: "ConformanceSupport", dependencies: ["Fleece", "TestSupport"], path: "Tests/Support/ConformanceSupport"),
        .target(
            name: "QueryOracle",
            dependencies: [
                "SQLiteEngine", "Fleece", "DocumentStore", "VectorSearch", "QueryLanguage", "QueryEngine", "ConformanceSupport",
                "TestSupport",
            ],
            path: "Tests/Support/QueryOracle"
        ),
        .target(name: "VersionHistories", dependencies: ["DocumentStore", "TestSupport"], path: "Tests/Support/VersionHistories"),
        .executableTarget(
            name: "QueryFuzz",
            dependencies: ["DocumentStore", "QueryOracle", "VersionHistories", "TestSupport"],
            path: "Tests/Programs/QueryFuzz"
        ),
    ]
}

/// What synchronizes databases: the protocol, its message layer, and the network.
let sync = Floor("Sync") {
    [
        .target(name: "SyncCore"),
        .target(name: "BLIP", dependencies: ["Base", "SyncCore", "CZlib"]),
        .target(name: "Replication", dependencies: ["Base", "Fleece", "SQLiteEngine", "DocumentStore", "SyncCore", "BLIP", "Crypto"]),
        .target(name: "Transport", dependencies: ["Base", "SyncCore", "Crypto", "NIOCore", "NIOPosix", "NIOSSL", "SwiftASN1", "X509"]),
        .target(name: "SyncRuntime", dependencies: ["Base", "DocumentStore", "SyncCore", "BLIP", "Replication", "Transport"]),

        .testTarget(name: "BLIPTests", dependencies: ["Base", "BLIP", "SyncCore", "TestSupport"]),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Base", "Replication", "BLIP", "SyncCore", "DocumentStore", "SQLiteEngine", "Fleece", "ReplicationSimulation",
                "TestSupport", "TestTraits",
            ]
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Base", "Transport", "TransportFuzzing", "BLIP", "SyncCore", "PeerSupport", "TestSupport", "TestTraits", "NIOCore",
                "NIOEmbedded", "NIOPosix", "NIOSSL", "Crypto", "SwiftASN1", "X509",
            ]
        ),
        .testTarget(name: "SyncRuntimeTests", dependencies: ["DocumentStore", "SyncCore", "SyncRuntime", "TestSupport", "TestTraits"]),

        .target(name: "PeerSupport", dependencies: ["TestSupport"], path: "Tests/Support/PeerSupport"),
        .target(
            name: "ReplicationSimulation",
            dependencies: ["Base", "Replication", "BLIP", "SyncCore", "DocumentStore", "Fleece", "TestSupport"],
            path: "Tests/Support/ReplicationSimulation"
        ),
        .target(
            name: "TransportFuzzing",
            dependencies: ["BLIP", "SyncCore", "Transport", "TestSupport", "NIOCore", "NIOEmbedded"],
            path: "Tests/Support/TransportFuzzing"
        ),
    ]
}

/// What apps import.
let library = Floor(
    "Library",
    products: [
        .library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"]),
        .library(name: "CouchbaseLiteSwiftLogBridge", targets: ["CouchbaseLiteSwiftLogBridge"]),
    ]
) {
    [
        .target(name: "LogOutput", dependencies: ["Base", "Fleece"]),
        .target(
            name: "DatabaseRuntime",
            dependencies: ["Base", "Fleece", "SQLiteEngine", "DocumentStore", "QueryLanguage", "QueryEngine"]
        ),
        .target(name: "ModelCoding", dependencies: ["Base", "Fleece", "DocumentStore", "QueryLanguage", "QueryEngine", "DatabaseRuntime"]),
        .target(
            name: "CouchbaseLiteSwift",
            dependencies: [
                "Base", "Fleece", "LogOutput", "SQLiteEngine", "DocumentStore", "VectorSearch", "QueryLanguage", "QueryEngine",
                "DatabaseRuntime", "ModelCoding", "SyncCore", "BLIP", "Replication", "Transport", "SyncRuntime",
            ]
        ),
        // Apart, so that the library itself does not depend on swift-log.
        .target(name: "CouchbaseLiteSwiftLogBridge", dependencies: ["CouchbaseLiteSwift", "Logging"]),

        .testTarget(name: "LogOutputTests", dependencies: ["Base", "LogOutput", "TestSupport"]),
        .testTarget(
            name: "DatabaseRuntimeTests",
            dependencies: ["Fleece", "SQLiteEngine", "DocumentStore", "QueryLanguage", "QueryEngine", "DatabaseRuntime", "TestSupport"]
        ),
        .testTarget(
            name: "ModelCodingTests",
            dependencies: ["Base", "Fleece", "DocumentStore", "QueryLanguage", "QueryEngine", "ModelCoding", "TestSupport"]
        ),
        .testTarget(
            name: "CouchbaseLiteSwiftTests",
            dependencies: [
                "Base", "Fleece", "LogOutput", "SQLiteEngine", "DocumentStore", "QueryLanguage", "QueryEngine", "DatabaseRuntime",
                "ModelCoding", "SyncCore", "Replication", "Transport", "SyncRuntime", "CouchbaseLiteSwift",
                "CouchbaseLiteSwiftLogBridge", "ConformanceSupport", "DatabaseFaults", "DatabaseWriter", "DatabaseStress", "PeerSupport",
                "TestSupport", "TestTraits",
            ]
        ),
        .testTarget(
            name: "CouchbaseLiteSwiftLogBridgeTests",
            dependencies: ["CouchbaseLiteSwiftLogBridge", "Logging", "CouchbaseLiteSwift"]
        ),
        // Code as apps write it, in either language mode; it sees the public API only.
        .executableTarget(
            name: "Swift5MainProgram",
            dependencies: ["CouchbaseLiteSwift"],
            path: "Tests/Library/ClientTests/Swift5Main",
            swiftSettings: clientSettings(.v5)
        ),
        .executableTarget(
            name: "Swift6MainProgram",
            dependencies: ["CouchbaseLiteSwift"],
            path: "Tests/Library/ClientTests/Swift6Main",
            swiftSettings: clientSettings(.v6)
        ),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: ["CouchbaseLiteSwift", "TestSupport"],
            path: "Tests/Library/ClientTests/Swift5",
            swiftSettings: clientSettings(.v5)
        ),
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: ["CouchbaseLiteSwift", "Swift5MainProgram", "Swift6MainProgram", "TestSupport", "TestTraits"],
            path: "Tests/Library/ClientTests/Swift6",
            swiftSettings: clientSettings(.v6)
        ),

        .target(name: "ThreadSanitizerSupport", path: "Tests/Support/ThreadSanitizerSupport"),
        .target(name: "CFileFaults", path: "Tests/Support/CFileFaults"),
        .executableTarget(
            name: "DatabaseWriter",
            dependencies: [
                "Fleece", "DocumentStore", "VectorSearch", "QueryLanguage", "QueryEngine", "CouchbaseLiteSwift", "TestSupport",
                "ThreadSanitizerSupport",
            ],
            path: "Tests/Programs/DatabaseWriter"
        ),
        .executableTarget(
            name: "DatabaseStress",
            dependencies: ["CouchbaseLiteSwift", "QueryEngine", "TestSupport", "ThreadSanitizerSupport"],
            path: "Tests/Programs/DatabaseStress"
        ),
        .executableTarget(
            name: "DatabaseFaults",
            dependencies: ["CouchbaseLiteSwift", "CFileFaults", "TestSupport"],
            path: "Tests/Programs/DatabaseFaults"
        ),
    ]
}

/// What serves databases. Apps do not build it, except for the support of their tests, which starts a hub.
let server = Floor("Server", products: [.library(name: "CouchbaseLiteTestSupport", targets: ["CouchbaseLiteTestSupport"])]) {
    [
        .target(name: "WebServer", dependencies: ["Base", "CZlib", "SyncCore", "Transport", "NIOCore", "NIOHTTP1", "NIOPosix"]),
        .target(
            name: "Hub",
            dependencies: [
                "Base", "Fleece", "SQLiteEngine", "DocumentStore", "QueryLanguage", "QueryEngine", "DatabaseRuntime", "SyncCore",
                "Replication", "Transport", "SyncRuntime", "WebServer", "Crypto",
            ]
        ),
        // Apart, so that the files of the page are compiled only when they change.
        .target(name: "InspectorPage", resources: [.embedInCode("Files")]),
        .target(
            name: "Inspector",
            dependencies: [
                "Base", "Fleece", "SQLiteEngine", "DocumentStore", "VectorSearch", "QueryLanguage", "QueryEngine", "CouchbaseLiteSwift",
                "InspectorPage", "SyncCore", "Transport", "WebServer",
            ]
        ),
        .target(name: "CouchbaseLiteTestSupport", dependencies: ["CouchbaseLiteSwift", "DocumentStore", "Hub"]),

        .testTarget(
            name: "WebServerTests",
            dependencies: [
                "SyncCore", "Transport", "WebServer", "HandlerFuzzing", "TestSupport", "TestTraits", "NIOCore", "NIOEmbedded",
                "NIOPosix", "TransportFuzzing",
            ]
        ),
        .testTarget(
            name: "HubTests",
            dependencies: [
                "Base", "Fleece", "SQLiteEngine", "DocumentStore", "SyncCore", "BLIP", "Replication", "Transport", "CouchbaseLiteSwift",
                "WebServer", "Hub", "Inspector", "CouchbaseLiteTestSupport", "PeerSupport", "TestSupport", "TestTraits",
            ]
        ),
        .testTarget(
            name: "InspectorTests",
            dependencies: [
                "Base", "Fleece", "SQLiteEngine", "DocumentStore", "QueryEngine", "CouchbaseLiteSwift", "WebServer", "Inspector",
                "InspectorPage", "TestSupport", "TestTraits",
            ],
            // The driver of the browser.
            exclude: ["Page/browser.py", "Page/drive.py", "Page/drive_hub.py"]
        ),
        .testTarget(
            name: "CouchbaseLiteTestSupportTests",
            dependencies: ["CouchbaseLiteTestSupport", "CouchbaseLiteSwift", "TestSupport", "TestTraits"]
        ),

        .target(
            name: "HandlerFuzzing",
            dependencies: ["TransportFuzzing", "SyncCore", "Transport", "WebServer", "TestSupport", "NIOCore", "NIOEmbedded"],
            path: "Tests/Support/HandlerFuzzing"
        ),
        .executableTarget(
            name: "ReplicationFuzz",
            dependencies: ["ReplicationSimulation", "TransportFuzzing", "HandlerFuzzing", "SyncCore"],
            path: "Tests/Programs/ReplicationFuzz"
        ),
    ]
}

/// The command line tool.
let tool = Floor("Tool", products: [.executable(name: "cblite", targets: ["cblite"])]) {
    [
        // Line editing and the width of characters.
        .systemLibrary(name: "CTerminal", providers: [.apt(["libedit-dev"])]),
        .executableTarget(
            name: "cblite",
            dependencies: [
                "CTerminal", "CZlib", "Base", "Fleece", "SQLiteEngine", "DocumentStore", "Backup", "VectorSearch", "QueryLanguage",
                "QueryEngine", "SyncCore", "CouchbaseLiteSwift", "Hub", "Inspector", "ArgumentParser",
            ]
        ),
        .testTarget(
            name: "cbliteTests",
            dependencies: [
                "cblite", "CouchbaseLiteSwift", "SQLiteEngine", "DocumentStore", "Fleece", "BLIP", "TestSupport", "TestTraits",
            ]
        ),
        // The example `Examples/Notes`, which is a package of its own, for the tests that run it.
        .executableTarget(
            name: "NotesExample",
            dependencies: ["CouchbaseLiteSwift", "ArgumentParser"],
            path: "Examples/Notes/Sources/notes",
            swiftSettings: clientSettings(.v6) + [.define("SYNC", .when(traits: ["Replication"]))]
        ),
        // Its second version.
        .executableTarget(
            name: "NotesExample2",
            dependencies: ["CouchbaseLiteSwift", "ArgumentParser"],
            path: "Examples/Notes/Sources/notes2",
            swiftSettings: clientSettings(.v6) + [.define("SYNC", .when(traits: ["Replication"]))]
        ),
        .testTarget(name: "NotesExampleTests", dependencies: ["NotesExample", "NotesExample2", "cblite", "TestSupport", "TestTraits"]),
    ]
}

/// The packages of others, with the products that targets use.
let packages: [(package: Package.Dependency, name: String, products: [String])] = [
    (.package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"), "swift-argument-parser", ["ArgumentParser"]),
    (.package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"), "swift-asn1", ["SwiftASN1"]),
    (.package(url: "https://github.com/apple/swift-certificates", from: "1.10.0"), "swift-certificates", ["X509"]),
    (.package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"), "swift-crypto", ["Crypto"]),
    (.package(url: "https://github.com/apple/swift-log", from: "1.6.0"), "swift-log", ["Logging"]),
    (
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"), "swift-nio",
        ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"]
    ),
    (.package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"), "swift-nio-ssl", ["NIOSSL"]),
]

/// What only the trait `Replication` needs: apps without sync do not build it.
let replicating: TargetDependencyCondition? = .when(traits: ["Replication"])
let replicatingProducts = ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOSSL", "SwiftASN1", "X509"]
let replicatingFloors = ["Sync", "Server"]

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

/// .ci/run builds once, for release, and tests that. Tests see internal declarations then; they are not optimized, because that would take longer.
let testsRelease = Context.environment["TEST_CONFIGURATION"] == "release"
let quickCompilation = ["-Onone", "-no-emit-module-separately-wmo", "-diagnostic-style=llvm"]

/// The tool that is installed on Linux contains the runtime of Swift. Only the linker knows that, so nothing else is compiled again.
let hasStaticRuntime = Context.environment["STATIC_RUNTIME"] != nil

func clientSettings(_ mode: SwiftLanguageMode) -> [SwiftSetting] {
    [.swiftLanguageMode(mode), .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning)]
}

/// Targets whose sources are in `Sources/NAME/` and `Tests/NAME/`.
struct Floor {
    var name: String
    var products: [Product]
    var targets: [Target]

    init(_ name: String, products: [Product] = [], targets: () -> [Target]) {
        self.name = name
        self.products = products
        self.targets = targets()
    }
}

/// Returns the floors up to the one in the environment variable `FLOOR`, by default all.
@MainActor func chosenFloors() -> [Floor] {
    let all = [engine, sync, library, server, tool]
    guard let wanted = Context.environment["FLOOR"], !wanted.isEmpty else { return all }
    guard let top = all.firstIndex(where: { $0.name.lowercased() == wanted.lowercased() }) else {
        fatalError("FLOOR is \(wanted), but the floors are \(all.map { $0.name.lowercased() })")
    }
    return Array(all[...top])
}

/// Completes the targets of the floors. `floorOf` gets the floor of each target, so a floor can only use what it or an earlier one has.
@MainActor func completedTargets(of floors: [Floor]) -> [Target] {
    var floorOf: [String: String] = [:]
    for floor in floors {
        for target in floor.targets { floorOf[target.name] = floor.name }
        for target in floor.targets {
            if target.path == nil { target.path = "\(target.isTest ? "Tests" : "Sources")/\(floor.name)/\(target.name)" }
            if target.type == .system { continue }
            target.swiftSettings = target.swiftSettings ?? swiftSettings
            if testsRelease { target.swiftSettings?.append(.unsafeFlags(target.isTest ? quickCompilation : ["-enable-testing"])) }
            if hasStaticRuntime, target.name == "cblite" { target.linkerSettings = [.unsafeFlags(["-static-stdlib"])] }
            target.dependencies = target.dependencies.map { dependency in
                guard case .byNameItem(let name, _) = dependency else { return dependency }
                if let package = packages.first(where: { $0.products.contains(name) }) {
                    let condition = replicatingProducts.contains(name) ? replicating : nil
                    return .product(name: name, package: package.name, condition: condition)
                }
                guard let owner = floorOf[name] else { fatalError("\(target.name) uses \(name), which is on no floor up to \(floor.name)") }
                let isOptional = owner != floor.name && replicatingFloors.contains(owner)
                return .target(name: name, condition: isOptional ? replicating : nil)
            }
        }
    }
    return floors.flatMap(\.targets)
}

/// Returns the packages that have a product which one of the targets uses.
@MainActor func usedPackages(by targets: [Target]) -> [Package.Dependency] {
    var used: [String] = []
    for dependency in targets.flatMap(\.dependencies) {
        if case .productItem(_, let package?, _, _) = dependency { used.append(package) }
    }
    return packages.filter { used.contains($0.name) }.map(\.package)
}

let floors = chosenFloors()
let targets = completedTargets(of: floors)

let package = Package(
    name: "CouchbaseLiteSwift",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18)],
    products: floors.flatMap(\.products),
    traits: [
        .trait(
            name: "Replication",
            description:
                "Sync with servers, other devices and other databases; it needs SwiftNIO, NIOSSL and swift-certificates."
        ),
        .default(enabledTraits: ["Replication"]),
    ],
    dependencies: usedPackages(by: targets),
    targets: targets
)
