import Base
import Fleece
import SQLiteEngine

/// Checks a database whose pages are damaged, reading them without SQLite: everything that is damaged is found, and everything that is not
/// is counted.
struct DamagedBundleChecker {
    private let file: DamagedFile

    init(_ file: DamagedFile) { self.file = file }

    /// Returns whether an error of SQLite or of the store means that the file is damaged, so that its pages may be read without SQLite.
    static func mayRead(after error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isCorrupt || error.isNotADatabase || error.isFailedRead
        case StoreError.notADatabase, StoreError.wrongFormat, StoreError.corrupt, StoreError.corruptDocument: true
        default: false
        }
    }

    /// Checks everything in a database that cannot be opened.
    func check(_ result: inout CheckResult, _ options: DatabaseFile.Options, _ progress: BundleChecker.Progress) throws {
        try checkPages(&result, options, progress)
        for note in file.notes { result.error(.file, "db.sqlite3", note) }
        if !file.tables.isComplete { result.error(.table, "the list of tables", "it is damaged") }
        for note in file.tables.notes {
            switch note {
            case .found(let message): result.warning(.table, "the list of tables", message)
            case .unnamed(let message): result.error(.table, "the list of tables", message)
            }
        }
        result.collections = Set(file.tables.documentTables.map(\.collection)).count
        let cipher = file.encryption.map { BlobCipher(key: $0.keys.blobs) }
        var blobs = BlobReferencesChecker(BlobStore(directory: file.bundle.attachments, cipher: cipher))
        try checkDocuments(of: nil, &result, &blobs, progress)
        try blobs.checkFiles(&result, progress)
    }

    /// Has SQLite check the pages, as far as it can.
    private func checkPages(
        _ result: inout CheckResult,
        _ options: DatabaseFile.Options,
        _ progress: BundleChecker.Progress
    ) throws {
        var found = result
        var interruption: (any Error)?
        file.withConnection { connection in
            // If not even the functions can be registered, the pages cannot be read, which is found later.
            guard (try? ConnectionContext(preparing: connection, options)) != nil else { return }
            // What it cannot check is found later.
            try? SQLiteFindings.add(to: &found, connection, file.bundle, file.encryption, OutdatedIndexes()) {
                do {
                    try progress($0)
                } catch {
                    interruption = error
                    throw error
                }
            }
        }
        if let interruption { throw interruption }
        result = found
    }

    /// Checks the documents of some collections; of all if `collections` is `nil`.
    func checkDocuments(
        of collections: Set<CollectionID>?,
        _ result: inout CheckResult,
        _ blobs: inout BlobReferencesChecker,
        _ progress: BundleChecker.Progress
    ) throws {
        let information = file.information
        let hasVersionVectors = information.hasVersionVectors || information[InfoStore.versioning] == nil
        var keys = SharedKeys.empty
        if let bytes = information[InfoStore.sharedKeys] {
            // If some collections could be read with SQLite, the shared keys have been checked.
            var ofKeys = CheckResult()
            keys = ofKeys.checkSharedKeys(bytes)
            if collections == nil { for finding in ofKeys.findings { result.add(finding) } }
        } else if !information.isComplete {
            result.error(.information, "shared keys", "they were not found: documents that use them cannot be read")
        }
        if collections == nil { result.sharedKeys = keys.count }
        var found = (result, blobs)
        var outsideTrees: [CollectionID: Int] = [:]
        try file.forEachDocument(of: collections) { document in
            let row = document.row
            let stored: StoredRow
            do throws(StoreError) {
                stored = try StoredRow(row)
            } catch {
                return found.0.error(.document, "\(document.collection.fullName)/\(row.id)", error.description)
            }
            var checker = CollectionChecker(document.collection, keys: keys, hasVersionVectors: hasVersionVectors)
            checker.check(stored, hasTombstoneTable: false, &found.0, &found.1)
            if document.isOutsideTrees { outsideTrees[document.collection, default: 0] += 1 }
            try progress(.documents(found.0.documents + found.0.tombstones, of: 0))
        } lost: { part in
            found.0.error(part.kind, part.subject, part.message)
        }
        (result, blobs) = found
        for (collection, count) in outsideTrees.sorted(by: { $0.key < $1.key }) {
            result.error(.table, collection.fullName, "\(count) of its documents are on pages that the table does not lead to any more")
        }
        // SQLite names some of these pages too.
        let pages = result.findings.filter { $0.kind == .page }
        let named = Set(exactly: pages.map { $0.subject.split(separator: " ").prefix(2).joined(separator: " ") })
        for damage in file.damages where !named.contains("page \(damage.page)") {
            result.error(.page, "page \(damage.page)", damage.message)
        }
    }
}
