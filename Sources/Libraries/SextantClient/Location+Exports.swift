import SextantAPI

// The values of the interfaces, one by one: the parameters and replies of the methods are not part
// of this library. Messages are hashed and coded by their members, as on the socket.
@_exported import struct Chronology.UTCTime
@_exported import enum SextantAPI.AccuracyAuthorization
@_exported import enum SextantAPI.AccuracySource
@_exported import struct SextantAPI.Addition
@_exported import enum SextantAPI.Authorization
@_exported import struct SextantAPI.BeaconMessage
@_exported import struct SextantAPI.BeaconReadingMessage
@_exported import struct SextantAPI.BeaconReception
@_exported import enum SextantAPI.BeaconZone
@_exported import struct SextantAPI.BeaconsInRange
@_exported import enum SextantAPI.Cause
@_exported import struct SextantAPI.Condition
@_exported import struct SextantAPI.ConditionCircle
@_exported import struct SextantAPI.ConditionCorridor
@_exported import enum SextantAPI.ConditionEventKind
@_exported import struct SextantAPI.ConditionPolygon
@_exported import struct SextantAPI.ConditionRecord
@_exported import struct SextantAPI.ConditionSignificantChange
@_exported import enum SextantAPI.ConditionState
@_exported import enum SextantAPI.Configuration
@_exported import enum SextantAPI.Constellation
@_exported import struct SextantAPI.Consumer
@_exported import struct SextantAPI.Consumers
@_exported import struct SextantAPI.DeclaredLease
@_exported import struct SextantAPI.DeclaredSession
@_exported import enum SextantAPI.DesiredAccuracy
@_exported import enum SextantAPI.DriverActivity
@_exported import struct SextantAPI.DriverState
@_exported import struct SextantAPI.EnergyConsumer
@_exported import struct SextantAPI.EnergyReport
@_exported import struct SextantAPI.Event
@_exported import struct SextantAPI.EventPlace
@_exported import enum SextantAPI.FixMode
@_exported import enum SextantAPI.FixQuality
@_exported import struct SextantAPI.Heading
@_exported import enum SextantAPI.HeadingSource
@_exported import struct SextantAPI.HeadingUpdate
@_exported import struct SextantAPI.Location
@_exported import struct SextantAPI.MonitorState
@_exported import struct SextantAPI.Neighbour
@_exported import struct SextantAPI.Neighbourhood
@_exported import struct SextantAPI.Permission
@_exported import struct SextantAPI.PermissionFlags
@_exported import struct SextantAPI.Point
@_exported import struct SextantAPI.Power
@_exported import struct SextantAPI.PowerEstimate
@_exported import enum SextantAPI.PowerState
@_exported import enum SextantAPI.Purpose
@_exported import struct SextantAPI.Receiver
@_exported import struct SextantAPI.ReceiverActivity
@_exported import struct SextantAPI.ReceiverCorrections
@_exported import struct SextantAPI.ReceiverCounts
@_exported import enum SextantAPI.ReceiverHealth
@_exported import struct SextantAPI.Receivers
@_exported import struct SextantAPI.RecentLocation
@_exported import struct SextantAPI.ReplacedDatabase
@_exported import struct SextantAPI.ReportedIdentity
@_exported import struct SextantAPI.Satellite
@_exported import enum SextantAPI.SessionRequirement
@_exported import enum SextantAPI.StartKind
@_exported import struct SextantAPI.StartReport
@_exported import enum SextantAPI.StateCause
@_exported import struct SextantAPI.StateProblem
@_exported import struct SextantAPI.StationReport
@_exported import enum SextantAPI.StationVerdict
@_exported import struct SextantAPI.Status
@_exported import struct SextantAPI.StoredState
@_exported import struct SextantAPI.UnconfirmedPort
@_exported import struct SextantAPI.Use
@_exported import enum SextantAPI.UseKind
@_exported import enum SextantAPI.UseState
@_exported import enum SextantAPI.VariationSource
@_exported import struct SextantAPI.Visit
@_exported import struct SextantAPI.VisitUpdate
@_exported import enum Varlink.JSONValue

extension BeaconMessage: Codable, Hashable {}
extension BeaconReadingMessage: Codable, Hashable {}
extension BeaconsInRange: Codable, Hashable {}
extension Condition: Codable, Hashable {}
extension ConditionRecord: Codable, Hashable {}
extension Consumers: Codable, Hashable {}
extension Event: Codable, Hashable {}
extension EventPlace: Codable, Hashable {}
extension Heading: Codable, Hashable {}
extension HeadingUpdate: Codable, Hashable {}
extension Location: Codable, Hashable {}
extension MonitorState: Codable, Hashable {}
extension Permission: Codable, Hashable {}
extension Point: Codable, Hashable {}
extension Power: Codable, Hashable {}
extension Receiver: Codable, Hashable {}
extension Receivers: Codable, Hashable {}
extension RecentLocation: Codable, Hashable {}
extension Satellite: Codable, Hashable {}
extension Status: Codable, Hashable {}
extension Use: Codable, Hashable {}
extension Visit: Codable, Hashable {}
extension VisitUpdate: Codable, Hashable {}

extension UTCTime: Codable {
    /// Decodes an RFC 3339 time.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = UTCTime(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no RFC 3339 time: \(text)")
        }
        self = time
    }

    /// Encodes the time as RFC 3339 in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
