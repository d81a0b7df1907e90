# A formula for Homebrew. It is not built by the tests of the project.
class Cblite < Formula
  # The address of the repository, as in README.md. It is a placeholder until the first release; see "Releases" in CONTRIBUTING.md.
  REPOSITORY = "https://example.org/couchbase-lite-swift".freeze

  desc "Command-line tool for Couchbase Lite databases"
  homepage REPOSITORY
  license "Apache-2.0"
  head "#{REPOSITORY}.git", branch: "main"

  depends_on xcode: ["26.0", :build]
  depends_on "snowball"
  depends_on "sqlite"

  def install
    system "script/install", prefix
  end

  test do
    (testpath/"documents.jsonl").write '{"_id":"a","n":1}'
    system bin/"cblite", "import", "--create", "db", "documents.jsonl"
    assert_match "1", shell_output("#{bin}/cblite query --json db 'SELECT n FROM _'")
  end
end
