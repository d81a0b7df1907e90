import Base
import DocumentStore
import Foundation

extension InspectedDatabase {
    /// `GET counters`: numbers that change, for charts. Costs a few small reads.
    func counters(_ request: APIRequest) throws -> APIResponse { .json(try counterValues()) }

    func counterValues() throws -> AnswerObject {
        let file = try file
        return [
            "collections": try collectionValues(counting: true),
            "size": file.sizeOnDisk, "memory": ProcessMemory.resident,
            "remotes": try remotes(file), "replication": source.replication?().json,
        ]
    }

    /// The databases with which this one has been replicated.
    private func remotes(_ file: DatabaseFile) throws -> [AnswerObject] {
        try file.knownRemotes().map { ["url": $0.url, "number": $0.number] }
    }
}

/// The memory of this process.
enum ProcessMemory {
    /// The memory in use, in bytes; `nil` if the system does not tell.
    static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        return numbers.count > 1 ? numbers[1] * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
    }
}
