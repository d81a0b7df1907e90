import CouchbaseLiteSwift
import Floor
import Foundation

/// Where a workload of the library runs: a directory for databases, and how many documents there are.
struct Stage {
    /// Holds the database `documents`, and whatever a workload makes.
    let directory: String
    let documents: Int
    private var variant = Variant.plain

    /// What distinguishes the databases of a stage.
    private enum Variant: String {
        case plain = ""
        case encrypted = "-encrypted"
        case versionVectors = "-vectors"
    }

    init(directory: String, documents: Int) { (self.directory, self.documents) = (directory, documents) }

    /// The same stage with encrypted databases.
    var encrypted: Stage { with(.encrypted) }

    /// The same stage with databases that name revisions by version vectors.
    var versionVectors: Stage { with(.versionVectors) }

    private func with(_ variant: Variant) -> Stage {
        var stage = self
        stage.variant = variant
        return stage
    }

    /// The name of the database with all documents.
    static let documentsName = "documents"
    static let scratchName = "scratch"

    /// The file of the database with all documents that SQLite opens.
    var documentsFile: String { "\(directory)/\(Self.documentsName).cblite2/db.sqlite3" }

    private func configuration(fullSync: Bool = false) -> DatabaseConfiguration {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        configuration.fullSync = fullSync
        switch variant {
        case .plain: break
        case .encrypted: configuration.encryptionKey = .key(Data(repeating: 42, count: 32))
        case .versionVectors: configuration.versioning = .versionVectors
        }
        return configuration
    }

    /// The name of the database with all documents, which is made if it is missing.
    private func documentsName() throws -> String {
        let name = Self.documentsName + variant.rawValue
        if variant != .plain, !Database.exists(withName: name, inDirectory: directory) { try makeDocuments(named: name) }
        return name
    }

    /// Opens the database with all documents; for workloads that leave it as it was.
    func withDocuments<T>(_ body: (Database) throws -> T) throws -> T {
        try with(Database(name: documentsName(), config: configuration()), body)
    }

    /// Opens a copy of the database with all documents; for workloads that change it.
    func withCopyOfDocuments<T>(_ body: (Database) throws -> T) throws -> T {
        try Database.delete(withName: Self.scratchName, inDirectory: directory)
        try FileManager.default.copyItem(
            atPath: "\(directory)/\(documentsName()).cblite2",
            toPath: "\(directory)/\(Self.scratchName).cblite2"
        )
        return try with(Database(name: Self.scratchName, config: configuration()), body)
    }

    /// Opens a database with nothing in it.
    func withFreshDatabase<T>(named name: String = scratchName, fullSync: Bool = false, _ body: (Database) throws -> T) throws -> T {
        try Database.delete(withName: name, inDirectory: directory)
        return try with(Database(name: name, config: configuration(fullSync: fullSync)), body)
    }

    /// The size of the database that a workload makes, in MB of 10^6 bytes; `nil` if it was not written since then.
    func sizeOfScratch(writtenSince start: Date) -> Double? {
        let bundle = URL(fileURLWithPath: "\(directory)/\(Self.scratchName).cblite2", isDirectory: true)
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        guard let files = FileManager.default.enumerator(at: bundle, includingPropertiesForKeys: Array(keys)) else { return nil }
        var (size, isNew) = (0, false)
        for case let file as URL in files {
            guard let values = try? file.resourceValues(forKeys: keys) else { continue }
            size += values.fileSize ?? 0
            isNew = isNew || values.contentModificationDate.map { $0 >= start } ?? false
        }
        return isNew ? Double(size) / 1e6 : nil
    }

    /// Makes the database with all documents.
    func makeDocuments() throws {
        try Database.delete(withName: Self.documentsName, inDirectory: directory)
        try makeDocuments(named: Self.documentsName)
    }

    private func makeDocuments(named name: String) throws {
        try with(Database(name: name, config: configuration())) { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for i in 0..<documents { try collection.save(document: UserDocument.make(i)) }
            }
        }
    }

    private func with<T>(_ database: Database, _ body: (Database) throws -> T) throws -> T {
        let result = try body(database)
        try database.close()
        return result
    }
}

/// The seconds the work takes.
func timed(_ work: () throws -> Void) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try withoutActuallyEscaping(work) { work in
        let measured = MeasuredWork(work)
        // ``Instructions`` finds the measured part by the name of this function, which the compiler cannot merge with its callers.
        let context = Unmanaged.passUnretained(measured).toOpaque()
        floor_run_measured({ Unmanaged<MeasuredWork>.fromOpaque($0.unsafelyUnwrapped).takeUnretainedValue().run() }, context)
        try measured.outcome.get()
    }
    return (clock.now - start) / .seconds(1)
}

/// What a C function runs.
private final class MeasuredWork {
    private let work: () throws -> Void
    private(set) var outcome: Swift.Result<Void, any Error> = .success(())

    init(_ work: @escaping () throws -> Void) { self.work = work }

    func run() { outcome = Swift.Result { try work() } }
}
