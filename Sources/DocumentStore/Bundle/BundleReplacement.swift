import Foundation

/// A new bundle that is put together beside an existing one and takes its place in one step: whatever ends the process, there
/// is either the whole old bundle or the whole new one.
///
/// The new bundle grows in `NAME.cblite2_TEMP` (Storage format 2.1), which is locked meanwhile, so that no other process takes
/// it for a left-over. Whoever replaces a bundle must see to it that nobody else has it open, from the first read of the old
/// content to the end of ``install()``: see `Connection.whileAlone`.
package final class BundleReplacement {
    private let bundle: BundlePath
    /// The directory in which the new bundle is to be made; empty at first. All connections to a database in it must be
    /// closed when it is installed.
    package let unfinished: BundlePath
    /// Nil once the bundle has been installed.
    private var lock: DirectoryLock?

    /// Makes the empty directory, or empties one that was left over.
    ///
    /// - Throws: `locked` when another process is replacing the bundle just now, `readOnlyMedium` or `system` when the
    ///   directory cannot be made.
    package init(of bundle: BundlePath) throws(StoreError) {
        self.bundle = bundle
        unfinished = bundle.unfinished
        lock = try Self.makeDirectory(unfinished.directory, bundle)
    }

    deinit {
        guard lock != nil else { return }
        try? FileManager.default.removeItem(atPath: unfinished.directory)
    }

    /// Lets the new bundle take the place of the old one, which is removed, and waits until that is durable.
    ///
    /// - Throws: `readOnlyMedium` or `system`; the old bundle is in its place then.
    package func install() throws(StoreError) {
        try install(exchange: exchangeDirectories)
    }

    /// - Parameter exchange: The system's function, or what a test puts in its place.
    func install(exchange: (String, String) -> Bool) throws(StoreError) {
        try synchronizeFiles()
        // From here on the old bundle has the same guard: it is the left-over.
        let guardOfOld: DirectoryLock
        do throws(DirectoryLock.Failure) {
            guardOfOld = try DirectoryLock(bundle.directory)
        } catch {
            throw StoreError(error, bundle)
        }
        let isExchanged = exchange(bundle.directory, unfinished.directory)
        if !isExchanged {
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw .current(bundle) }
            try installInTwoSteps()
        }
        _ = synchronize(bundle.parent)
        for old in [unfinished, bundle.setAside] { try? FileManager.default.removeItem(atPath: old.directory) }
        _ = consume guardOfOld
        lock = nil
    }

    /// Gives a bundle that was made inside the unfinished directory the name, which nothing else must have, and waits until that
    /// is durable.
    ///
    /// - Throws: `alreadyExists`, `readOnlyMedium` or `system`.
    func installAsNew(_ made: BundlePath) throws(StoreError) {
        try synchronizeFiles()
        guard rename(made.directory, bundle.directory) == 0 else {
            throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
                ? .alreadyExists(path: bundle.directory) : .current(bundle)
        }
        _ = synchronize(bundle.parent)
    }

    /// What is done where directories cannot change places. When the process ends between the two steps, the bundle is found
    /// set aside by ``recover(_:)``.
    private func installInTwoSteps() throws(StoreError) {
        guard rename(bundle.directory, bundle.setAside.directory) == 0 else { throw .current(bundle) }
        guard rename(unfinished.directory, bundle.directory) == 0 else {
            let error = StoreError.current(bundle)
            _ = rename(bundle.setAside.directory, bundle.directory)
            throw error
        }
    }

    private func synchronizeFiles() throws(StoreError) {
        // The directories after what is in them.
        let paths = FileManager.default.subpaths(atPath: unfinished.directory) ?? []
        for path in paths.map({ unfinished.directory + "/" + $0 }).reversed() + [unfinished.directory] {
            guard synchronize(path) else { throw .current(unfinished) }
        }
    }

    private static func makeDirectory(_ path: String, _ bundle: BundlePath) throws(StoreError) -> DirectoryLock {
        while true {
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .current(bundle) }
            do throws(DirectoryLock.Failure) {
                let lock = try DirectoryLock(path)
                for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
                    try? FileManager.default.removeItem(atPath: path + "/" + name)
                }
                return lock
            } catch .missing {
                // Somebody has cleaned it up in between.
                continue
            } catch {
                throw StoreError(error, bundle)
            }
        }
    }
}

// MARK: - After a crash

extension BundleReplacement {
    /// Brings a bundle back that was set aside when a process ended between the two steps of a replacement.
    package static func recover(_ bundle: BundlePath) {
        guard bundle.setAside.isDirectory, !exists(bundle), let lock = try? DirectoryLock(bundle.setAside.directory)
        else { return }
        _ = rename(bundle.setAside.directory, bundle.directory)
        _ = consume lock
    }

    /// Removes what interrupted replacements and deletions have left beside a bundle, unless somebody is at work there.
    static func removeLeftOvers(of bundle: BundlePath) {
        // What was set aside is all there is while nothing has taken its place.
        for leftOver in exists(bundle) ? [bundle.unfinished, bundle.setAside] : [bundle.unfinished] {
            guard let lock = try? DirectoryLock(leftOver.directory) else { continue }
            try? FileManager.default.removeItem(atPath: leftOver.directory)
            _ = consume lock
        }
    }

    /// Removes a bundle as a whole: when the process ends halfway, what is left of it is not taken for a database.
    static func remove(_ bundle: BundlePath) throws(StoreError) {
        removeLeftOvers(of: bundle)
        let lock: DirectoryLock
        do throws(DirectoryLock.Failure) {
            lock = try DirectoryLock(bundle.directory)
        } catch {
            throw StoreError(error, bundle)
        }
        guard rename(bundle.directory, bundle.unfinished.directory) == 0 else { throw .current(bundle) }
        do {
            try FileManager.default.removeItem(atPath: bundle.unfinished.directory)
        } catch {
            throw StoreError(error, path: bundle.directory)
        }
        _ = consume lock
    }

    private static func exists(_ bundle: BundlePath) -> Bool {
        FileManager.default.fileExists(atPath: bundle.directory)
    }
}

extension BundlePath {
    /// Where a new bundle grows that will replace this one (Storage format 2.1).
    var unfinished: BundlePath { BundlePath(directory + "_TEMP") }
    /// Where this one is for a moment while it is replaced on a file system that cannot exchange directories.
    var setAside: BundlePath { BundlePath(directory + "_OLD") }
    /// The directory that the bundle is in.
    var parent: String { URL(fileURLWithPath: directory).deletingLastPathComponent().path }
}

extension StoreError {
    /// What the last call of the operating system, with its reason in `errno`, means for a bundle.
    fileprivate static func current(_ bundle: BundlePath) -> StoreError {
        StoreError(POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO), path: bundle.directory)
    }

    fileprivate init(_ failure: DirectoryLock.Failure, _ bundle: BundlePath) {
        switch failure {
        case .missing: self = .missing(path: bundle.directory)
        case .taken: self = .locked(path: bundle.directory)
        case .system(let code): self = .system(path: bundle.directory, code: code)
        }
    }
}
