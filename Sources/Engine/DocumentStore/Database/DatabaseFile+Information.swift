import Base
import Fleece
import Foundation
import SQLiteEngine

extension DatabaseFile {
    /// Returns the 16 bytes of the ID shown to peers, or `nil` if the database has none (Storage format 2.6).
    package func publicUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.publicUUID, on: $0.connection) }
    }

    /// Returns the 16 bytes of the private ID, which is never sent to peers, or `nil` if the database has none (Storage format 2.6).
    package func privateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.privateUUID, on: $0.connection) }
    }

    /// Returns the 16 bytes of the private ID, which is created and stored if the database has none.
    package func ensuredPrivateUUID() throws -> [UInt8] {
        if let known = try privateUUID() { return known }
        return try transaction { writer in
            if let known = try InfoStore.bytes(InfoStore.privateUUID, on: writer.connection) { return known }
            let made = InfoStore.makeUUID()
            try InfoStore.set(InfoStore.privateUUID, to: made, on: writer.connection)
            return made
        }
    }

    /// Returns the 16 bytes of the private ID of the database from which this one was copied, or `nil` if it is not a copy (Storage format
    /// 2.6).
    package func previousPrivateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.previousPrivateUUID, on: $0.connection) }
    }

    /// The size of the database file and its log in bytes, without blobs.
    package var sizeOnDisk: UInt64 { BundlePath.size(of: bundle.sqliteFile) + bundle.logSize }
}

extension DatabaseFile {
    /// Returns the number of a remote database, with which trees refer to it (Storage format 3.9). A number is assigned at the first call.
    ///
    /// - Parameter url: The text that identifies the remote, as in checkpoint IDs.
    /// - Throws: `corrupt` if all numbers are assigned.
    package func remoteID(for url: String) throws -> Int {
        if let known = try knownRemoteID(for: url) { return known }
        return try transaction { writer in try remoteIDs(for: [url], in: writer)[0] }
    }

    /// Returns the numbers of remote databases, which are assigned to those that have none.
    ///
    /// - Throws: `corrupt` if all numbers are assigned.
    func remoteIDs(for urls: [String], in writer: Writer) throws -> [Int] {
        var remotes = try self.remotes(on: writer.connection)
        let knownCount = remotes.count
        var last = remotes.values.max() ?? 0
        var numbers: [Int] = []
        for url in urls {
            if let known = remotes[ExactString(url)] {
                numbers.append(known)
                continue
            }
            guard last < Int(RevisionTree.RemoteID.max) else {
                throw StoreError.corrupt(path: bundle.directory, reason: "it has too many remote databases")
            }
            last += 1
            remotes[ExactString(url)] = last
            numbers.append(last)
        }
        guard remotes.count > knownCount else { return numbers }
        var encoder = Encoder()
        encoder.beginDictionary()
        for (url, id) in remotes.sorted(by: { $0.value < $1.value }) {
            encoder.writeKey(url.string)
            encoder.write(Int64(id))
        }
        encoder.endDictionary()
        try InfoStore.set(InfoStore.remotes, to: encoder.finishedBytes(), on: writer.connection)
        return numbers
    }

    /// Returns the number of a remote database, or `nil` if none is assigned. Writes nothing.
    package func knownRemoteID(for url: String) throws -> Int? {
        try read { try remotes(on: $0.connection) }[ExactString(url)]
    }

    /// Returns the remote databases that have a number, with the texts that identify them, in the order of the numbers.
    package func knownRemotes() throws -> [(url: String, number: Int)] {
        try read { try remotes(on: $0.connection) }.map { ($0.key.string, $0.value) }.sorted { $0.1 < $1.1 }
    }

    /// Returns the numbers of the remote databases by the texts that identify them.
    func remotes(on connection: Connection) throws -> [ExactString: Int] {
        guard let bytes = try InfoStore.bytes(InfoStore.remotes, on: connection) else { return [:] }
        var remotes: [ExactString: Int] = [:]
        try bytes.withUnsafeBytes { bytes in
            do throws(FleeceError) {
                try Validator.validate(bytes)
            } catch {
                throw StoreError.corrupt(path: bundle.directory, reason: "list of remotes: \(error)")
            }
            guard let dictionary = Value(root: bytes)?.dictionary else { return }
            for (key, value) in dictionary.pairs {
                guard case .string(let url) = key, let id = value.int64,
                    (1...Int64(RevisionTree.RemoteID.max)).contains(id)
                else { continue }
                remotes[ExactString(String(decoding: url, as: UTF8.self))] = Int(id)
            }
        }
        return remotes
    }
}
