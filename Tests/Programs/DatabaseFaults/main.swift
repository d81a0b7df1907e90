import CFileFaults
import Foundation

// Tests a database with power failures, failing system calls and a full disk, and prints what was lost or damaged.
//
//     DatabaseFaults available             exits with 0 if system calls can be intercepted on this system, otherwise with 69
//     DatabaseFaults images SEED COUNT     tests power failures at COUNT moments for each setting; 0 for all moments
//     DatabaseFaults calls SEED COUNT      makes COUNT calls fail for each setting; 0 for every call

let settings = [
    Workload.Setting(isEncrypted: false, fullSync: false), Workload.Setting(isEncrypted: false, fullSync: true),
    Workload.Setting(isEncrypted: true, fullSync: false), Workload.Setting(isEncrypted: true, fullSync: true),
    Workload.Setting(hasVectors: true), Workload.Setting(isEncrypted: true, hasVectors: true),
]

func usage() -> Never {
    FileHandle.standardError.write(Data("usage: DatabaseFaults available | images SEED COUNT | calls SEED COUNT\n".utf8))
    exit(64)
}

let arguments = CommandLine.arguments.dropFirst()
guard let command = arguments.first else { usage() }
guard ff_is_available() != 0 else {
    print("Calls of the operating system cannot be seen here.")
    exit(69)
}
if command == "available" { exit(0) }
guard arguments.count == 3, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else { usage() }

var problemCount = 0
@MainActor func report(_ setting: Workload.Setting, _ problems: [String]) {
    for problem in problems { print("\(setting.description), seed \(seed): \(problem)") }
    problemCount += problems.count
}

switch command {
case "images":
    for setting in settings {
        let workload = Workload(setting, seed: seed, stepCount: count == 0 ? 60 : 12)
        let (images, problems) = try CrashImages(workload: workload, seed: seed).problems(count: count == 0 ? nil : count)
        report(setting, problems)
        print("\(setting.description): \(images) images, \(problems.count) problems")
    }
case "calls":
    for setting in settings where !setting.fullSync {
        let faults = FailingCalls(workload: Workload(setting, seed: seed, stepCount: count == 0 ? 30 : 10))
        let calls = try faults.callCount()
        for failure in FailingCalls.Failure.allCases {
            // Evenly distributed over all calls.
            let chosen = count == 0 || count >= calls ? Array(1...calls) : (0..<count).map { 1 + $0 * calls / count }
            let problems = try chosen.compactMap { try faults.problem(failure, call: $0) }
            report(setting, problems)
            print("\(setting.description), \(failure.rawValue): \(chosen.count) of \(calls) calls failed, \(problems.count) problems")
        }
    }
default: usage()
}
exit(problemCount == 0 ? 0 : 1)
