import CFileFaults
import CouchbaseLiteSwift
import Foundation
import TestSupport

/// Simulates power failures at the syncs of a program, and checks the database on the resulting disk images.
struct CrashImages {
    let workload: Workload
    let seed: UInt64

    /// Creates images of `count` moments, or of all moments if `count` is `nil`, and returns their number and the problems found.
    func problems(count: Int?, _ progress: (Int) -> Void = { _ in }) throws -> (images: Int, problems: [String]) {
        let directory = try TemporaryDirectory(inMemory: true)
        let recorded = directory.path("recorded")
        try FileManager.default.createDirectory(atPath: recorded, withIntermediateDirectories: true)
        let root = URL(fileURLWithPath: recorded).resolvingSymlinksInPath().path
        ff_begin(root)
        do {
            try workload.run(in: root) { ff_mark($0) }
        } catch {
            ff_end()
            throw error
        }
        ff_end()
        return try examine(root, directory, count, progress)
    }

    /// Returns the moments before and after each sync, and the end.
    private func moments() -> [Int] {
        var moments: [Int] = []
        for index in 0..<ff_count() {
            let kind = Int(ff_entry_at(index).kind)
            if kind == Int(FF_SYNC) || kind == Int(FF_SYNC_DIRECTORY) { moments += [index, index + 1] }
        }
        return moments + [ff_count()]
    }

    private func examine(
        _ root: String,
        _ directory: TemporaryDirectory,
        _ count: Int?,
        _ progress: (Int) -> Void
    ) throws -> (images: Int, problems: [String]) {
        var generator = SeededGenerator(seed: seed)
        var chosen = Set(moments())
        if let count { chosen = Set(chosen.shuffled(using: &generator).prefix(count)) }
        var disk = RecordedDisk(root: root)
        var (images, problems, acknowledged) = (0, [String](), -1)
        for index in 0...ff_count() {
            if chosen.contains(index) {
                // If not all moments are tested, each is tested with only one kind of loss.
                let losses = count == nil ? RecordedDisk.Loss.allCases : [RecordedDisk.Loss.allCases[images % 4]]
                for loss in losses {
                    images += 1
                    let image = directory.url.appendingPathComponent("image\(images)")
                    try FileManager.default.createDirectory(at: image, withIntermediateDirectories: false)
                    try disk.writeImage(to: image, loss, &generator)
                    if let problem = problem(with: image.path, loss, acknowledged) {
                        problems.append("\(loss.rawValue), call \(index), after \(max(0, acknowledged)) steps: \(problem)")
                        keep(image, problems.count)
                    }
                    try? FileManager.default.removeItem(at: image)
                    progress(images)
                }
            }
            guard index < ff_count() else { break }
            let entry = ff_entry_at(index)
            if Int(entry.kind) == Int(FF_MARK) { acknowledged = entry.offset } else { disk.apply(entry) }
        }
        return (images, problems)
    }

    /// Keeps the image of a failure for inspection if the environment variable `FAULTS_KEEP` is set.
    private func keep(_ image: URL, _ number: Int) {
        guard let directory = ProcessInfo.processInfo.environment["FAULTS_KEEP"] else { return }
        let target = URL(fileURLWithPath: directory).appendingPathComponent("image-\(seed)-\(number)")
        try? FileManager.default.moveItem(at: image, to: target)
    }

    /// Returns the problem of an image; `nil` if there is none.
    ///
    /// - Parameter acknowledged: The number of steps that were acknowledged; -1 if not even the creation of the database was.
    private func problem(with image: String, _ loss: RecordedDisk.Loss, _ acknowledged: Int) -> String? {
        let done = max(0, acknowledged)
        // Nothing is lost when only the process is killed.
        let isDurable = workload.setting.fullSync || loss == .nothing
        let latest = min(done + 1, workload.steps.count)
        let allowed = (isDurable ? done : 0)...latest
        do {
            if workload.setting.fullSync, acknowledged >= 0,
                !FileManager.default.fileExists(atPath: "\(image)/\(Workload.name).cblite2/db.sqlite3")
            {
                return "the database is gone"
            }
            let database = try open(image, allowed)
            try database.performMaintenance(type: .integrityCheck)
            let state = try Workload.state(of: database)
            guard workload.states[allowed].contains(state) else {
                return "it holds \(state.count) documents, which is none of the states that it may have"
            }
            // The database can still be written to.
            try Workload.save(["after": Workload.Content(number: 1, blobSize: 100)], in: database)
            try database.close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func open(_ image: String, _ steps: ClosedRange<Int>) throws -> Database {
        var failure: (any Error)?
        for key in workload.keys(after: steps).reversed() {
            do {
                return try workload.open(in: image, key: key)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? Broken("there is no key")
    }
}
