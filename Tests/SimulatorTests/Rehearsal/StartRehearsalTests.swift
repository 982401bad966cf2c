import Chronology
import Receivers
import Simulator
import Testing

/// First fixes after eight hours of sleep, with the daemon's driver.
@Suite struct StartRehearsalTests {
    @Test func `a u-blox 8 starts as fast as promised`() throws {
        let none = try #require(try StartRehearsal.median(of: .ublox8, with: .none, count: 5))
        #expect((23...28).contains(none))
        #expect(try #require(try StartRehearsal.median(of: .ublox8, with: .timeAndPlace, count: 5)) <= 22)
        #expect(try #require(try StartRehearsal.median(of: .ublox8, with: .prediction)) <= 10)
        let powerLoss = try #require(try StartRehearsal.median(of: .ublox8, with: .afterPowerLoss, count: 2))
        let database = try #require(try StartRehearsal.median(of: .ublox8, with: .database, count: 2))
        #expect(powerLoss > 18 && database <= 7, "\(powerLoss) s, \(database) s")
        // The simulation notices a wrong time; the daemon gives none.
        #expect(try #require(try StartRehearsal.median(of: .ublox8, with: .wrongTime, count: 5)) > none + 2)
    }

    @Test(arguments: [ReceiverKind.ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .airoha, .quectel])
    func `each family is given time and place, and starts no later for it`(kind: ReceiverKind) throws {
        for seed: UInt64 in 1...2 {
            let unaided = try #require(try StartRehearsal.start(of: kind, with: .none, seed: seed))
            let aided = try #require(try StartRehearsal.start(of: kind, with: .timeAndPlace, seed: seed))
            #expect(unaided.kind == .warm && unaided.assisted.isEmpty)
            #expect(aided.kind == .aided && aided.assisted.contains(.time), "\(aided) \(unaided)")
            #expect(aided.duration <= unaided.duration + .seconds(2))
        }
    }

    @Test(arguments: [ReceiverKind.casic, .teseo])
    func `other families are started without`(kind: ReceiverKind) throws {
        #expect(try StartRehearsal.start(of: kind, with: .timeAndPlace, seed: 1)?.assisted.isEmpty == true)
    }
}
