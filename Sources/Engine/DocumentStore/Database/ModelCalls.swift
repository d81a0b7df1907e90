import Base
import Foundation
import SQLiteEngine

/// Marks the calling thread as being inside of a predictive model of the app, which SQL functions call (Vector search PR-4).
///
/// The model may read, also the file whose statement is calling it. It cannot write: the statement is in progress, and the thread may hold a
/// connection that a writer waits for.
package enum ModelCallMark {
    /// The most calls of models inside of each other on one thread. More would end in a stack overflow.
    package static let maximumDepth = 8

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // If no key can be created, calls are not counted.
        pthread_key_create(&key, nil)
        return key
    }()

    /// The number of calls that the thread is inside of.
    package static var depth: Int { Int(bitPattern: pthread_getspecific(key)) }

    fileprivate static func whileCallingModel<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = depth
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer + 1))
        defer { pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer)) }
        return try body()
    }
}

extension ConnectionContext {
    /// Runs `body`, which calls a predictive model while a statement of this connection is running. The model may run statements of its own on
    /// the connection, for which the settings of the running one do not apply.
    package func whileCallingModel<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = evaluation
        (evaluation.isCreatingIndex, evaluation.isAnsweringQuery, evaluation.defersTexts) = (false, false, false)
        defer {
            (evaluation.isCreatingIndex, evaluation.isAnsweringQuery) = (outer.isCreatingIndex, outer.isAnsweringQuery)
            evaluation.defersTexts = outer.defersTexts
            adoptLocalZone(of: outer.localZone)
        }
        return try ModelCallMark.whileCallingModel(body)
    }
}
