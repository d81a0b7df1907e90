import Foundation

/// A new bundle that is built beside an existing one and replaces it atomically: at any time, even after a crash, there is either the
/// complete old bundle or the complete new one.
///
/// The new bundle is built in a ``ReplacementDirectory``, which is locked during that time, so that no other process removes it as a
/// leftover. The caller must ensure that nothing else has the bundle open, from the first read of the old content to the end of
/// ``install()``: see `Connection.withExclusiveAccess`.
package final class BundleReplacement {
    /// The system calls that install a bundle. Tests replace them to simulate failures, or to examine the state before each call.
    struct Calls {
        var exchange: (String, String) -> Bool = exchangeDirectories
        var rename: (String, String) -> Bool = { Foundation.rename($0, $1) == 0 }
        var synchronize: (String) -> Bool = { DocumentStore.synchronize($0) }
    }

    private let bundle: BundlePath
    private let locked: ReplacementDirectory.Locked
    private let calls: Calls
    /// The directory in which the new bundle is built; initially empty. All connections to a database in it must be closed before it is
    /// installed.
    package let unfinished: BundlePath
    private var directory: ReplacementDirectory { locked.directory }

    /// Creates the empty directory, and removes those that interrupted replacements of the bundle have left; see ``recover(_:)``.
    ///
    /// - Throws: `readOnlyMedium` or `system` if the directory cannot be created.
    package convenience init(of bundle: BundlePath) throws(StoreError) {
        Self.recover(bundle)
        try self.init(of: bundle, calls: Calls())
    }

    init(of bundle: BundlePath, calls: Calls) throws(StoreError) {
        self.bundle = bundle
        self.calls = calls
        locked = try ReplacementDirectory.make(for: bundle)
        unfinished = locked.directory.new
        // If this fails, `deinit` removes the directory.
        guard mkdir(unfinished.directory, 0o700) == 0 else { throw .current(bundle) }
    }

    deinit {
        directory.remove()
    }

    /// Replaces the old bundle by the new one, flushes the change to the medium, and removes the old bundle.
    ///
    /// - Parameter adopt: Called with the new bundle in its place, and before the old one is removed.
    /// - Throws: `readOnlyMedium` or `system`; `locked` while the old bundle is being copied; errors of `adopt`. After an error the old bundle
    ///   is in its place.
    package func install(_ adopt: () throws -> Void = {}) throws {
        try synchronizeFiles()
        // Fails if the old bundle is being copied, because the copy needs it.
        let guardOfOld: DirectoryLock
        do throws(DirectoryLock.Failure) {
            guardOfOld = try DirectoryLock(bundle.directory)
        } catch {
            throw StoreError(error, bundle)
        }
        if calls.exchange(bundle.directory, unfinished.directory) {
            do {
                // The old bundle must not be removed before the new one is known to be durable.
                guard synchronizeDirectories() else { throw StoreError.current(bundle) }
                try adopt()
            } catch {
                _ = calls.exchange(bundle.directory, unfinished.directory)
                throw error
            }
        } else {
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw StoreError.current(bundle) }
            try installInTwoSteps(adopt)
        }
        directory.remove()
        _ = consume guardOfOld
    }

    /// Moves a bundle that was built inside the unfinished directory to the target path, where nothing may exist, and flushes the change to
    /// the medium.
    ///
    /// - Throws: `alreadyExists`, `readOnlyMedium` or `system`.
    package func installAsNew(_ made: BundlePath) throws(StoreError) {
        try synchronizeFiles()
        guard calls.rename(made.directory, bundle.directory) else {
            throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
                ? .alreadyExists(path: bundle.directory) : .current(bundle)
        }
        guard synchronizeParent() else {
            let error = StoreError.current(bundle)
            _ = calls.rename(bundle.directory, made.directory)
            throw error
        }
    }

    /// Replaces the bundle on file systems that cannot exchange directories. If the process ends between the two steps, ``recover(_:)``
    /// restores the bundle that was set aside.
    private func installInTwoSteps(_ adopt: () throws -> Void) throws {
        guard calls.rename(bundle.directory, directory.setAside.directory) else { throw StoreError.current(bundle) }
        guard synchronizeDirectories(), calls.rename(unfinished.directory, bundle.directory) else {
            let error = StoreError.current(bundle)
            _ = calls.rename(directory.setAside.directory, bundle.directory)
            throw error
        }
        do {
            guard synchronizeDirectories() else { throw StoreError.current(bundle) }
            try adopt()
        } catch {
            _ = calls.rename(bundle.directory, unfinished.directory)
            _ = calls.rename(directory.setAside.directory, bundle.directory)
            throw error
        }
    }

    /// Flushes the names in both directories to the medium.
    private func synchronizeDirectories() -> Bool { calls.synchronize(directory.path) && synchronizeParent() }

    private func synchronizeParent() -> Bool {
        // A directory without read permission cannot be flushed.
        calls.synchronize(bundle.parent) || errno == EACCES
    }

    private func synchronizeFiles() throws(StoreError) {
        // The content of a directory is flushed before the directory.
        let paths = FileManager.default.subpaths(atPath: unfinished.directory) ?? []
        for path in paths.map({ unfinished.directory + "/" + $0 }).reversed() + [unfinished.directory] {
            guard calls.synchronize(path) else { throw .current(unfinished) }
        }
    }
}

