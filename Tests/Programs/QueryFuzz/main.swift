// Tests the query engine with random queries and texts, and version vectors with random histories:
//
//     QueryFuzz queries COUNT [SEED]     compares queries with the naive evaluator
//     QueryFuzz statements COUNT [SEED]  does the same with statements that change documents
//     QueryFuzz parsers COUNT [SEED]     parses texts with every parser
//     QueryFuzz collations COUNT [SEED]  compares pairs of texts under the Unicode collations of all languages
//     QueryFuzz vectors COUNT [SEED]     searches, changes and repairs files with damaged vector indexes
//     QueryFuzz versions COUNT [SEED]    compares version vectors with the model of complete histories
//     QueryFuzz documents COUNT [SEED]   imports, exports and imports documents with the tool `cblite`, which must be built
//
// The exit code is 1 if there were failures.
import DocumentStore
import Foundation
import QueryOracle
import TestSupport
import VersionHistories

#if DEBUG
/// Stack frames of unoptimized code are several times larger.
private let stackSize = 8 << 20
#else
/// The stack size of secondary threads on Apple platforms, so that the same code overflows here.
private let stackSize = 512 << 10
#endif

private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
}

private func fuzzParser(_ parser: FuzzedParser, _ count: Int, _ seed: UInt64) {
    onSmallStack {
        let outcome = ParserFuzzing.run(parser, count: count, seed: seed)
        for failure in outcome.failures { print(failure + "\n") }
        let milliseconds = Int(outcome.slowest.seconds * 1000)
        print("\(parser): \(outcome.accepted) accepted, \(outcome.refused) refused, slowest \(milliseconds) ms, seed \(seed)")
        // The limit is for a text of a few kilobytes.
        let isTooSlow = milliseconds > 1000
        if isTooSlow { print("too slow: \(outcome.slowest.text.debugDescription)") }
        if isTooSlow || !outcome.failures.isEmpty { exit(1) }
    }
}

/// Prints how many of the compared queries or statements have each feature.
private func printCounts<Feature>(_ counts: [Feature: Int]) where Feature: RawRepresentable<String> {
    print(counts.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", "))
}

setenv("TZ", "UTC", 1)
let arguments = CommandLine.arguments
let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : UInt64.random(in: 0...(.max))
switch arguments.count > 1 ? arguments[1] : "" {
case "queries" where count > 0:
    let outcome = try RandomQueries.run(count: count, seed: seed, maximumDifferences: 5)
    for difference in outcome.differences { print(difference + "\n") }
    let found = "\(outcome.unspecified) more unspecified, \(outcome.differences.count) differences"
    printCounts(outcome.features)
    print("queries: \(outcome.compared) compared, \(found), seed \(seed)")
    if !outcome.differences.isEmpty { exit(1) }
case "statements" where count > 0:
    let outcome = try RandomStatements.run(count: count, seed: seed, maximumDifferences: 5)
    for difference in outcome.differences { print(difference + "\n") }
    let found = "\(outcome.unspecified) more unspecified, \(outcome.differences.count) differences"
    printCounts(outcome.features)
    print("statements: \(outcome.compared) compared, \(found), seed \(seed)")
    if !outcome.differences.isEmpty { exit(1) }
case "documents" where count > 0:
    var (done, values) = (0, 0)
    while done < count {
        var roundTrip = DocumentRoundTrip(try ProcessRunner(product: "cblite"), seed: seed &+ UInt64(done))
        let outcome = try roundTrip.run(count: min(count - done, 10_000))
        for failure in outcome.failures.prefix(5) { print(failure + "\n") }
        if !outcome.failures.isEmpty {
            print("documents: \(outcome.failures.count) failures, seed \(seed)")
            exit(1)
        }
        done += min(count - done, 10_000)
        values += outcome.values
    }
    print("documents: \(done) with \(values) values, no differences, seed \(seed)")
case "parsers" where count > 0:
    for parser in FuzzedParser.allCases { fuzzParser(parser, count, seed) }
case "collations" where count > 0:
    let outcome = RandomCollations.run(count: count, seed: seed)
    for failure in outcome.failures { print(failure + "\n") }
    print("collations: \(outcome.compared) pairs compared, \(outcome.locales) locales, \(outcome.failures.count) failures, seed \(seed)")
    if !outcome.failures.isEmpty { exit(1) }
case "vectors" where count > 0:
    let outcome = try DamagedVectorIndexes.run(count: count, seed: seed)
    for failure in outcome.failures { print(failure + "\n") }
    print("vectors: \(outcome.files) damaged files, \(outcome.errors) errors, \(outcome.failures.count) failures, seed \(seed)")
    if !outcome.failures.isEmpty { exit(1) }
case "versions" where count > 0:
    let outcome = RandomHistories.run(count: count, seed: seed)
    for difference in outcome.differences { print(difference + "\n") }
    let relations: [RevisionOrder] = [.same, .older, .newer, .conflicting]
    print(relations.map { "\($0) \(outcome.compared[$0] ?? 0)" }.joined(separator: ", "))
    print("versions: \(count) histories, \(outcome.differences.count) differences, seed \(seed)")
    if !outcome.differences.isEmpty { exit(1) }
default:
    print("usage: QueryFuzz queries|statements|parsers|documents|collations|vectors|versions COUNT [SEED]")
    exit(64)
}
