import CouchbaseLiteSwift
import Foundation
import TestSupport

// Writes to a database until it has finished or is killed, and prints a line after each save or commit that has been
// acknowledged:
//
//     DatabaseWriter DIRECTORY NAME SEED FIRST-NUMBER [COUNT]     writes documents with random operations
//     DatabaseWriter DIRECTORY NAME count DOCUMENT COUNT          increments a shared counter COUNT times
//     DatabaseWriter DIRECTORY NAME hold                          opens the database and keeps it open
//     DatabaseWriter DIRECTORY NAME rekey FIRST-NUMBER            alternately saves documents and changes the key
//     DatabaseWriter DIRECTORY NAME log                           opens and closes a database with console logging
//     DatabaseWriter DIRECTORY NAME start                         does what apps do when they start, without configuring logging
//     DatabaseWriter DIRECTORY NAME blobs SEED FIRST-NUMBER       writes documents with blobs, and compacts
//     DatabaseWriter DIRECTORY NAME big-blob SIZE                 writes and reads a blob by streams, and prints the peak memory
//     DatabaseWriter DIRECTORY NAME delete-collection COLLECTION  deletes a collection of the default scope
//     DatabaseWriter DIRECTORY NAME migrate VERSION               counts the steps of a migration in a document
//     DatabaseWriter DIRECTORY NAME vectors SEED FIRST-NUMBER [COUNT]  writes and searches documents with vectors, and creates their index anew
//     DatabaseWriter DIRECTORY NAME vector-memory COUNT           measures the memory of a vector index of two databases of its own
//     DatabaseWriter DIRECTORY NAME compact NUMBER                changes documents with blobs, and compacts, repeatedly
//     DatabaseWriter DIRECTORY NAME serve PORT                    serves the database to replicators
//     DatabaseWriter DIRECTORY NAME push URL                      replicates once, and prints the peak memory; also: pull
//     DatabaseWriter --default-directory                          prints the default directory of databases
//
// The environment variable DATABASE_KEY is the number of the database's key; 0, or unset, for no key.

/// Writes a line without buffering, so that the tests see what was acknowledged even if the process is killed.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func key(_ number: Int) -> EncryptionKey? {
    number == 0 ? nil : .key(Data(repeating: UInt8(truncatingIfNeeded: number), count: 32))
}

func openDatabase(_ directory: String, _ name: String) throws -> Database {
    let config = DatabaseConfiguration()
    config.directory = directory
    config.encryptionKey = key(Int(ProcessInfo.processInfo.environment["DATABASE_KEY"] ?? "") ?? 0)
    return try Database(name: name, config: config)
}

/// Saves, updates and deletes single documents, and saves batches, at random.
func write(_ database: Database, seed: UInt64, from first: Int, count: Int) throws {
    var generator = SeededGenerator(seed: seed)
    for number in first..<first + count {
        let action = Int.random(in: 0..<10, using: &generator)
        switch action {
        case 0..<5:
            try database.saveDocument(WrittenDocument.single(number).document)
            report("saved \(number)")
        case 5:
            let document = WrittenDocument.single(number).document
            try database.saveDocument(document)
            try database.saveDocument(document.setInt(number, forKey: "updated"))
            report("updated \(number)")
        case 6:
            let document = WrittenDocument.single(number).document
            try database.saveDocument(document)
            try database.deleteDocument(document)
            report("deleted \(number)")
        default:
            let size = Int.random(in: 2...20, using: &generator)
            try database.inBatch {
                for member in 0..<size {
                    try database.saveDocument(WrittenDocument.member(member, of: size, batch: number).document)
                }
            }
            report("batch \(number) \(size)")
        }
    }
}

/// Increments a counter `times` times by reading, changing and saving it.
func count(_ database: Database, document id: String, times: Int) throws {
    for _ in 0..<times {
        let document = database.document(withID: id)?.toMutable() ?? MutableDocument(id: id)
        document.setInt(document.int(forKey: "n") + 1, forKey: "n")
        try database.saveDocument(document) { mine, theirs in
            mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
            return true
        }
        report("counted")
    }
}

/// Replaces documents with blobs, and compacts, until the process ends.
func compact(_ database: Database, number: String) throws {
    for round in 0... {
        for index in 0..<20 {
            let text = "content of \(number), \(round), \(index)"
            let blob = Blob(contentType: "text/plain", data: Data(text.utf8))
            let document = database.document(withID: "doc\(index)")?.toMutable() ?? MutableDocument(id: "doc\(index)")
            try database.saveDocument(document.setString(text, forKey: "text").setBlob(blob, forKey: "blob"))
            if (round + index) % 7 == 0 { try database.deleteDocument(document) }
        }
        report("compacting")
        try database.performMaintenance(type: .compact)
        report("compacted")
    }
}

