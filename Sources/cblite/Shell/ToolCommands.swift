/// The commands of the tool to which the shell belongs.
struct ToolCommands: Sendable {
    let names: Set<String>
    /// Runs a command line, the first word of which is one of the names, for the database at a path.
    let run: @Sendable (_ words: [String], _ path: String) throws -> Void

    func unknown(_ name: String) -> Failure {
        let nearest =
            Suggestion.nearest(to: name, among: names.sorted())
            ?? Suggestion.nearest(to: name, among: ShellText.statements.sorted())
        return Failure(
            .usage,
            "there is no command \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""),
            hint: #"\? lists the commands. Statements begin with SELECT, UPDATE, DELETE, INSERT or UPSERT."#
        )
    }
}
