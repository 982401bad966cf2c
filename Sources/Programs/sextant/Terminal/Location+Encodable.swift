import SextantAPI
import Varlink

// The messages that `--json` prints.
extension AddReply: Encodable {}
extension AuthorizationRequestMessage: Encodable {}
extension Event: Encodable {}
extension ForgetReply: Encodable {}
extension ForgetVisitsReply: Encodable {}
extension ForwardReply: Encodable {}
extension GetConsumersReply: Encodable {}
extension GetLocationReply: Encodable {}
extension GetPowerReply: Encodable {}
extension ListGrantsReply: Encodable {}
extension Location: Encodable {}
extension NearestReply: Encodable {}
extension NeighbourMessage: Encodable {}
extension OpenReply: Encodable {}
extension PermissionDeniedError: Encodable {}
extension PlacemarksReply: Encodable {}
extension Receiver: Encodable {}
extension ConditionRecord: Encodable {}
extension RemoveReply: Encodable {}
extension SatelliteMessage: Encodable {}
extension SentencesReply: Encodable {}
extension SourcesReply: Encodable {}
extension StatusMessage: Encodable {}
extension SubscribeReply: Encodable {}
extension UnavailableCause: Encodable {}
extension UnconfirmedPortMessage: Encodable {}
extension UsageMessage: Encodable {}
extension Visit: Encodable {}
extension WatchHeadingReply: Encodable {}
extension WatchVisitsReply: Encodable {}
