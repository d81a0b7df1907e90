import ArgumentParser

/// `cblite completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a completion script for a shell.",
        discussion: """
            The script completes commands, options and file names.

            EXAMPLES:
              $ cblite completions bash > ~/.local/share/bash-completion/completions/cblite
              $ cblite completions zsh > ~/.zfunc/_cblite
              $ cblite completions fish > ~/.config/fish/completions/cblite.fish

            There is no --json: the output is a script.
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws {
        let output = Output()
        let shell: CompletionShell =
            switch self.shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try output.line(TerminalText(own: CBLite.completionScript(for: shell)))
        try output.flush()
    }
}