/// Alternately saves a document with a blob and changes the key, to keys 1 to 3 and to none, until the process ends.
func changeKeys(_ database: Database, from first: Int) throws {
    for number in first..<Int.max {
        let blob = Blob(contentType: "text/plain", data: Data("blob \(number)".utf8))
        try database.saveDocument(MutableDocument(id: "doc\(number)").setInt(number, forKey: "n").setBlob(blob, forKey: "blob"))
        report("saved \(number)")
        let next = (number - first + first / 1000) % 4
        report("changing \(next)")
        try database.changeEncryptionKey(key(next))
        report("key \(next)")
    }
}

/// Saves documents, one with a blob, creates an index, and runs and observes a query.
func start(_ database: Database) throws {
    let collection = try database.createCollection(name: "things", scope: "app")
    try collection.createIndex(withName: "by_n", config: ValueIndexConfiguration(["n"]))
    try database.inBatch {
        for number in 0..<10 { try collection.save(document: MutableDocument(id: "\(number)").setInt(number, forKey: "n")) }
    }
    let blob = Blob(contentType: "text/plain", data: Data("text".utf8))
    try database.saveDocument(MutableDocument(id: "a").setBlob(blob, forKey: "blob"))
    let query = try database.createQuery("SELECT meta().id FROM app.things WHERE n > 5 ORDER BY n")
    _ = try query.execute().allResults()
    let notified = DispatchSemaphore(value: 0)
    let token = query.addChangeListener(withQueue: DispatchQueue(label: "start")) { _ in notified.signal() }
    notified.wait()
    token.remove()
    try database.performMaintenance(type: .optimize)
}

extension WrittenDocument {
    /// A new, unsaved document.
    var document: MutableDocument {
        let document = MutableDocument(id: id).setString(text, forKey: "text").setString(id, forKey: key)
        if case .member(_, let size, let batch) = self {
            document.setInt(batch, forKey: "batch").setInt(size, forKey: "size")
        }
        return document
    }
}

func run(_ arguments: [String]) throws {
    switch arguments.count {
    case 1 where arguments[0] == "--default-directory":
        report(DatabaseConfiguration().directory)
    case 3 where arguments[2] == "hold":
        let database = try openDatabase(arguments[0], arguments[1])
        report("open")
        withExtendedLifetime(database) { while true { sleep(3600) } }
    case 3 where arguments[2] == "log":
        // Without a configured sink: the default output to the console.
        try openDatabase(arguments[0], arguments[1]).close()
        LogSinks.console = ConsoleLogSink(level: .debug, domains: .database)
        let database = try openDatabase(arguments[0], arguments[1])
        _ = try database.createQuery("SELECT 'not of this domain' FROM _").execute()
        try database.close()
        LogSinks.console = nil
        try openDatabase(arguments[0], arguments[1]).close()
    case 3 where arguments[2] == "start":
        let database = try openDatabase(arguments[0], arguments[1])
        try start(database)
        try replicateLocally(database, with: try openDatabase(arguments[0], arguments[1] + "-copy"))
        try database.close()
    case 5 where arguments[2] == "vectors", 6 where arguments[2] == "vectors":
        guard let seed = UInt64(arguments[3]), let first = Int(arguments[4]) else { exit(64) }
        let database = try openDatabase(arguments[0], arguments[1])
        report("open")
        let count = arguments.count == 6 ? Int(arguments[5]) ?? 0 : 1_000_000
        try writeVectors(database, seed: seed, from: first, count: count)
        try database.close()
    case 4 where arguments[2] == "vector-memory":
        guard let count = Int(arguments[3]) else { exit(64) }
        try measureVectorMemory(arguments[0], count: count)
    case 4, 5:
        let database = try openDatabase(arguments[0], arguments[1])
        report("open")
        if arguments[2] == "delete-collection" {
            try database.deleteCollection(name: arguments[3])
        } else if arguments[2] == "compact" {
            try compact(database, number: arguments[3])
        } else if arguments[2] == "migrate", let version = Int(arguments[3]) {
            try database.migrate(to: version) { step in
                try step.execute("UPDATE _ SET n = n + 1 WHERE META().id = 'steps'")
                report("\(step.number)")
            }
        } else if arguments[2] == "rekey", let first = Int(arguments[3]) {
            try changeKeys(database, from: first)
        } else if arguments[2] == "count", arguments.count == 5, let times = Int(arguments[4]) {
            try count(database, document: arguments[3], times: times)
        } else if arguments[2] == "blobs", arguments.count == 5, let seed = UInt64(arguments[3]),
            let first = Int(arguments[4])
        {
            try writeBlobs(database, seed: seed, from: first)
        } else if arguments[2] == "big-blob", let size = UInt64(arguments[3]) {
            try measureBlob(database, size: size)
        } else if try replicate(database, arguments) {
            // Done.
        } else if let seed = UInt64(arguments[2]), let first = Int(arguments[3]) {
            let count = arguments.count == 5 ? Int(arguments[4]) ?? 0 : 1_000_000
            try write(database, seed: seed, from: first, count: count)
        }
        try database.close()
    default:
        exit(64)
    }
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
