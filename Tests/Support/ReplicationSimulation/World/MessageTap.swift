import BLIP
import SyncCore

/// Decodes the messages on a link and logs them.
package final class MessageTap {
    /// Decodes the messages that one side receives.
    private struct Listener: ~Copyable {
        var connection: BLIPConnection
        /// The number of the next request of the sender.
        var nextRequest: UInt64 = 1
        var requests: [RequestToken: UInt64] = [:]
        var profiles: [UInt64: String] = [:]
    }

    private var server: Listener
    private var client: Listener
    private let say: (String) -> Void

    package init(_ link: SimulatedLink, say: @escaping (String) -> Void) {
        var options = BLIPOptions()
        options.maximumOpenRequests = .max
        server = Listener(connection: BLIPConnection(options: options))
        client = Listener(connection: BLIPConnection(options: options))
        self.say = say
        link.onFrame = { [self] frame, isFromClient in hear(frame, isFromClient) }
    }

    private func hear(_ frame: [UInt8], _ isFromClient: Bool) {
        if isFromClient {
            Self.hear(frame, by: &server, repliesGoTo: &client, " →", say)
        } else {
            Self.hear(frame, by: &client, repliesGoTo: &server, " ←", say)
        }
    }

    private static func hear(
        _ frame: [UInt8],
        by listener: inout Listener,
        repliesGoTo speaker: inout Listener,
        _ arrow: String,
        _ say: (String) -> Void
    ) {
        // The first frame of a request: the sender's connection must expect a reply to it.
        if let (number, flags) = header(of: frame), flags & 0x07 == 0, number == listener.nextRequest {
            listener.nextRequest += 1
            let token = speaker.connection.send(OutgoingMessage(["Profile": "?"]))
            speaker.requests[token] = number
            while speaker.connection.nextFrame() != nil {}
        }
        do throws(BLIPError) {
            for event in try listener.connection.receive(frame) {
                switch event {
                case .request(let request):
                    speaker.profiles[request.number] = request.profile
                    say("\(arrow) #\(request.number) \(text(request.properties)) \(text(request.body))")
                case .reply(let token, let reply):
                    let number = listener.requests.removeValue(forKey: token) ?? 0
                    let profile = listener.profiles.removeValue(forKey: number) ?? ""
                    let error = reply.error.map { " ERROR \($0.description)" } ?? ""
                    say("\(arrow) reply #\(number) \(profile)\(error) \(text(reply.properties)) \(text(reply.body))")
                case .replyPart, .disconnected: break
                }
            }
        } catch {
            say("\(arrow) not understood: \(error)")
        }
    }

    private static func header(of frame: [UInt8]) -> (number: UInt64, flags: UInt8)? {
        var number: UInt64 = 0
        for (index, byte) in frame.enumerated() {
            number |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard byte & 0x80 != 0 else { return index + 1 < frame.count ? (number, frame[index + 1]) : nil }
        }
        return nil
    }

    private static func text(_ properties: Properties) -> String {
        properties.pairs.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    private static func text(_ body: [UInt8]) -> String {
        body.count > 2000 ? "(\(body.count) bytes)" : String(decoding: body, as: UTF8.self)
    }
}
