import Chronology
import Delivery
import Geodesy
import Locator
import Positioning
import Testing
import Varlink
import Wire

/// Every message that goes over the socket, held against the interface that documents it: with all its fields the names are the interface's,
/// all of them and no others; with the fewest the interface allows what is absent; and either way it reads back as it was.
@Suite("Messages against their interfaces")
struct MessageTests {
    @Test("Location")
    func location() throws {
        let interface = try Described.location()
        try expectAllFields(of: interface, type: "Location", in: try #require(Samples.location(Samples.fullFix)))
        try expectValid(try #require(Samples.location(Samples.leastFix)), interface, type: "Location")
    }

    @Test("Location, in every quality, mode and source of accuracy")
    func enumerationsInUse() throws {
        let interface = try Described.location()
        for quality in FixQuality.allCases {
            for source in AccuracySource.allCases {
                var fix = Samples.fullFix
                (fix.quality, fix.accuracySource, fix.mode) = (quality, source, .twoD)
                try expectValid(try #require(Samples.location(fix)), interface, type: "Location")
            }
        }
    }

    @Test("A fix without position makes no Location")
    func noPosition() {
        #expect(Samples.location(Fix()) == nil)
    }

    @Test("Receiver, Satellite, Identity and Counts")
    func receiver() throws {
        let interface = try Described.receiver()
        let full = try #require(Samples.receiver(full: true))
        try expectAllFields(of: interface, type: "Receiver", in: full)
        try expectAllFields(of: interface, type: "Counts", in: full.counts)
        try expectAllFields(of: interface, type: "Identity", in: try #require(full.identity))
        #expect(IdentityMessage(ReceiverIdentity()) == nil)
        try expectAllFields(of: interface, type: "Satellite", in: Samples.fullSatellite)
        try expectValid(try #require(Samples.receiver(full: false)), interface, type: "Receiver")
        try expectValid(Samples.leastSatellite, interface, type: "Satellite")
    }

    @Test("A satellite of each constellation", arguments: Constellation.allCases)
    func constellation(_ system: Constellation) throws {
        try expectValid(SatelliteMessage(Satellite(system: system, number: 1)), try Described.receiver(), type: "Satellite")
    }

    @Test("Status")
    func status() throws {
        let interface = try Described.manager()
        try expectAllFields(of: interface, type: "Status", in: Samples.status(full: true))
        try expectValid(Samples.status(full: false), interface, type: "Status")
    }

    @Test("Subscribe, asked and answered")
    func subscribe() throws {
        let interface = try Described.location()
        let method = try #require(interface.method("Subscribe"))
        let question = SubscribeParameters(
            configuration: .airborne, receiver: "ttyACM0", desiredAccuracy: .kilometre, distanceFilter: 10, minimumInterval: 2,
            maximumDelay: 60, significantChange: true, passive: true, pausesWhenStationary: false)
        #expect(try members(question).keys.sorted() == method.input.map(\.name).sorted())
        try Validator(interface).checkInput(of: "Subscribe", members(question))
        try Validator(interface).checkInput(of: "Subscribe", members(SubscribeParameters()))
        for configuration in LiveConfiguration.allCases {
            try Validator(interface).checkInput(of: "Subscribe", members(SubscribeParameters(configuration: configuration)))
        }

        for accuracy in DesiredAccuracy.allCases {
            try Validator(interface).checkInput(of: "Subscribe", members(SubscribeParameters(desiredAccuracy: accuracy)))
        }

        #expect(try members(Samples.fullReply).keys.sorted() == method.output.map(\.name).sorted())
        for update in [Samples.available, Samples.unavailable, Update()] {
            let reply = SubscribeReply(sequence: 1, dropped: 0, UpdateMessage(update))
            try Validator(interface).checkOutput(of: "Subscribe", members(reply))
            #expect(try roundTrip(reply) == reply)
        }
    }

    @Test("What a subscriber asks for reaches the core")
    func request() throws {
        let asked = try SubscribeParameters(
            configuration: .fitness, receiver: "x", desiredAccuracy: .hundredMetres, distanceFilter: 25, minimumInterval: 2.5,
            maximumDelay: 60, significantChange: true, passive: true
        ).request()
        let options = StreamOptions(
            desiredAccuracy: .hundredMetres, distanceFilter: 25, minimumInterval: .milliseconds(2500), maximumDelay: .seconds(60),
            isSignificantChange: true, isPassive: true)
        #expect(asked == StreamRequest(configuration: .fitness, receiver: "x", options: options))
        #expect(try SubscribeParameters().request() == StreamRequest())
    }

    @Test("What makes no sense is named")
    func invalid() {
        for (wish, name) in [
            (SubscribeParameters(distanceFilter: -1), "distanceFilter"), (SubscribeParameters(distanceFilter: .nan), "distanceFilter"),
            (SubscribeParameters(minimumInterval: 1e9), "minimumInterval"), (SubscribeParameters(maximumDelay: 3601), "maximumDelay"),
        ] {
            #expect(throws: ServiceError.invalidParameter(parameter: name)) { try wish.request() }
        }
    }

    @Test("At rest, set off, and neither")
    func stationary() {
        let location = Samples.available.location
        #expect(UpdateMessage(Update(location: location, stationary: true)).stationary == true)
        #expect(UpdateMessage(Update(location: location, hasSetOff: true)).stationary == false)
        #expect(UpdateMessage(Update(location: location)).stationary == nil)
    }

    @Test("An update's own part and a stream's two numbers make the whole reply, as the daemon puts them together")
    func assembled() throws {
        let shared = try EncodedObject(encoding: UpdateMessage(Samples.available))
        let frame = ReplyFrame.assemble(leading: [("sequence", 7), ("dropped", 2)], shared: shared, continues: true)
        let reply = try Reply(parsing: Array(frame.dropLast()))
        try Validator(try Described.location()).checkOutput(of: "Subscribe", reply.parameters)
        #expect(try reply.decode(SubscribeReply.self) == SubscribeReply(sequence: 7, dropped: 2, UpdateMessage(Samples.available)))
    }

    @Test("That there is no position, for every cause", arguments: UnavailableCause.allCases)
    func cause(_ cause: UnavailableCause) throws {
        let interface = try Described.location()
        let reason = Unavailability(cause, "in words")
        let reply = SubscribeReply(sequence: 1, dropped: 0, UpdateMessage(Update(unavailability: reason)))
        #expect(reply.locationUnavailable == true)
        try Validator(interface).checkOutput(of: "Subscribe", members(reply))
        try Validator(interface).checkError("LocationUnavailable", members(LocationUnavailableError(reason)))
    }

    @Test("GetLocation, asked and answered")
    func getLocation() throws {
        let interface = try Described.location()
        let method = try #require(interface.method("GetLocation"))
        let question = GetLocationParameters(maximumAge: 1, timeout: 2.5, receiver: "ttyACM0")
        #expect(try members(question).keys.sorted() == method.input.map(\.name).sorted())
        try Validator(interface).checkInput(of: "GetLocation", members(question))
        try Validator(interface).checkInput(of: "GetLocation", members(GetLocationParameters()))

        let position = try #require(Samples.location(Samples.fullFix))
        let reply = GetLocationReply(location: position, age: 0.31, restingSince: UTCTime(milliseconds: 0))
        #expect(try members(reply).keys.sorted() == method.output.map(\.name).sorted())
        try Validator(interface).checkOutput(of: "GetLocation", members(reply))
        #expect(try roundTrip(reply) == reply)
    }

    @Test("A visit that goes on, one that is over, and none")
    func visits() throws {
        let interface = try Described.location()
        let moment = Visit.Moment(at: .zero, time: UTCTime(milliseconds: 1_795_000_000_000))
        var visit = Visit(coordinate: try #require(Coordinate(latitude: 47.1, longitude: 8.5)), radius: 12.34567, arrival: moment)
        #expect(VisitMessage(visit).departed == false && VisitMessage(visit).horizontalAccuracy == 12.346)
        for reply in [WatchVisitsReply(visit), WatchVisitsReply(nil as Visit?)] {
            try Validator(interface).checkOutput(of: "WatchVisits", members(reply))
            #expect(try roundTrip(reply) == reply)
        }
        visit.departure = moment
        try expectAllFields(of: interface, type: "Visit", in: VisitMessage(visit))
        visit.departure = Visit.Moment(at: .zero, time: nil)
        #expect(VisitMessage(visit).departed && VisitMessage(visit).departure == nil)
    }

    @Test("List, Watch and GetStatus, asked and answered")
    func lists() throws {
        let interface = try Described.receiver()
        let validator = Validator(interface)
        let reply = ReceiversReply(receivers: [try #require(Samples.receiver(full: true)), try #require(Samples.receiver(full: false))])
        try validator.checkInput(of: "List", [:])
        try validator.checkOutput(of: "List", members(reply))
        try validator.checkInput(of: "Watch", members(WatchParameters(receiver: "ttyACM0")))
        try validator.checkInput(of: "Watch", members(WatchParameters()))
        try validator.checkOutput(of: "Watch", members(reply))
        #expect(try roundTrip(reply) == reply)

        let status = GetStatusReply(status: Samples.status(full: true))
        try Validator(try Described.manager()).checkOutput(of: "GetStatus", members(status))
        #expect(try roundTrip(status) == status)
    }

    @Test("GetPower and GetConsumers, asked and answered")
    func accounts() throws {
        let interface = try Described.manager()
        let validator = Validator(interface)
        try validator.checkInput(of: "GetPower", members(GetPowerParameters(days: 7, receiver: "ttyACM0")))
        try validator.checkInput(of: "GetPower", members(GetPowerParameters()))
        let estimate = EstimateMessage(receiver: "ttyACM0", chip: "ublox8", source: "a data sheet")
        let power = GetPowerReply(start: Samples.leastSpending, spent: [Samples.spending], estimates: [estimate])
        try validator.checkOutput(of: "GetPower", members(power))
        #expect(try roundTrip(power) == power)
        try expectAllFields(of: interface, type: "Spending", in: Samples.spending)
        try expectAllFields(of: interface, type: "Spender", in: try #require(Samples.spending.spenders.first))
        try expectAllFields(of: interface, type: "Consumer", in: Samples.consumer)
        #expect(Samples.spending.milliwatts == 100.098 && Samples.leastSpending.milliwatts == nil)

        let bare = ConsumerMessage(.monitors, uid: 0, since: "2026-11-21T12:00:00.000Z", seconds: 0)
        let doing = WorkName.allCases.map { DoingMessage(receiver: "ttyACM0", work: $0, seconds: 1) }
        let who = GetConsumersReply(consumers: [Samples.consumer, bare], doing: doing, rests: true)
        try validator.checkOutput(of: "GetConsumers", members(who))
        #expect(try roundTrip(who) == who)
    }

    @Test("TooManyConnections")
    func tooManyConnections() throws {
        try Validator(try Described.manager()).checkError("TooManyConnections", members(TooManyConnectionsError(limit: 64)))
        #expect(try Described.manager().error("TooManyConnections") != nil && TooManyConnectionsError.name.hasSuffix(".TooManyConnections"))
    }

    @Test("NoSuchReceiver of both interfaces")
    func noSuchReceiver() throws {
        let parameters = try members(NoSuchReceiverError(receiver: "ttyUSB9", known: ["ttyACM0"]))
        try Validator(try Described.location()).checkError("NoSuchReceiver", parameters)
        try Validator(try Described.receiver()).checkError("NoSuchReceiver", parameters)
    }
}
