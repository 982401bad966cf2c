import Chronology
import Geodesy
import Locator
import Permission
import Positioning
import SextantAPI
import TestSupport
import Testing
import Varlink

/// Tests of every message on the socket against the interface that documents it. With all fields
/// set, the names are exactly those of the interface. With the fewest fields the interface allows,
/// the others are absent. Both forms decode to themselves.
@Suite("Messages against their interfaces")
struct MessageTests {
    @Test
    func `only simulated positions are marked`() throws {
        #expect(Samples.location(Samples.fullFix)?.simulated == true)
        #expect(Samples.location(Samples.minimalFix)?.simulated == nil)
        #expect(EventPlace(Samples.fullFix)?.simulated == true && EventPlace(Samples.minimalFix)?.simulated == nil)
    }

    @Test
    func `Location matches its interface`() throws {
        let interface = try Described.location()
        try expectAllFields(of: interface, type: "Location", in: try #require(Samples.location(Samples.fullFix)))
        try expectValid(try #require(Samples.location(Samples.minimalFix)), in: interface, type: "Location")
    }

    /// Each value of the fix is another one, so that none can stand under the name of another.
    @Test
    func `a Location has the values of its fix`() throws {
        let location = try #require(Samples.location(Samples.fullFix))
        let numbers: [(Double?, Double)] = [
            (location.latitude, -33.8567844), (location.longitude, 151.2152967), (location.horizontalAccuracy, 0.021),
            (location.altitude, 4.5), (location.ellipsoidalAltitude, 27), (location.verticalAccuracy, 0.04),
            (location.speed, 12.5), (location.speedAccuracy, 0.1), (location.course, 254.25),
            (location.courseAccuracy, 1.5), (location.hdop, 0.52),
        ]
        #expect(numbers.map(\.0) == numbers.map(\.1))
        #expect(location.timestamp == UTCTime(milliseconds: 1_795_000_000_250) && location.accuracySource == .gst)
        #expect(location.mode == .threeD && location.quality == .rtkFixed && location.satellitesUsed == 19)
        #expect(location.datum == "TOY" && location.receiver == "ttyACM0" && location.accessory == true)
        let members = location.members
        for (name, value) in [
            ("latitude", -33.8567844), ("longitude", 151.2152967), ("horizontalAccuracy", 0.021), ("altitude", 4.5),
            ("ellipsoidalAltitude", 27), ("verticalAccuracy", 0.04), ("speed", 12.5), ("speedAccuracy", 0.1),
            ("course", 254.25), ("courseAccuracy", 1.5), ("hdop", 0.52),
        ] { #expect(members[name]?.double == value, "\(name)") }
    }

    @Test
    func `Location matches for every quality, mode and accuracy source`() throws {
        let interface = try Described.location()
        for quality in FixQuality.allCases {
            for source in AccuracySource.allCases {
                var fix = Samples.fullFix
                fix.quality = quality
                fix.accuracySource = source
                fix.mode = .twoD
                try expectValid(try #require(Samples.location(fix)), in: interface, type: "Location")
            }
        }
    }

    @Test
    func `a fix without position has no Location`() {
        #expect(Samples.location(Fix()) == nil)
    }

    @Test
    func `Receiver, VisibleSatellite, Identity and Counts match their interface`() throws {
        let interface = try Described.receiver()
        let full = try #require(Samples.receiver(full: true))
        try expectAllFields(of: interface, type: "Receiver", in: full)
        try expectAllFields(of: interface, type: "Counts", in: full.counts)
        try expectAllFields(of: interface, type: "Identity", in: try #require(full.identity))
        #expect(ReportedIdentity(ReceiverIdentity()) == nil)
        try expectAllFields(of: interface, type: "Satellite", in: Samples.fullSatellite)
        try expectValid(try #require(Samples.receiver(full: false)), in: interface, type: "Receiver")
        try expectValid(Samples.minimalSatellite, in: interface, type: "Satellite")
    }

    @Test(arguments: Constellation.allCases)
    func `a satellite of each constellation matches`(system: Constellation) throws {
        try expectValid(
            Satellite(VisibleSatellite(system: system, number: 1)), in: try Described.receiver(), type: "Satellite")
    }

    @Test
    func `Status matches its interface`() throws {
        let interface = try Described.manager()
        try expectAllFields(of: interface, type: "Status", in: Samples.status(full: true))
        try expectValid(Samples.status(full: false), in: interface, type: "Status")
    }

    @Test
    func `an age below a tenth of a second is omitted`() {
        func age(_ milliseconds: Int64) -> Double? {
            var update = Samples.available
            update.location?.age = .milliseconds(milliseconds)
            return SubscribeReply(update).age
        }
        #expect(age(0) == nil && age(99) == nil && age(100) == 0.1 && age(61_250) == 61.25)
        #expect(SubscribeReply(Samples.unavailable).age == nil)
    }

    @Test
    func `Subscribe parameters and replies match`() throws {
        let interface = try Described.location()
        let method = try #require(interface.method("Subscribe"))
        let sample = interface.sample(method.input)
        #expect(try members(SubscribeParameters(sample)) == sample)
        try Validator(interface).checkInput(members(SubscribeParameters()), of: "Subscribe")
        for configuration in Configuration.allCases {
            try Validator(interface).checkInput(
                members(SubscribeParameters(configuration: configuration)), of: "Subscribe")
        }

        for accuracy in DesiredAccuracy.allCases {
            try Validator(interface).checkInput(
                members(SubscribeParameters(desiredAccuracy: accuracy)), of: "Subscribe")
        }

        #expect(try members(Samples.fullReply).keys.sorted() == method.output.map(\.name).sorted())
        for update in [Samples.available, Samples.unavailable, Update()] {
            let reply = SubscribeReply(sequence: 1, dropped: 0, update)
            try Validator(interface).checkOutput(members(reply), of: "Subscribe")
            #expect(try roundTrip(reply) == reply)
        }
    }

    @Test
    func `subscription parameters become a stream request`() throws {
        let request = try SubscribeParameters(
            configuration: .fitness, receiver: "x", desiredAccuracy: .hundredMetres, distanceFilter: 25,
            minimumInterval: 2.5,
            maximumDelay: 60, significantChange: true, passive: true
        ).request()
        let options = StreamOptions(
            desiredAccuracy: .hundredMetres, distanceFilter: 25, minimumInterval: .milliseconds(2500),
            maximumDelay: .seconds(60),
            isSignificantChange: true, isPassive: true)
        #expect(request == StreamRequest(configuration: .fitness, receiver: .named("x"), options: options))
        #expect(try SubscribeParameters().request() == StreamRequest())
    }

    @Test
    func `an invalid parameter is named`() {
        for (invalid, name) in [
            (SubscribeParameters(distanceFilter: -1), "distanceFilter"),
            (SubscribeParameters(distanceFilter: .nan), "distanceFilter"),
            (SubscribeParameters(minimumInterval: 1e9), "minimumInterval"),
            (SubscribeParameters(maximumDelay: 3601), "maximumDelay"),
        ] {
            #expect(throws: ServiceError.invalidParameter(parameter: name)) { try invalid.request() }
        }
    }

    @Test
    func `the stationary flag is true, false or absent`() {
        let location = Samples.available.location
        #expect(SubscribeReply(Update(location: location, stationary: true)).stationary == true)
        #expect(SubscribeReply(Update(location: location, hasDeparted: true)).stationary == false)
        #expect(SubscribeReply(Update(location: location)).stationary == nil)
    }

    @Test
    func `a spliced reply equals the encoded reply`() throws {
        let shared = SubscribeReply(Samples.available).shared
        let frame = ReplyFrame.assemble(leading: [("sequence", 7), ("dropped", 2)], shared: shared, continues: true)
        let reply = try Reply(parsing: Array(frame.dropLast()))
        try Validator(try Described.location()).checkOutput(reply.parameters, of: "Subscribe")
        #expect(
            try SubscribeReply(reply.parameters)
                == SubscribeReply(sequence: 7, dropped: 2, Samples.available))
    }

    @Test(arguments: Cause.allCases)
    func `every cause of a missing position matches`(cause: Cause) throws {
        let interface = try Described.location()
        let reason = Unavailability(cause, detail: "as text")
        let reply = SubscribeReply(sequence: 1, dropped: 0, Update(unavailability: reason))
        #expect(reply.locationUnavailable == true)
        try Validator(interface).checkOutput(members(reply), of: "Subscribe")
        try Validator(interface).checkParameters(
            LocationError(reason).reply.parameters, ofError: "LocationUnavailable")
    }

    @Test
    func `GetLocation parameters and replies match`() throws {
        let interface = try Described.location()
        let method = try #require(interface.method("GetLocation"))
        let parameters = GetLocationParameters(
            maximumAge: 1, timeout: 2.5, receiver: "ttyACM0", timesBurst: true)
        #expect(try members(parameters).keys.sorted() == method.input.map(\.name).sorted())
        try Validator(interface).checkInput(members(parameters), of: "GetLocation")
        try Validator(interface).checkInput(members(GetLocationParameters()), of: "GetLocation")

        let position = try #require(Samples.location(Samples.fullFix))
        let reply = RecentLocation(
            location: position, age: 0.31, restingSince: "1970-01-01T00:00:00.000Z", burstAge: 0.412345)
        #expect(try members(reply).keys.sorted() == method.output.map(\.name).sorted())
        try Validator(interface).checkOutput(members(reply), of: "GetLocation")
        #expect(try roundTrip(reply) == reply)
    }

    @Test
    func `open, closed and missing visits match`() throws {
        let interface = try Described.location()
        let moment = Stay.Moment(at: .zero, time: UTCTime(milliseconds: 1_795_000_000_000))
        var visit = Stay(
            coordinate: try #require(Coordinate(latitude: 47.1, longitude: 8.5)), radius: 12.34567, arrival: moment)
        #expect(Visit(visit).departed == false && Visit(visit).members["horizontalAccuracy"] == 12.346)
        visit.radius = 12.346
        for reply in [VisitUpdate(visit), VisitUpdate(nil as Stay?)] {
            try Validator(interface).checkOutput(members(reply), of: "WatchVisits")
            #expect(try roundTrip(reply) == reply)
        }
        visit.departure = moment
        try expectAllFields(of: interface, type: "Visit", in: Visit(visit))
        let page = VisitsReply(visits: [visit], next: "7")
        try Validator(interface).checkOutput(members(page), of: "Visits")
        #expect(try roundTrip(page) == page)
        try Validator(interface).checkOutput(members(ForgetVisitsReply(visits: 3)), of: "ForgetVisits")
        let error = LocationError.persistenceUnavailable(reason: "why").reply
        try Validator(interface).checkParameters(error.parameters, ofError: "PersistenceUnavailable")
        visit.departure = Stay.Moment(at: .zero, time: nil)
        #expect(Visit(visit).departed && Visit(visit).departure == nil)
    }

    @Test
    func `headings and their absence match`() throws {
        let interface = try Described.location()
        let method = try #require(interface.method("WatchHeading"))
        var heading = HeadingSample(218.83, isMagnetic: false, source: .inertial, accuracy: 0.55555)
        heading.join(2.5, from: .model)
        heading.time = UTCTime(milliseconds: 1_795_000_000_250)
        heading.isSimulated = true
        let full = Heading(heading, receiver: "gps")
        #expect(full.members["magneticHeading"] == 216.33 && full.members["headingAccuracy"] == 0.556)
        heading.accuracy = 0.556
        try expectAllFields(of: interface, type: "Heading", in: Heading(heading, receiver: "gps"))
        let edge = Heading(HeadingSample(359.9999, isMagnetic: true, source: .hdm), receiver: "gps")
        #expect(edge.magneticHeading == 0 && edge.trueHeading == nil)
        try expectValid(edge, in: interface, type: "Heading")

        let missing = HeadingChange(unavailability: Unavailability(.noFix, detail: "no sky"))
        let denied = HeadingUpdate(denied: [.authorizationDenied, .accuracyLimited], detail: "denied")
        let replies = [
            HeadingUpdate(HeadingChange(heading, receiver: "gps")), HeadingUpdate(missing), denied,
            HeadingUpdate(HeadingChange(unavailability: nil)),
        ]
        for reply in replies {
            try Validator(interface).checkOutput(members(reply), of: "WatchHeading")
            #expect(try roundTrip(reply) == reply)
        }
        #expect(replies[1].cause == .noFix && replies[3].cause == nil && replies[3].detail != nil)
        #expect(denied.permission.contains(.accuracyLimited) && denied.heading == nil)

        let parameters = WatchHeadingParameters(headingFilter: 5, passive: true)
        #expect(try members(parameters).keys.sorted() == method.input.map(\.name).sorted())
        #expect(try parameters.request() == HeadingRequest(filter: 5, isPassive: true))
        #expect(try WatchHeadingParameters().request() == HeadingRequest())
        for filter in [-0.1, 180.1, .nan] {
            #expect(throws: ServiceError.invalidParameter(parameter: "headingFilter")) {
                try WatchHeadingParameters(headingFilter: filter).request()
            }
        }
    }

    @Test
    func `List, Watch and GetStatus match`() throws {
        let interface = try Described.receiver()
        let validator = Validator(interface)
        let denied = PortStatus.denied("sextantd cannot open /dev/ttyUSB0")
        let unconfirmed = UnconfirmedPortReport(ReceiverID(2), name: "ttyUSB0", port: "/dev/ttyUSB0", status: denied)
        let reply = Receivers(
            receivers: [try #require(Samples.receiver(full: true)), try #require(Samples.receiver(full: false))],
            unconfirmedPorts: [UnconfirmedPort(unconfirmed)])
        try validator.checkInput([:], of: "List")
        try validator.checkOutput(members(reply), of: "List")
        try validator.checkInput(members(WatchParameters(receiver: "ttyACM0", minimumInterval: 4)), of: "Watch")
        try validator.checkInput(members(WatchParameters()), of: "Watch")
        try validator.checkOutput(members(reply), of: "Watch")
        #expect(try roundTrip(reply) == reply)

        let status = GetStatusReply(status: Samples.status(full: true))
        try Validator(try Described.manager()).checkOutput(members(status), of: "GetStatus")
        #expect(try roundTrip(status) == status)
    }

    @Test
    func `GetMotionSources, ReportMotion and ForgetMotionSource match`() throws {
        let interface = try Described.manager()
        let validator = Validator(interface)
        try validator.checkInput(members(ReportMotionParameters(source: "ignition")), of: "ReportMotion")
        try validator.checkInput(members(ForgetMotionSourceParameters(source: "a")), of: "ForgetMotionSource")
        var source = MotionSourceReport(
            name: "ignition", kind: .gpio, activity: .armed, trust: .deaf, departures: 0, reports: 7, falseChecks: 1)
        let minimal = MotionSourcesReply(use: .auto, rareChecks: false, sources: [source])
        try validator.checkOutput(members(minimal), of: "GetMotionSources")
        #expect(try roundTrip(minimal) == minimal)
        source.lastReport = UTCTime(milliseconds: 1_790_000_000_000)
        source.distrustedUntil = UTCTime(milliseconds: 1_790_604_800_000)
        source.problem = "opening /dev/gpiochip0: Permission denied"
        try expectAllFields(of: interface, type: "MotionSource", in: source)
        for kind in MotionKind.allCases {
            source.kind = kind
            for use in MotionUse.allCases {
                let reply = MotionSourcesReply(use: use, rareChecks: true, sources: [source])
                try validator.checkOutput(members(reply), of: "GetMotionSources")
                #expect(try roundTrip(reply) == reply)
            }
        }
    }

    @Test
    func `GetPower and GetConsumers match`() throws {
        let interface = try Described.manager()
        let validator = Validator(interface)
        try validator.checkInput(members(GetPowerParameters(days: 7, receiver: "ttyACM0")), of: "GetPower")
        try validator.checkInput(members(GetPowerParameters()), of: "GetPower")
        let estimate = PowerEstimate(receiver: "ttyACM0", chip: "ublox8", source: "a data sheet")
        let power = Power(
            start: Samples.minimalEnergyReport, days: [Samples.energyReport], estimates: [estimate])
        try validator.checkOutput(members(power), of: "GetPower")
        #expect(try roundTrip(power) == power)
        try expectAllFields(of: interface, type: "EnergyReport", in: Samples.energyReport)
        try expectAllFields(
            of: interface, type: "EnergyConsumer", in: try #require(Samples.energyReport.consumers.first))
        try expectAllFields(of: interface, type: "Consumer", in: Samples.consumer)
        #expect(Samples.energyReport.milliwatts == 100 && Samples.minimalEnergyReport.milliwatts == nil)
        let rounded = EnergyReport(joules: 102.5, seconds: [.operation: 1024], wakeups: nil, consumers: [])
        #expect(rounded.members["milliwatts"] == 100.098)

        let minimalConsumer = Consumer(.monitors, uid: 0, since: "2026-11-21T12:00:00.000Z", seconds: 0)
        let activities = PowerState.allCases.map {
            ReceiverActivity(receiver: "ttyACM0", state: $0, seconds: 1)
        }
        var consumers = Consumers(
            consumers: [Samples.consumer, minimalConsumer], activities: activities, allowsSleep: true)
        let owner = ProgramID(user: 1000)
        consumers.sessions = SessionRequirement.allCases.map {
            DeclaredSession(
                owner, requirement: $0, purpose: $0 == .none ? nil : "navigation", isEffective: $0 != .always)
        }
        consumers.leases = [DeclaredLease(owner, since: UTCTime(milliseconds: 1_790_000_000_000), isHeld: false)]
        try validator.checkOutput(members(consumers), of: "GetConsumers")
        #expect(try roundTrip(consumers) == consumers)
    }

    @Test
    func `TooManyConnections matches`() throws {
        try Validator(try Described.manager()).checkParameters(
            ManagerError.tooManyConnections(limit: 64, scope: .user).reply.parameters, ofError: "TooManyConnections")
        #expect(
            try Described.manager().error("TooManyConnections") != nil
                && ManagerError.tooManyConnections(limit: 64, scope: nil).reply.name.hasSuffix(".TooManyConnections"))
    }

    @Test
    func `InvalidConfiguration matches, with and without line and key`() throws {
        for error in [
            ManagerError.invalidConfiguration(file: "/etc/a.toml", line: 2, key: "service.socket", reason: "is wrong"),
            .invalidConfiguration(file: "/etc/a.toml", line: nil, key: nil, reason: "cannot be read"),
        ] {
            try Validator(try Described.manager()).checkParameters(
                error.reply.parameters, ofError: "InvalidConfiguration")
            #expect(ManagerError(error.reply) == error)
            #expect(error.reply.name.hasSuffix(".InvalidConfiguration"))
        }
    }

    @Test
    func `Internal matches`() throws {
        try Validator(try Described.manager()).checkParameters(
            ManagerError.internal.reply.parameters, ofError: "Internal")
        #expect(ManagerError.internal.reply.name == "io.sextant.Manager.Internal")
        #expect(try Described.manager().error("Internal") != nil)
    }

    @Test
    func `NoSuchReceiver matches in both interfaces`() throws {
        let parameters = try members(NoSuchReceiverError(receiver: "ttyUSB9", known: ["ttyACM0"]))
        try Validator(try Described.location()).checkParameters(parameters, ofError: "NoSuchReceiver")
        try Validator(try Described.receiver()).checkParameters(parameters, ofError: "NoSuchReceiver")
    }
}
