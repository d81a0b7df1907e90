import CouchbaseLiteSwift
import Foundation
import TestSupport

// Many threads of two processes save, delete, batch and listen on one database; then the program checks that no change was lost or
// partly visible, and that the notifications had the correct order:
//
//     DatabaseStress SECONDS SEED                        creates a database, and starts the second process
//     DatabaseStress SECONDS SEED DIRECTORY              runs the second process
//
// The first process prints a summary and each problem on a line, and exits with 1 if there are problems.

/// Runs both processes, and returns the problems.
func runFirst(seconds: Double, seed: UInt64) async throws -> [String] {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    try Participant.createDatabase(in: path)
    let first = try Participant("first", directory: path, seed: seed)
    let executable = ProcessRunner(executable: URL(fileURLWithPath: CommandLine.arguments[0]))
    let second = try executable.start(["\(seconds)", "\(seed)", path])
    first.work(seconds: seconds)

    let result = await second.result
    let lines = result.outputLines
    guard result.exitCode == 0, lines.count >= 2, let counted = Int(lines[0]), let ordered = Int(lines[1]) else {
        return ["the second process ended with \(result.ending): \(result.errorOutput)"]
    }
    var problems = Array(lines.dropFirst(2))
    problems += try await first.finish(elsewhere: Participant.Done(counted: counted, ordered: ordered))
    problems += try Participant.vectorProblems(in: path)
    problems += try DatabaseChecker.check(directory.url.appendingPathComponent("db.cblite2")).problems
    print("seed \(seed): \(first.operations) operations; counted \(first.done.counted) here, \(counted) there")
    return problems
}

/// Runs the second process, and prints its counts and problems.
func runSecond(seconds: Double, seed: UInt64, directory: String) async throws {
    let participant = try Participant("second", directory: directory, seed: seed &+ 1)
    participant.work(seconds: seconds)
    let problems = try await participant.finish(elsewhere: nil)
    print(participant.done.counted, participant.done.ordered, separator: "\n")
    for problem in problems { print(problem) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, let seconds = Double(arguments[1]), let seed = UInt64(arguments[2]) else { exit(64) }
if arguments.count == 4 {
    try await runSecond(seconds: seconds, seed: seed, directory: arguments[3])
} else {
    let problems = try await runFirst(seconds: seconds, seed: seed)
    for problem in problems { print(problem) }
    exit(problems.isEmpty ? 0 : 1)
}
