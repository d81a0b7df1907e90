import DocumentStore
import Testing

@testable import Replication

@Suite("Checkpoint contents and reconciliation")
struct CheckpointTests {
    static func checkpoint(_ json: String) -> Checkpoint { Checkpoint(json: Array(json.utf8)) }

    @Test(
        "a checkpoint that is read and written again keeps its JSON",
        arguments: [
            #"{"time":7}"#,
            #"{"time":7,"local":17}"#,
            #"{"time":7,"local":17,"localCompleted":[0,18,20,1],"remote":"1200::1240"}"#,
            #"{"time":7,"remote":"\"quoted\" 12"}"#,
            #"{"time":7,"local":2,"remote":2}"#,
        ]
    )
    func roundTrip(json: String) {
        #expect(String(decoding: Self.checkpoint(json).json(time: 7), as: UTF8.self) == json)
    }

    @Test("localCompleted takes precedence over the local sequence of a checkpoint")
    func completedRanges() {
        let checkpoint = Self.checkpoint(#"{"local":99,"localCompleted":[0,18,20,1]}"#)
        #expect(checkpoint.completed.ranges == [0..<18, 20..<21])
        #expect(checkpoint.localMinimum == 17)
    }

    @Test("the ranges of localCompleted may be in any order, overlap and be empty, and end at the first invalid pair")
    func unorderedRanges() {
        let checkpoint = Self.checkpoint(#"{"localCompleted":[40,2,30,5,34,3,20,0,0,3,10,1,-1,2,60,1]}"#)
        #expect(checkpoint.completed.ranges == [0..<3, 10..<11, 30..<37, 40..<42])
        let descending = stride(from: 5000, to: 0, by: -1).map { "\(2 * $0),1" }.joined(separator: ",")
        let ranges = Self.checkpoint(#"{"localCompleted":[\#(descending)]}"#).completed.ranges
        #expect(ranges.count == 5001 && ranges[1] == 2..<3 && ranges.last == 10_000..<10_001)
    }

    @Test(
        "invalid values in a checkpoint are ignored",
        arguments: [
            "", "[]", "null", "{", #"{"local":-4}"#, #"{"local":"4"}"#, #"{"local":18446744073709551615}"#,
            #"{"localCompleted":[18446744073709551615,3]}"#, #"{"localCompleted":[-1,3]}"#, #"{"localCompleted":[5]}"#,
            #"{"remote":null}"#,
        ]
    )
    func nonsense(json: String) {
        #expect(Self.checkpoint(json) == Checkpoint())
    }

    // MARK: Reconciliation

    @Test(
        "a local checkpoint is reduced to what the peer's checkpoint confirms",
        arguments: [
            // the local checkpoint, the peer's checkpoint, the result, whether they agree
            (#"{"local":5,"remote":7}"#, #"{"local":5,"remote":7}"#, #"{"local":5,"remote":7}"#, true),
            (#"{"local":9}"#, #"{"local":5}"#, #"{"local":5}"#, false),
            (#"{"local":5}"#, #"{"local":9}"#, #"{"local":5}"#, false),
            (#"{"local":5,"remote":7}"#, "", #"{}"#, false),
            (#"{"localCompleted":[0,18,20,1]}"#, #"{"local":20}"#, #"{"localCompleted":[0,18,20,1]}"#, false),
            (#"{"remote":9}"#, #"{"remote":7}"#, #"{"remote":7}"#, false),
            (#"{"remote":7}"#, #"{"remote":9}"#, #"{"remote":7}"#, true),
            (#"{"remote":"7:8"}"#, #"{"remote":"7:8"}"#, #"{"remote":"7:8"}"#, true),
            (#"{"remote":"7:8"}"#, #"{"remote":9}"#, #"{"remote":"7:8"}"#, true),
            (#"{"remote":7}"#, #"{"remote":"7:8"}"#, #"{"remote":"7:8"}"#, false),
            (#"{"remote":"5::9"}"#, #"{"remote":8}"#, #"{"remote":"5::9"}"#, true),
            (#"{"remote":8}"#, #"{"remote":"5::9"}"#, #"{"remote":"5::9"}"#, false),
            (#"{"remote":"8"}"#, #"{"remote":8}"#, #"{"remote":"8"}"#, true),
            (#"{"remote":"some:thing"}"#, #"{"remote":9}"#, "{}", false),
            (#"{"remote":9}"#, #"{"remote":[1]}"#, "{}", false),
            (#"{"remote":7}"#, "{}", "{}", false),
            ("{}", #"{"remote":7}"#, "{}", true),
        ]
    )
    func reconciliation(ours: String, theirs: String, result: String, agree: Bool) {
        var checkpoint = Self.checkpoint(ours)
        #expect(checkpoint.reconcile(with: Self.checkpoint(theirs)) == agree)
        #expect(checkpoint == Self.checkpoint(result))
    }

    // MARK: Sequences of the peer

    @Test("a remote sequence keeps its JSON", arguments: ["12", "\"8::10\"", "[1,\"a\"]", "18446744073709551615", "-4"])
    func sequences(json: String) {
        #expect(RemoteSequence(json: json)?.json == json)
    }

    @Test("only non-negative integers are numeric remote sequences")
    func numbers() {
        #expect(RemoteSequence(json: "12")?.number == 12)
        #expect(RemoteSequence(json: "12") == RemoteSequence(12))
        #expect(RemoteSequence(json: "18446744073709551615")?.number == .max)
        #expect(RemoteSequence(json: "-4")?.number == nil)
        #expect(RemoteSequence(json: "\"12\"")?.number == nil)
    }

    @Test("invalid or overlong JSON is not a remote sequence")
    func badSequences() {
        #expect(RemoteSequence(json: "8::10") == nil)
        #expect(RemoteSequence(json: "") == nil)
        #expect(RemoteSequence(json: "+5") == nil)
        #expect(RemoteSequence(json: "007") == nil)
        #expect(RemoteSequence(json: "\"\(String(repeating: "1", count: 2000))\"") == nil)
    }
}
