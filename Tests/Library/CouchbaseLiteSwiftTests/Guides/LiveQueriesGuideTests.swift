import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to live queries")
struct LiveQueriesGuideTests {
    @Test("the examples of the guide to live queries get changes, results and differences")
    func works() async throws {
        let folder = try DatabaseFolder()
        let database = try folder.open("travel")
        let collection = try database.createCollection(name: "airports")
        let queue = DispatchQueue(label: "guide")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func save(_ id: String, _ name: String, _ altitude: Int) throws {
            let document = MutableDocument(id: id).setString(name, forKey: "name").setInt(altitude, forKey: "altitude")
            try collection.save(document: document.setString("Bolivia", forKey: "country"))
        }
        func waitUntilPrinted(_ line: String) async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    printed.wait { $0.contains(line) }
                    continuation.resume()
                }
            }
        }
        try save("LPB", "El Alto", 13355)

        let query = try database.query(
            "SELECT meta().id, name FROM airports WHERE altitude > $altitude ORDER BY name"
        )
        query.parameters = Parameters().setInt(8000, forName: "altitude")

        let token = query.addChangeListener(withQueue: queue) { change in
            guard let results = change.results else {
                return print("cannot be run:", change.error as Any)
            }
            print(results.map { $0.string(forKey: "name") ?? "?" })
        }
        await waitUntilPrinted(#"["El Alto"]"#)
        try save("CBB", "Jorge Wilstermann", 8360)
        await waitUntilPrinted(#"["El Alto", "Jorge Wilstermann"]"#)
        let count = printed.all.count

        query.parameters = Parameters().setInt(13000, forName: "altitude")

        await waitUntilPrinted(#"["El Alto"]"#)
        query.parameters = Parameters().setInt(8000, forName: "altitude")
        #expect(count == 2)
        token.remove()

        struct Airport: Decodable, Sendable {
            let id: String
            let name: String
        }

        for try await results in query.results() {
            let airports = try results.data(as: Airport.self)
            print("there are", airports.count)
            if airports.count == 2 { break }
        }
        #expect(printed.all.last == "there are 2")

        try save("POI", "Capitán Nicolas Rojas", 12913)
        var names: [String] = []
        for try await difference in query.differences() {
            difference.apply(to: &names) { row in row.string(forKey: "name") ?? "?" }
            print(
                "removed",
                difference.removed,
                "inserted",
                difference.inserted,
                "moved",
                difference.moved.count
            )
            if names.count == 3 { break }
        }
        #expect(names == ["Capitán Nicolas Rojas", "El Alto", "Jorge Wilstermann"])

        let counts = try database.query(
            "SELECT country, count(*) AS airports FROM airports GROUP BY country"
        )
        let byCountry = counts.differences(by: .column("country"))
        for try await difference in byCountry {
            #expect(difference.rows.map { $0.int(forKey: "airports") } == [3])
            break
        }

        counts.minimumRunInterval = 2

        #expect(counts.minimumRunInterval == 2)
    }

    @MainActor
    @Test("the examples of the guide with values show memos that stay live")
    func values() async throws {
        let folder = try DatabaseFolder()
        let database = try folder.open("memos")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func save(_ id: String, _ title: String, isPinned: Bool) throws {
            let saved = try database.createCollection(name: "memos").models(Memo.self)
            try saved.save(Memo(id: id, title: title, isPinned: isPinned))
        }
        try save("memo-1", "groceries", isPinned: true)
        try save("memo-2", "books", isPinned: true)

        let memos = try database.createCollection(name: "memos").models(Memo.self)
        let pinned = memos.query(
            where: #Predicate { $0.isPinned },
            orderBy: [SortDescriptor(\.title)]
        )
        for try await current in pinned.live() {
            print(current.map(\.title))
            if current.count == 2 { break }
        }
        #expect(printed.all == [#"["books", "groceries"]"#])

        try save("memo-3", "films", isPinned: false)
        func show(_ memos: [Memo]) {
            print("\u{1B}[2J\u{1B}[H\(memos.count) memos")
            for memo in memos { print(memo.isPinned ? "*" : " ", memo.title) }
        }

        let all = memos.query(orderBy: [SortDescriptor(\.title)])
        for try await current in all.live() {
            show(current)
            if current.count == 3 { break }
        }
        #expect(printed.all.suffix(3) == ["* books", "  films", "* groceries"])

        let byInitial = memos.query(orderBy: [SortDescriptor(\.title)])
        for try await change in byInitial.live(sectionedBy: { $0.title.prefix(1) }) {
            for section in change.sections {
                print(section.key, section.models.map(\.title))
            }
            print("new:", change.insertedSections, change.inserted.map(\.item))
            break
        }
        #expect(printed.all.suffix(4) == [#"b ["books"]"#, #"f ["films"]"#, #"g ["groceries"]"#, "new: [0, 1, 2] []"])

        let list = LiveQuery(memos.query().live())
        let text = "groceries"
        let found = memos.query(where: #Predicate { $0.title.contains(text) })
        list.observe(found.live())
        await observe({ list.rows }, until: { $0.map(\.title) == ["groceries"] })

        let memo = LiveDocument(id: "memo-1", in: memos)
        print(memo.value?.title ?? "no such memo")
        await observe({ memo.value }, until: { $0?.title == "groceries" })
    }
}

struct Memo: Codable, Identifiable {
    @DocumentID var id: String?
    var title: String
    var isPinned = false
}

#if canImport(SwiftUI)
import SwiftUI

struct MemoList: View {
    @State private var memos: LiveQuery<Memo>
    @State private var sync: ReplicatorState

    init(_ memos: ModelCollection<Memo>, _ replicator: Replicator) {
        let all = memos.query(orderBy: [SortDescriptor(\.title)])
        _memos = State(initialValue: LiveQuery(all.live()))
        _sync = State(initialValue: ReplicatorState(replicator))
    }

    var body: some View {
        List(memos.rows) { memo in Text(memo.title) }
            .overlay { if memos.state == .loading { ProgressView() } }
            .navigationTitle(sync.activity == .busy ? "Syncing…" : "Memos")
    }
}
#endif

#if canImport(UIKit)
import UIKit

final class MemoListController: UITableViewController {
    private let saved: ModelCollection<Memo>
    private var memos: [Memo] = []
    private var task: Task<Void, Never>?

    init(_ saved: ModelCollection<Memo>) {
        self.saved = saved
        super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        let all = saved.query(orderBy: [SortDescriptor(\.title)]).live()
        task = Task { [weak self] in
            do {
                for try await change in all.differences() { self?.show(change) }
            } catch {
                self?.navigationItem.prompt = error.localizedDescription
            }
        }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        task?.cancel()
        memos = []
        tableView.reloadData()
    }

    private func show(_ change: ModelDifference<Memo>) {
        func paths(_ rows: [Int]) -> [IndexPath] { rows.map { [0, $0] } }
        tableView.performBatchUpdates { [self] in
            memos = change.models
            tableView.deleteRows(at: paths(change.removed), with: .automatic)
            tableView.insertRows(at: paths(change.inserted), with: .automatic)
            for move in change.moved {
                tableView.moveRow(at: [0, move.old], to: [0, move.new])
            }
        }
        tableView.reconfigureRows(at: paths(change.updated.map(\.new)))
    }
}
#endif
