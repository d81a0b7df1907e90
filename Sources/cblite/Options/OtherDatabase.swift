import ArgumentParser
import CouchbaseLiteSwift

/// The second database of a command that compares or merges two.
struct OtherDatabase: ParsableArguments {
    @Argument(help: "The directory of the other database.", completion: .directory) var other: String

    @Option(help: ArgumentHelp("The key of the other database, if it is encrypted.", valueName: "file"), completion: .file())
    var otherKeyFile: String?

    @Option(help: ArgumentHelp("The password of the other database: the first line of a file.", valueName: "file"), completion: .file())
    var otherPasswordFile: String?

    func validate() throws {
        guard otherKeyFile == nil || otherPasswordFile == nil else {
            throw ValidationError("Give one of --other-key-file and --other-password-file.")
        }
    }

    /// Returns the options for opening the database.
    ///
    /// - Parameter first: Those of the first database. Its key is used if the other database is encrypted and none is given for it.
    func opening(like first: Opening) throws -> Opening {
        let path = DatabasePath.existing(other)
        let given = try KeyOptions.key(keyFile: otherKeyFile, passwordFile: otherPasswordFile)
        let opening = Opening(path: path, busyTimeout: first.busyTimeout, key: given)
        guard given == nil, first.key != nil, try opening.isEncrypted() else { return opening }
        return Opening(path: path, busyTimeout: first.busyTimeout, key: first.key)
    }
}
