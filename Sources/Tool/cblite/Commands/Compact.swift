import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite compact`
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes unreferenced blobs and returns unused space to the file system.",
        discussion: """
            A file of an older release is upgraded first, as by all commands that write.

            EXAMPLES:
              $ cblite compact travel.cblite2

            With --json, one object: before and after, each {size, blobs}: the size of the database file and its log in bytes, \
            and the number of blobs.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (before, after) = try database.writing { database in
            let before = try database.storedSize()
            let bar = ProgressBar("Compacting", total: nil, unit: .items("page"))
            bar.showAtOnce()
            try bar.whileInterruptible(kept: "All documents are kept; a part of the unused space was returned.") { stop in
                try database.compact { done, total in
                    try stop.check()
                    bar.setTotal(total)
                    bar.updateNow(done)
                }
            }
            return (before, try database.storedSize())
        }
        // Not rounded, because different sizes could look alike.
        let (new, old) = (after.bytes.counted("byte"), before.bytes.counted("byte"))
        try output.print("Size \(new), previously \(old); \((before.blobs - after.blobs).counted("blob")) removed.") { writer in
            for (name, size) in [("before", before), ("after", after)] {
                writer.object(name, ["size": size.bytes, "blobs": size.blobs])
            }
        }
    }
}
