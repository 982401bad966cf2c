import Chronology
import Glibc
import Locator
import Logging
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `io.sextant.Receiver.Feed`: receivers whose sentences a program provides, mostly from a
/// network. Their bytes take the same way as those of a port.
final class FeedService: Service, ReceiverContributor {
    /// A provided receiver.
    private struct Feed {
        let id: ReceiverID
        let name: String
        let product: String?
    }

    /// The maximum number of provided receivers.
    private static let limit = 16
    /// Identifiers from this number on are not those of ports, also where Int has 32 bits.
    private static let firstID = 1 << 30

    let context: ServiceContext
    let methods = [ReceiverMethods.feed.name]
    private let location: LocationService
    private let sentences: SentenceService
    /// The receivers by the number of their session.
    private var feeds: [Int: Feed] = [:]
    private var nextID = FeedService.firstID

    init(_ context: ServiceContext, location: LocationService, sentences: SentenceService) {
        self.context = context
        self.location = location
        self.sentences = sentences
    }

    /// Adds the receiver. Its bytes follow when the upgrade is confirmed.
    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(ReceiverMethods.feed)
        do throws(ReceiverError) { try check(call, parameters, from: session) } catch { throw error.reply }
        guard parameters.hasDisplayableProduct else { throw ServiceError.invalid("product") }
        let feed = Feed(id: ReceiverID(nextID), name: parameters.name, product: parameters.product)
        nextID += 1
        feeds[session.number] = feed
        context.updateReferenceTime(at: loop.now)
        context.locator.attach(
            feed.id, name: feed.name, port: "feed:\(feed.name)", isAccessory: true, status: .open, at: loop.now)
        log.info("user \(session.peer.user) provides the receiver \(feed.name)")
        session.reply(to: ReceiverMethods.feed, NoParameters())
    }

    /// Checks whether a session may provide receivers, or corrections for them.
    func checkUser(of session: ClientSession) throws(ReceiverError) {
        let user = session.peer.user
        guard user == geteuid() || context.settings.feedUsers.contains(user) || permissions.mayBeChanged(by: session)
        else {
            throw .feedNotAllowed(
                detail: "user \(user) may not provide receivers: add it to receivers.feed_users in sextant.toml")
        }
    }

    private func check(
        _ call: Call, _ parameters: FeedParameters, from session: ClientSession
    ) throws(ReceiverError) {
        try checkUser(of: session)
        guard call.mode == .upgrade else { throw .upgradeRequired }
        guard feeds.count < FeedService.limit else { throw .tooManyFeeds(limit: FeedService.limit) }
        let name = parameters.name
        guard FeedParameters.isName(name) else {
            throw .invalidName(
                name: name, reason: "use 1 to 64 letters, digits, dots, hyphens and underscores")
        }
        guard !context.locator.receivers.hasReceiver(named: name) else {
            throw .invalidName(name: name, reason: "a receiver has this name")
        }
    }

    /// Processes bytes of the receiver that a session provides. Returns `false` if it provides
    /// none.
    func receive(_ bytes: UnsafeRawBufferPointer, from session: ClientSession, at now: Instant) -> Bool {
        guard let feed = feeds[session.number] else { return false }
        let result = context.locator.receive(
            bytes.bytes, from: feed.id, at: now, onFrame: sentences.observer(besides: nil))
        location.publish(result.updates, readFrom: feed.id)
        sentences.finishRead(receiver: feed.name, port: "feed:\(feed.name)")
        return true
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        guard let feed = feeds.removeValue(forKey: session.number) else { return }
        log.info("the receiver \(feed.name) is no longer provided")
        context.locator.detach(feed.id, at: now)
    }

    func addDetails(to message: inout Receiver, of id: ReceiverID) {
        guard id.rawValue >= FeedService.firstID else { return }
        message.network = true
        message.product = feeds.values.first { $0.id == id }?.product
    }
}
