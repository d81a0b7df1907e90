/// How fast the original is, relative to the floor measured beside it: Couchbase Lite Core 3.2.4, C++, community edition, -O3, with its
/// bundled SQLite 3.46. Best of many runs on a quiet machine with two cores. Only such ratios can be compared between machines.
enum Reference {
    static let source = "Couchbase Lite Core 3.2.4, C++"

    /// The floor's seconds divided by the original's, by workload.
    static let speeds = [
        "insert_batch": 0.29,
        "insert_each": 0.45,
        "update_batch": 0.21,
        "read_random": 0.77,
        "query_scan": 2.78,
        "query_group": 2.16,
        "query_orderby": 2.03,
        "query_array": 3.94,
        "query_indexed": 1.08,
        "query_point": 0.34,
        "repl_local": 0.035,
    ]
}