// MARK: - After a crash

extension BundleReplacement {
    /// Restores a bundle that was set aside if a process ended between the two steps of a replacement. Removes leftovers of other
    /// interrupted replacements and deletions of the bundle, unless a process is still working on them.
    ///
    /// Called only before the bundle or its path is written. Opening a bundle read-only changes nothing.
    package static func recover(_ bundle: BundlePath) {
        for leftOver in ReplacementDirectory.all(of: bundle) {
            // The lock is held by a process that is still working on it.
            guard let lock = try? DirectoryLock(leftOver.path) else { continue }
            if leftOver.setAside.isDirectory {
                if !exists(bundle) {
                    guard rename(leftOver.setAside.directory, bundle.directory) == 0 else { continue }
                    _ = synchronize(bundle.parent)
                } else if leftOver.new.isDirectory {
                    // The bundle in its place is not a finished replacement, but was created by another process. The bundle set aside may
                    // be the only copy of its data.
                    continue
                }
            }
            leftOver.remove()
            _ = consume lock
        }
    }

    /// Returns the size of what has been written of replacements of a bundle so far, in bytes.
    package static func sizeOfUnfinished(_ bundle: BundlePath) -> UInt64 {
        ReplacementDirectory.all(of: bundle).reduce(0) { $0 + sizeOfFiles(in: $1.path) }
    }

    /// Returns the size of the files in a directory, at any depth, in bytes.
    package static func sizeOfFiles(in directory: String) -> UInt64 {
        let files = FileManager.default
        return (files.subpaths(atPath: directory) ?? []).reduce(0) { sum, path in
            // Files come and go while others write.
            let size = (try? files.attributesOfItem(atPath: directory + "/" + path))?[.size] as? NSNumber
            return sum &+ (size?.uint64Value ?? 0)
        }
    }

    /// Removes a bundle atomically: if the process ends during the removal, the remaining files are not recognized as a database.
    static func remove(_ bundle: BundlePath) throws(StoreError) {
        let locked = try ReplacementDirectory.make(for: bundle)
        var failure: StoreError?
        do throws(StoreError) {
            try move(bundle, to: locked.directory.deleted)
        } catch {
            failure = error
        }
        locked.directory.remove()
        _ = consume locked
        if let failure { throw failure }
    }

    private static func move(_ bundle: BundlePath, to path: BundlePath) throws(StoreError) {
        let lock: DirectoryLock
        do throws(DirectoryLock.Failure) {
            lock = try DirectoryLock(bundle.directory)
        } catch {
            throw StoreError(error, bundle)
        }
        guard rename(bundle.directory, path.directory) == 0 else { throw .current(bundle) }
        _ = consume lock
    }

    private static func exists(_ bundle: BundlePath) -> Bool { FileManager.default.fileExists(atPath: bundle.directory) }
}

extension StoreError {
    /// Returns the error of a bundle for the last system call, with its reason in `errno`.
    static func current(_ bundle: BundlePath) -> StoreError {
        StoreError(POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO), path: bundle.directory)
    }

    init(_ failure: DirectoryLock.Failure, _ bundle: BundlePath) {
        switch failure {
        case .missing: self = .missing(path: bundle.directory)
        case .taken: self = .locked(path: bundle.directory)
        case .system(let code): self = .system(path: bundle.directory, code: code)
        }
    }
}
