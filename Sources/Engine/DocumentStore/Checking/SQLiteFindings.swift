import Base
import SQLiteEngine

/// The findings of SQLite's own check, with the page, table or index that each message names.
struct SQLiteFindings {
    private static let maximumMessages = 1000
    private let owners: PageOwners?
    private let tablesOfRoots: [Int: String]
    private let usableSize: Int?

    /// Runs SQLite's check, and adds what it finds. Takes about the time of reading the file once or twice.
    ///
    /// - Throws: The error of SQLite if it cannot go on.
    static func add(
        to result: inout CheckResult,
        _ connection: Connection,
        _ bundle: BundlePath,
        _ encryption: EncryptedFileSystem?,
        _ outdated: OutdatedIndexes,
        _ progress: BundleChecker.Progress
    ) throws {
        // There can be a message for each entry of an index that was made for another order or time zone.
        let sql = "PRAGMA integrity_check(\(outdated.isEmpty ? maximumMessages : Int(Int32.max)))"
        let pages = Int(clamping: (try? connection.scalar("PRAGMA page_count")) ?? 0)
        // A damaged file has no estimate.
        let total = Double((try? StepEstimate.steps(of: sql, on: connection)) ?? 0)
        try progress(.pages(0, of: pages))
        try connection.reportingSteps { steps in
            if total > 1 { try progress(.pages(Int(min(Double(steps) / total, 1) * Double(pages)), of: pages)) }
        } _: {
            try add(to: &result, sql, connection, bundle, encryption, outdated)
        }
    }

    private static func add(
        to result: inout CheckResult,
        _ sql: String,
        _ connection: Connection,
        _ bundle: BundlePath,
        _ encryption: EncryptedFileSystem?,
        _ outdated: OutdatedIndexes
    ) throws {
        let statement = try connection.prepare(sql)
        defer { statement.finalize() }
        var texts: Self?
        var unused: [Int] = []
        var maps: Set<Int> = []
        var incomplete: Set<ExactString> = []
        var count = 0
        defer {
            for index in incomplete.sorted() { result.warning(.index, "index \(index.string)", outdatedMessage) }
            result.addUnusedPages(unused)
            for page in maps.sorted() { result.error(.page, "page \(page)", "the map of pages is damaged") }
            if !maps.isEmpty { result.hasDamagedPages = true }
        }
        while try statement.step() {
            for line in statement.text(at: 0).split(separator: "\n") where line != "ok" && !line.hasPrefix("***") {
                if texts == nil { texts = SQLiteFindings(connection, bundle, encryption) }
                if let page = unusedPage(line) {
                    unused.append(page)
                    continue
                }
                if let page = pageOfMap(line, usableSize: texts?.usableSize) {
                    maps.insert(page)
                    continue
                }
                guard let finding = texts?.finding(String(line)) else { continue }
                if finding.kind == .index, let index = outdated.names.first(where: { finding.subject.isExactly("index " + $0.string) }) {
                    incomplete.insert(index)
                    continue
                }
                guard count < maximumMessages else { continue }
                count += 1
                if finding.kind == .page || finding.kind == .file { result.hasDamagedPages = true }
                result.add(finding)
            }
        }
    }

    private static let outdatedMessage = """
        it was made for another order of texts or another time zone, or another program has changed it; it is not used before it is rebuilt, \
        when the database is opened for writing
        """

    /// Returns the page of a message `Page 9 is never used` or `Page 9: never used`.
    private static func unusedPage(_ message: Substring) -> Int? {
        guard message.hasPrefix("Page "), message.hasSuffix("never used") else { return nil }
        return Int(message.dropFirst(5).prefix { $0.isNumber })
    }

    /// Returns the page of the map that a message `Failed to read ptrmap key=9` or `Bad ptr map entry key=9 …` is about (SQLite, "Database
    /// File Format" 1.8).
    private static func pageOfMap(_ message: Substring, usableSize: Int?) -> Int? {
        guard let usableSize,
            message.hasPrefix("Failed to read ptrmap key=") || message.hasPrefix("Bad ptr map entry key="),
            let number = Int(message.drop { $0 != "=" }.dropFirst().prefix { $0.isNumber }), number > 2
        else { return nil }
        let distance = usableSize / 5 + 1
        return (number - 2) / distance * distance + 2
    }

    private init(_ connection: Connection, _ bundle: BundlePath, _ encryption: EncryptedFileSystem?) {
        var roots: [Int: String] = [:]
        // In a damaged file this may fail at any point; then messages name the numbers of trees only.
        if let statement = try? connection.prepare("SELECT rootpage, name FROM sqlite_master WHERE rootpage > 0") {
            defer { statement.finalize() }
            while (try? statement.step()) == true { roots[Int(clamping: statement.int64(at: 0))] = statement.text(at: 1) }
        }
        tablesOfRoots = roots
        // Without the pages, their owners are not named.
        let pages = try? PageFile(bundle, encryption)
        usableSize = pages?.usableSize
        owners = pages.map { PageOwners($0, roots: roots.keys.sorted()) }
    }

    /// Finds what a message is about: `Tree 5 page 7 cell 3: …`, `On tree page 7 cell 3: …`, `row 4 missing from index x`, `Page 9: …`, and since
    /// 3.52 of an entry at another place of an index than that for its key, `index x stores an imprecise floating-point value for row 4`.
    private func finding(_ message: String) -> Finding {
        let words = message.split(whereSeparator: { $0 == " " || $0 == ":" })
        func number(after word: String) -> Int? {
            zip(words, words.dropFirst()).first { $0.0.lowercased() == word && Int($0.1) != nil }.flatMap { Int($0.1) }
        }
        if let page = number(after: "page") {
            let table = (number(after: "tree") ?? owners?.root(ofPage: page)).flatMap { tablesOfRoots[$0] }
            let subject = "page \(page)" + (table.map { " of \($0)" } ?? "")
            return Finding(severity: .error, kind: .page, subject: subject, message: message)
        }
        if ["row", "wrong", "non-unique"].contains(words.first), let mark = words.lastIndex(of: "index"), mark + 1 < words.count {
            let name = message[words[mark + 1].startIndex...]
            return Finding(severity: .error, kind: .index, subject: "index \(name)", message: message)
        }
        if let name = message.wholeMatch(of: /index (.+) stores an imprecise floating-point value for row -?\d+/)?.1 {
            return Finding(severity: .error, kind: .index, subject: "index \(name)", message: message)
        }
        return Finding(severity: .error, kind: .file, subject: "db.sqlite3", message: message)
    }
}

extension CheckResult {
    /// Adds one finding for all pages that do not belong to anything: below a damaged page, these can be many.
    fileprivate mutating func addUnusedPages(_ pages: [Int]) {
        guard !pages.isEmpty else { return }
        var ranges: [ClosedRange<Int>] = []
        for page in pages.sorted() {
            if let last = ranges.last, page == last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...page
            } else {
                ranges.append(page...page)
            }
        }
        let names = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        hasDamagedPages = true
        let subject = pages.count == 1 ? "1 page" : "\(pages.count) pages"
        error(.page, subject, "no table, index or list of free pages leads to them: \(names.joined(separator: ", "))")
    }
}
