import Foundation

/// A new bundle that is put together beside an existing one and takes its place in one step: whatever ends the process, there
/// is either the whole old bundle or the whole new one.
///
/// The new bundle grows in a ``ReplacementDirectory``, which is locked meanwhile, so that no other process takes it for a left-over.
/// Whoever replaces a bundle must see to it that nobody else has it open, from the first read of the old content to the end of
/// ``install()``: see `Connection.whileAlone`.
package final class BundleReplacement {
    /// The calls of the operating system that put a bundle into its place. Tests have some of them fail, or look at what is there
    /// before each.
    struct Calls {
        var exchange: (String, String) -> Bool = exchangeDirectories
        var rename: (String, String) -> Bool = { Foundation.rename($0, $1) == 0 }
        var synchronize: (String) -> Bool = { DocumentStore.synchronize($0) }
    }

    private let bundle: BundlePath
    private let locked: ReplacementDirectory.Locked
    private let calls: Calls
    /// The directory in which the new bundle is to be made; empty at first. All connections to a database in it must be
    /// closed when it is installed.
    package let unfinished: BundlePath
    private var directory: ReplacementDirectory { locked.directory }

    /// Makes the empty directory.
    ///
    /// - Throws: `readOnlyMedium` or `system` when the directory cannot be made.
    package convenience init(of bundle: BundlePath) throws(StoreError) {
        try self.init(of: bundle, calls: Calls())
    }

    init(of bundle: BundlePath, calls: Calls) throws(StoreError) {
        self.bundle = bundle
        self.calls = calls
        locked = try ReplacementDirectory.make(for: bundle)
        unfinished = locked.directory.new
        // On failure the initializer's end removes what there is.
        guard mkdir(unfinished.directory, 0o700) == 0 else { throw .current(bundle) }
    }

    deinit {
        directory.remove()
    }

    /// Lets the new bundle take the place of the old one, waits until that is durable, and removes the old one.
    ///
    /// - Throws: `readOnlyMedium` or `system`; `locked` while the old bundle is being copied. The old bundle is in its place then.
    package func install() throws(StoreError) {
        try synchronizeFiles()
        // Somebody who copies the old bundle must come to the end first.
        let guardOfOld: DirectoryLock
        do throws(DirectoryLock.Failure) {
            guardOfOld = try DirectoryLock(bundle.directory)
        } catch {
            throw StoreError(error, bundle)
        }
        if calls.exchange(bundle.directory, unfinished.directory) {
            guard synchronizeDirectories() else {
                let error = StoreError.current(bundle)
                // As long as it is not known to be durable, the old one must not go.
                _ = calls.exchange(bundle.directory, unfinished.directory)
                throw error
            }
        } else {
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw .current(bundle) }
            try installInTwoSteps()
        }
        directory.remove()
        _ = consume guardOfOld
    }

    /// Gives a bundle that was made inside the unfinished directory the name, which nothing else must have, and waits until that
    /// is durable.
    ///
    /// - Throws: `alreadyExists`, `readOnlyMedium` or `system`.
    func installAsNew(_ made: BundlePath) throws(StoreError) {
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

    /// What is done where directories cannot change places. When the process ends between the two steps, the bundle is found
    /// set aside by ``settle(_:)``.
    private func installInTwoSteps() throws(StoreError) {
        guard calls.rename(bundle.directory, directory.setAside.directory) else { throw .current(bundle) }
        guard synchronizeDirectories(), calls.rename(unfinished.directory, bundle.directory) else {
            let error = StoreError.current(bundle)
            _ = calls.rename(directory.setAside.directory, bundle.directory)
            throw error
        }
        guard synchronizeDirectories() else {
            let error = StoreError.current(bundle)
            _ = calls.rename(bundle.directory, unfinished.directory)
            _ = calls.rename(directory.setAside.directory, bundle.directory)
            throw error
        }
    }

    /// Waits until the medium knows what stands where.
    private func synchronizeDirectories() -> Bool {
        calls.synchronize(directory.path) && synchronizeParent()
    }

    private func synchronizeParent() -> Bool {
        // A directory that may not be read cannot be synchronised.
        calls.synchronize(bundle.parent) || errno == EACCES
    }

    private func synchronizeFiles() throws(StoreError) {
        // The directories after what is in them.
        let paths = FileManager.default.subpaths(atPath: unfinished.directory) ?? []
        for path in paths.map({ unfinished.directory + "/" + $0 }).reversed() + [unfinished.directory] {
            guard calls.synchronize(path) else { throw .current(unfinished) }
        }
    }
}

// MARK: - After a crash

extension BundleReplacement {
    /// Brings a bundle back that was set aside when a process ended between the two steps of a replacement, and removes what other
    /// interrupted replacements and deletions of it have left, unless somebody is at work there.
    ///
    /// For those who are going to write; who only reads leaves everything as it is.
    package static func settle(_ bundle: BundlePath) {
        for leftOver in ReplacementDirectory.all(of: bundle) {
            guard let lock = try? DirectoryLock(leftOver.path) else { continue }
            if leftOver.setAside.isDirectory {
                if !exists(bundle) {
                    guard rename(leftOver.setAside.directory, bundle.directory) == 0 else { continue }
                    _ = synchronize(bundle.parent)
                } else if leftOver.new.isDirectory {
                    // Nothing has taken its place but what somebody else has put there: it may be all there is of it.
                    continue
                }
            }
            leftOver.remove()
            _ = consume lock
        }
    }

    /// Removes a bundle as a whole: when the process ends halfway, what is left of it is not taken for a database.
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

    private static func exists(_ bundle: BundlePath) -> Bool {
        FileManager.default.fileExists(atPath: bundle.directory)
    }
}

extension StoreError {
    /// What the last call of the operating system, with its reason in `errno`, means for a bundle.
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
