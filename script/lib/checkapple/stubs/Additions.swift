// What Darwin, the Objective-C runtime and Foundation declare on Apple's systems only, or with other types than on Linux, as far as the project
// uses it. script/check-apple adds this file to each target, because the declarations of a module hide those that it imports.
import Foundation
import Glibc

// MARK: Darwin

let F_FULLFSYNC: Int32 = 51
let RENAME_SWAP: Int32 = 2
let OPEN_MAX: Int32 = 10240
let RLIMIT_NOFILE: Int32 = 8
let SOCK_STREAM: Int32 = 1
let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000

struct _opaque_pthread_t {}
typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
typealias posix_spawnattr_t = UnsafeMutableRawPointer
typealias FileActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
typealias Attributes = UnsafeMutablePointer<posix_spawnattr_t?>
typealias Texts = UnsafePointer<UnsafeMutablePointer<CChar>?>

extension stat {
    var st_mtimespec: timespec { fatalError() }
}

func pthread_self() -> pthread_t { fatalError() }
func renamex_np(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!, _ flags: UInt32) -> Int32 { fatalError() }
func fclonefileat(_ source: Int32, _ folder: Int32, _ name: UnsafePointer<CChar>!, _ flags: UInt32) -> Int32 { fatalError() }
func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { fatalError() }
func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { fatalError() }
func socket(_ domain: Int32, _ type: Int32, _ protocol: Int32) -> Int32 { fatalError() }

func posix_spawn(
    _ process: UnsafeMutablePointer<pid_t>!,
    _ path: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
    _ attributes: UnsafePointer<posix_spawnattr_t?>!,
    _ arguments: Texts!,
    _ environment: Texts!
) -> Int32 { fatalError() }
@discardableResult func posix_spawn_file_actions_init(_ actions: FileActions!) -> Int32 { fatalError() }
@discardableResult func posix_spawn_file_actions_destroy(_ actions: FileActions!) -> Int32 { fatalError() }
@discardableResult func posix_spawn_file_actions_adddup2(_ actions: FileActions!, _ old: Int32, _ new: Int32) -> Int32 { fatalError() }
@discardableResult func posix_spawn_file_actions_addchdir_np(_ actions: FileActions!, _ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult func posix_spawnattr_init(_ attributes: Attributes!) -> Int32 { fatalError() }
@discardableResult func posix_spawnattr_destroy(_ attributes: Attributes!) -> Int32 { fatalError() }
@discardableResult func posix_spawnattr_setflags(_ attributes: Attributes!, _ flags: Int16) -> Int32 { fatalError() }
@discardableResult func posix_spawnattr_setsigmask(_ attributes: Attributes!, _ signals: UnsafePointer<sigset_t>!) -> Int32 { fatalError() }
@discardableResult func posix_spawnattr_setsigdefault(_ attributes: Attributes!, _ signals: UnsafePointer<sigset_t>!) -> Int32 { fatalError() }

// MARK: Objective-C

struct Selector: Equatable {}

func NSStringFromSelector(_ selector: Selector) -> String { fatalError() }
func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

// MARK: Foundation

extension NSSortDescriptor {
    var key: String? { fatalError() }
    var selector: Selector? { fatalError() }
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? { fatalError() }
}

extension PredicateExpressions {
    struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        typealias Output = Bool

        let root: Root
        let other: Other

        func evaluate(_ bindings: PredicateBindings) throws -> Bool { fatalError() }
    }

    struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        typealias Output = ComparisonResult

        let root: Root
        let other: Other

        func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult { fatalError() }
    }
}
