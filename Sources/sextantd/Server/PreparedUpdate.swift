import Delivery
import Varlink
import Wire

/// The text of the update that is most likely published next, made while the receiver is still sending its burst.
///
/// An epoch has said all that clients are told long before its last sentence, which is a GSV or repeats the time; a second's burst at 115,200
/// baud takes a tenth of it to arrive. Made ahead, the text costs the latency of an update nothing, and what makes it is in the processor's
/// caches when it is wanted after all.
final class PreparedUpdate {
    private var update: Update?
    private var prepared = EncodedObject.empty

    /// Makes the text of an update that may come.
    func prepare(_ expected: Update) {
        guard expected != update else { return }
        prepared = UpdateMessage(expected).text
        update = expected
    }

    /// The text of an update that has come: what was prepared if it is that one, else made now.
    func text(of present: Update) -> EncodedObject {
        present == update ? prepared : UpdateMessage(present).text
    }
}
