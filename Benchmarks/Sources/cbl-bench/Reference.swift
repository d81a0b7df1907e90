/// How fast the original is, relative to the floor measured in turns with it: Couchbase Lite Core 3.2.4, C++, community edition, -O3, with its
/// bundled SQLite 3.46. Medians of five runs on a quiet machine with two cores, 2026-11-22. Only such ratios can be compared between machines.
enum Reference {
    static let source = "Couchbase Lite Core 3.2.4, C++"

    /// The floor's seconds divided by the original's, by workload.
    static let speeds = [
        "insert_batch": 0.36,
        "insert_each": 0.66,
        "insert_each_full": 0.88,
        "update_batch": 0.23,
        "read_random": 0.91,
        "query_scan": 2.59,
        "query_group": 2.57,
        "query_orderby": 2.37,
        "query_array": 3.18,
        "query_indexed": 1.05,
        "query_point": 0.62,
        "index_build_age": 2.83,
        "index_build_name": 2.13,
        "fts_insert": 0.2,
        "fts_build": 0.53,
        "fts_query": 0.55,
    ]
}
