import Chronology
import NMEA
import SimulatedMachine

/// A caster of corrections: it knows version 1 or 2 of the protocol or both, refuses another one in
/// several ways, and is not always there.
final class NTRIPCaster: Actor {
    /// The host that the bridge connects to.
    static let host = "10.5.5.5"

    let name = "caster"
    private let listener: Int32
    private var random: RandomStream
    private var channel: Int32?
    private var request: [UInt8] = []
    private var isStreaming = false
    private var frameTime: Instant?
    private var changeTime: Instant? = .zero
    private var trouble = Trouble.none
    /// The versions that it knows. A caster is sometimes replaced.
    private var versions = Versions.both
    /// How many requests in a row it has refused for their version since it was replaced.
    private var refusedVersions = 0

    private enum Versions: CaseIterable { case one, two, both }

    private enum Trouble: CaseIterable { case none, isUnreachable, isSilent, closes, unauthorized, isBusy }

    init(_ plan: RunPlan, _ machine: Machine) throws(RunFailure) {
        random = RandomStream(seed: plan.seed, purpose: name)
        listener = try machine.listen(at: "tcp:\(NTRIPCaster.host):2101", name: "caster")
    }

    var deadline: Instant? { earliest(changeTime, frameTime) }

    func act(in world: World) {
        if let changeTime, changeTime <= world.now { change(in: world) }
        guard let frameTime, frameTime <= world.now else { return }
        self.frameTime = nil
        sendFrame(in: world)
    }

    private func change(in world: World) {
        changeTime = world.now + random.span(20..<3000)
        refusedVersions = 0
        trouble = random.chance(0.6) ? .none : random.element(of: Trouble.allCases) ?? .none
        if random.chance(0.3) { versions = random.element(of: Versions.allCases) ?? .both }
        world.trace.add(world.now, name, "\(trouble), version \(versions)")
        if trouble == .closes || trouble == .isUnreachable || random.chance(0.2) { drop(in: world) }
    }

    private func drop(in world: World) {
        if let channel { world.machine.close(channel, end: 1) }
        channel = nil
        request = []
        (isStreaming, frameTime) = (false, nil)
    }

    func receive(in world: World) {
        if world.machine.hasConnection(listener) {
            guard trouble != .isUnreachable else { return _ = world.machine.refuse(listener) }
            drop(in: world)
            channel = world.machine.accept(listener)
        }
        while let channel, world.machine.hasInput(on: channel, at: 1) {
            guard let bytes = world.machine.receive(on: channel, at: 1) else { return drop(in: world) }
            if bytes.isEmpty { return }
            world.trace.mix(bytes)
            guard !isStreaming else { continue }
            request += bytes
            if request.suffix(4).elementsEqual("\r\n\r\n".utf8) { answer(on: channel, in: world) }
        }
    }

    private func answer(on channel: Int32, in world: World) {
        let isOldRequest = String(decoding: request, as: UTF8.self).contains(part: "HTTP/1.0")
        request = []
        world.trace.add(world.now, name, "is asked in version \(isOldRequest ? 1 : 2)")
        switch trouble {
        case .isSilent: return
        case .unauthorized: return refuse("401 Unauthorized", on: channel, in: world)
        case .isBusy: return refuse("503 Service Unavailable", on: channel, in: world)
        case .none, .closes, .isUnreachable: break
        }
        if versions == (isOldRequest ? .two : .one) {
            refusedVersions += 1
            // The one version after the other is tried: the second attempt succeeds.
            world.require(
                refusedVersions < 3, 65, "\(refusedVersions) requests in a row had a version that the caster refuses")
            // Some close the connection, others send an error.
            return random.chance(0.5)
                ? drop(in: world)
                : refuse(
                    isOldRequest ? "400 Bad Request" : "505 HTTP Version Not Supported", on: channel, in: world)
        }
        refusedVersions = 0
        let head =
            isOldRequest
            ? "ICY 200 OK\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nNtrip-Version: Ntrip/2.0\r\nContent-Type: gnss/data\r\n\r\n"
        world.machine.send(Array(head.utf8), on: channel, from: 1)
        isStreaming = true
        frameTime = world.now + .seconds(1)
    }

    private func refuse(_ status: String, on channel: Int32, in world: World) {
        world.machine.send(Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8), on: channel, from: 1)
        drop(in: world)
    }

    private func sendFrame(in world: World) {
        guard let channel, isStreaming else { return }
        if trouble != .isSilent { world.machine.send(NTRIPCaster.frame, on: channel, from: 1) }
        frameTime = world.now + .seconds(1)
    }

    /// An RTCM frame of type 1005 (RTCM 10403): preamble, length, message, checksum.
    private static let frame: [UInt8] = {
        let body: [UInt8] = [0xD3, 0, 19, 0x3E, 0xD0, 0, 3] + [UInt8](repeating: 0, count: 15)
        return body + checksum(of: body)
    }()

    /// CRC-24Q.
    private static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = 0
        for byte in bytes {
            sum ^= UInt32(byte) << 16
            for _ in 0..<8 {
                sum <<= 1
                if sum & 0x100_0000 != 0 { sum ^= 0x186_4CFB }
            }
        }
        return [UInt8(sum >> 16 & 0xFF), UInt8(sum >> 8 & 0xFF), UInt8(sum & 0xFF)]
    }

    func endFaults(in world: World) {
        trouble = .none
        changeTime = nil
        drop(in: world)
    }

    func finish(in world: World) {
        // Without other use of the receiver, as at rest, the bridge has no connection.
        world.require(isStreaming || channel == nil, 65, "the bridge does not receive the stream of its caster")
    }
}
