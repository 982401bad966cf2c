import SextantAPI
import Varlink

// The messages that `--json` prints.
extension Addition: Encodable {}
extension AgentRequest: Encodable {}
extension Event: Encodable {}
extension ForgetReply: Encodable {}
extension ForgetVisitsReply: Encodable {}
extension ForwardReply: Encodable {}
extension Consumers: Encodable {}
extension RecentLocation: Encodable {}
extension Power: Encodable {}
extension ListGrantsReply: Encodable {}
extension Location: Encodable {}
extension Neighbourhood: Encodable {}
extension Neighbour: Encodable {}
extension OpenReply: Encodable {}
extension PermissionDeniedError: Encodable {}
extension PlacemarksReply: Encodable {}
extension Receiver: Encodable {}
extension ConditionRecord: Encodable {}
extension RemoveReply: Encodable {}
extension Satellite: Encodable {}
extension SentencesReply: Encodable {}
extension SourcesReply: Encodable {}
extension Status: Encodable {}
extension SubscribeReply: Encodable {}
extension Cause: Encodable {}
extension UnconfirmedPort: Encodable {}
extension Use: Encodable {}
extension Visit: Encodable {}
extension HeadingUpdate: Encodable {}
extension VisitUpdate: Encodable {}
