"""The cases of the checks of declarations and their comments: their names, the files, and the expected findings."""

DECLARATION_CASES = [
    ("declarations with doc comments pass, and so do the exceptions, internal ones, and those in functions and strings", {"Sources/Low/A/A.swift": """\
package import B
/// One.
@available(macOS 15, *)
@frozen
public struct One: Hashable, Named {
    /// A name.
    package let name: String
    /// Joined.
    package let (a, b): (Int, Int), c = 1
    let hidden = \"\"\"
    package var text: Int
    \"\"\"
    /// Two.
    // Why.
    @inlinable package var two: Int { 2 }

    package init(called name: String = "{(", c: @escaping (Int) throws -> Void) {
        self.name = name
        (self.a, self.c) = (a, c)
    }
    package init() {}

    public static func == (left: One, right: One) -> Bool { true }
    package func hash(into hasher: inout Hasher) {
        enum Inner {
            case inner
        }
    }
    package func call<Value>(
        _ value: [Value],
        with label: Int
    ) -> Int { 0 }

    private enum CodingKeys { case name }
    class Two { func none() {} }
}

/// Named.
package protocol Named {
    /// Calls.
    func call<Value>(_ other: [Value], with: Int) -> Int
}

@available(*, deprecated, message: "Use One")
extension One { package typealias Old = Int }
@available(*, deprecated, renamed: "One")
extension One {
    package func old() {}
}
final class Three: One { package override func none() {} }
"""}, []),
    ("public and package declarations without doc comments are found, with their lines", {"Sources/High/B/B.swift": """\
package struct One {
    package private(set) var name = ""
    @usableFromInline public let (a, b) = (1, 2)
    public static func call(_ a: Int, b: Int) {}
    // A comment.
    package init(name: String) { self.name = name }
    /// Two.
    package init(two: Int) throws { self.two = two }
    package init(check name: String) {
        precondition(name != "")
    }
}
/// Two.
package enum Two: String {
    case one, two
    /// Three.
    case three
    package static func == (left: Two, right: Two) -> Bool { true }
}
/// Three.
package protocol Three {
    func four()
    associatedtype Five
}
extension Two: Three { package func four() {} }
extension Two: Three {
    package func four() {}
    public subscript(index: Int) -> Int { 0 }
}
"""}, [(f"Sources/High/B/B.swift:{line}:", reason + " has no doc comment") for line, reason in [
        (1, "struct One"), (2, "var name"), (3, "let (a, b)"), (4, "func call(_:b:)"), (6, "init(name:)"), (9, "init(check:)"), (15, "case one"), (18, "func =="),
        (22, "func four()"), (23, "associatedtype Five"), (25, "func four()"), (27, "func four()"), (28, "subscript(index:)")]]),
    ("comments of parameters and results pass that DocC accepts, and so do those of what it does not show", {
        "Sources/Low/A/A.docc/A.md": "# A\n\n- ``One``\n- ``Two``\n", "Sources/Low/A/A.swift": """\
/// One.
public struct One {
    /// Makes one.
    ///
    /// - Parameters:
    ///   - first: The first one:
    ///     - detail: of it.
    ///   - parameters: The second one,
    ///     described in two lines.
    /// - Returns: DocC accepts this for an initializer.
    @discardableResult
    public init(with first: Int, parameters: [String: Int] = ["(": 1]) throws {}
    /// Calls both, with no word about parameters.
    ///
    /// ```
    /// - Parameter none: This is code.
    /// ```
    public func call(_ a: Int, b: Int) {}
    /// Calls.
    ///
    /// - parameter a: One.
    /// - Parameter body: Another one.
    /// - returns: A result.
    public func call<Value>(
        _ a: Int,
        _ body: (_ value: Int) throws -> Value
    ) async rethrows
        -> Value? where Value: Sendable { nil }
    /// Reads.
    ///
    /// - Parameter key: A key.
    public subscript(key: Int) -> Int { 0 }
    /// A closure.
    ///
    /// - Parameter any: DocC accepts this.
    public var closure: (Int) -> Void { { _ in } }
    /// Hidden.
    ///
    /// - Parameter none: Nothing.
    package func hidden(a: Int) {}
}
/// Two.
public enum Two {
    /// A case.
    ///
    /// - Parameter none: Nothing.
    case one(Int)
}
""", "Sources/Low/B/B.swift": "/// Of a target without a catalogue.\n///\n/// - Parameter none: Nothing.\npublic func other(a: Int) {}\n"}, []),
    ("comments of parameters and results that DocC refuses are found, with their lines", {
        "Sources/Low/A/A.docc/A.md": "# A\n\n- ``One``\n", "Sources/Low/A/A.swift": """\
/// One.
public protocol One {
    /// Calls.
    ///
    /// - Parameters:
    ///   - b: The second one.
    ///   - c: No one.
    /// - Returns: Nothing.
    func call(a: Int, b: Int)
    /// Reads.
    ///
    /// - Parameter key: A key.
    /// - Parameter key: The same.
    subscript(key: Int, other: Int) -> Int { get }
}
extension One {
    /// Makes one.
    ///
    /// - Parameter with: A label.
    @available(*, deprecated)
    public init(with a: Int) {}
    /// Calls.
    ///
    /// - Parameter a: The first one.
    /// - Returns: Nothing.
    public func call(a: Int, _: Int) throws -> Void {}
}
"""}, [(f"Sources/Low/A/A.swift:{line}:", reason) for line, reason in [
        (7, "call(a:b:): there is no parameter c"), (8, "describes a result"), (9, "the parameter a is not documented"),
        (13, "subscript(key:other:): the parameter key is documented twice"), (14, "the parameter other is not documented"),
        (19, "init(with:): with is the label of the parameter a"), (25, "describes a result"), (26, "the parameter _ is not documented")]]),
]
