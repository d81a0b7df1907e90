import DocumentStore
import Fleece

extension OwnedBody {
    /// The body as JSON with sorted keys.
    var json: String {
        get throws { try data.withRoot { try JSON.string($0, sharedKeys: keys, form: .canonical) } ?? "" }
    }
}
