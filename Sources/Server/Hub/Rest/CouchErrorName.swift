#if Replication
/// The names of errors of single documents in the responses to `_bulk_docs` and `_bulk_get`, as CouchDB and Sync Gateway give them. They differ
/// from those of whole responses: clients of CouchDB decide by them.
enum CouchErrorName {
    /// Returns the name for a status.
    static func of(_ status: Int) -> String {
        switch status {
        case 400: "bad_request"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "not_found"
        case 409: "conflict"
        // The only thing that a document can lack is the content of an attachment.
        case 412: "missing_stub"
        case 413: "too_large"
        case 503: "service_unavailable"
        default: "internal_server_error"
        }
    }
}
#endif
