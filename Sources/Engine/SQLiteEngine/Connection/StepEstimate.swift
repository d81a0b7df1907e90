import Base

/// Estimates how many steps of SQLite's virtual machine a statement takes that reads whole tables, from the program that `EXPLAIN` prints.
///
/// The estimate is used for progress bars only: other releases of SQLite may make other programs, and deleted rows are counted too.
package enum StepEstimate {
    private struct Instruction {
        let name: String
        let first: Int64
        let second: Int
    }

    /// Instructions that usually continue at another place: what follows them handles errors.
    private static let jumps = ["IsType", "Found", "NotNull", "IfPos", "IdxGT", "Next", "Goto"]
    /// What the full-text module takes for a row in addition.
    private static let stepsPerFullTextRow = 48

    /// Returns the number of steps of a statement; at least 1.
    ///
    /// - Throws: ``SQLiteError`` if the statement is invalid.
    package static func steps(of sql: String, on connection: Connection) throws -> Int {
        var program: [Instruction] = []
        let explanation = try connection.prepare("EXPLAIN \(sql)")
        defer { explanation.finalize() }
        while try explanation.step() {
            program.append(
                Instruction(
                    name: explanation.text(at: 1),
                    first: explanation.int64(at: 2),
                    second: Int(clamping: explanation.int64(at: 3))
                )
            )
        }
        var pages: [Int64: Int] = [:]
        var rows = 0
        var steps = 1
        for (place, instruction) in program.enumerated() {
            let start = instruction.second
            switch instruction.name {
            case "OpenRead", "OpenWrite": pages[instruction.first] = start
            case "Next" where start < place:
                guard let count = pages[instruction.first].flatMap({ rowCount(ofTableAt: $0, on: connection) }) else { continue }
                rows = count
                add(loop(program, start, place), times: rows, to: &steps)
            // These loops handle the rows that the loop before them has found.
            case "SorterNext" where start < place: add(loop(program, start, place), times: rows, to: &steps)
            case "Goto" where start < place && program[max(start, 0)].name == "Yield":
                add(loop(program, start, place), times: rows, to: &steps)
            default: continue
            }
        }
        return steps
    }

    /// Returns the number of steps in which SQLite rewrites a file.
    package static func stepsOfVacuum(on connection: Connection) throws -> Int {
        let tables = try connection.prepare(
            """
            SELECT rootpage, (SELECT count(*) FROM sqlite_master AS i WHERE i.type = 'index' AND i.tbl_name = t.name) \
            FROM sqlite_master AS t WHERE type = 'table' AND rootpage > 0
            """
        )
        defer { tables.finalize() }
        var steps = 1
        while try tables.step() {
            let indexes = Int(clamping: tables.int64(at: 1))
            let rows = rowCount(ofTableAt: Int(clamping: tables.int64(at: 0)), on: connection) ?? 0
            add(5 + 4 * min(indexes, 1_000), times: rows, to: &steps)
        }
        return steps
    }

    private static func add(_ count: Int, times rows: Int, to steps: inout Int) {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: rows)
        steps = isTooLarge ? .max : steps.addingReportingOverflow(product).overflow ? .max : steps + product
    }

    /// Returns the number of steps in a loop, as it is usually executed.
    private static func loop(_ program: [Instruction], _ start: Int, _ end: Int) -> Int {
        var place = max(start, 0)
        var count = 1
        while place < end {
            let instruction = program[place]
            count += instruction.name == "VUpdate" ? 1 + stepsPerFullTextRow : 1
            place = jumps.containsExactly(instruction.name) && instruction.second > place ? instruction.second : place + 1
        }
        return count
    }

    /// Returns about how many rows the table has whose tree begins at a page; `nil` if there is none, or if its rows have no numbers.
    private static func rowCount(ofTableAt page: Int, on connection: Connection) -> Int? {
        let statement = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = CAST(? AS INTEGER)"
        guard let name = try? connection.texts(statement, String(page)).first,
            let highest = try? connection.scalar("SELECT max(rowid) FROM \"\(name.doubling("\""))\"")
        else { return nil }
        return Int(clamping: min(max(highest, 0), Int64(Int32.max)))
    }
}
