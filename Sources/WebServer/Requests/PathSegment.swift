#if Replication
import Foundation

/// The encoding of names in the paths of URLs.
package enum PathSegment {
    /// Returns a name as one segment of a path: everything except the unreserved ASCII characters is percent-encoded.
    package static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? name
    }
}
#endif
