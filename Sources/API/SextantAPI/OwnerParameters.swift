/// The parameters of a method of `io.sextant.Monitor`: whose monitor it applies to.
package protocol OwnerParameters {
    /// The program that owns the monitor, if it is not the caller's. Absent: the caller.
    var program: String? { get }
    /// The part of the program that owns the monitor; see ``ProgramID/application``.
    var application: String? { get }
}

extension OpenParameters: OwnerParameters {}
extension DeleteParameters: OwnerParameters {}
extension AddParameters: OwnerParameters {}
extension RemoveParameters: OwnerParameters {}
extension PageParameters: OwnerParameters {}
extension GetRecordParameters: OwnerParameters {}
extension AcknowledgeParameters: OwnerParameters {}
extension ImportParameters: OwnerParameters {}
extension NearestParameters: OwnerParameters {}
