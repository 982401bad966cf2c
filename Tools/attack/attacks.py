"""What an unprivileged user does to the daemon. Each function runs in a process of that user."""
import os
import select
import socket
import tempfile
import time
from messages import call, circle, connect, epoch, feature, message, polygon

ATTACKER = 65_534
EPOCHS_PER_SECOND = 1000


class Target:
    """The daemon as an attacker sees it."""

    def __init__(self, path, seconds, line, port):
        self.path, self.seconds = path, seconds
        # The other end of a receiver that may lie, and its name for the daemon.
        self.line, self.port = line, port

    def connect(self):
        return connect(self.path)

    def until_the_end(self):
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            yield


def pipeline(target, requests, connections):
    """Keeps the input of all connections full of these requests, and reads the replies."""
    clients = [target.connect() for _ in range(connections)]
    block = b"".join(requests)
    unsent = {}
    for client in clients:
        client.setblocking(False)
        unsent[client] = block
    for _ in target.until_the_end():
        readable, writable, _ = select.select(clients, clients, [], 0.1)
        for client in writable:
            try:
                sent = client.send(unsent[client])
                unsent[client] = unsent[client][sent:] or block
            except (BlockingIOError, BrokenPipeError, ConnectionError):
                pass
        for client in readable:
            try:
                if not client.recv(1 << 20):
                    clients.remove(client)
            except (BlockingIOError, ConnectionError):
                pass


def connect_flood(target, _, __):
    for _ in target.until_the_end():
        for _ in range(100):
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            try:
                client.connect(target.path)
            except OSError:
                pass
            client.close()


def flood_elsewhere(target, _, __):
    """The same flood at a socket of its own: what the daemon's clients then wait for is not the daemon."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = os.path.join(folder, "socket")
        listener.bind(path)
        listener.listen(4096)
        listener.settimeout(1)
        if os.fork() == 0:
            end = time.monotonic() + target.seconds
            while time.monotonic() < end:
                try:
                    listener.accept()[0].close()
                except OSError:
                    pass
            os._exit(0)
        connect_flood(Target(path, target.seconds, None, None), None, None)
        os.wait()


def never_read(target, requests, connections):
    """Sends on many connections and reads nothing."""
    clients = [target.connect() for _ in range(connections)]
    for client in clients:
        client.setblocking(False)
        for request in requests:
            try:
                client.send(request)
            except OSError:
                pass
    time.sleep(target.seconds)


def come_and_go(target, requests, connections):
    """Opens connections that each begin a long call, and closes them after one reply."""
    for _ in target.until_the_end():
        clients = []
        try:
            for number in range(connections):
                client = target.connect()
                clients.append(client)
                client.sendall(requests[number % len(requests)])
            for client in clients:
                client.settimeout(0.01)
                client.recv(1 << 16)
        except OSError:
            pass
        for client in clients:
            client.close()
        time.sleep(connections / 100)


def send_slowly(target, requests, connections):
    """Sends one byte at a time on many connections."""
    clients = [target.connect() for _ in range(connections)]
    text = b"".join(requests)
    for number, _ in enumerate(target.until_the_end()):
        for client in clients:
            try:
                client.send(text[number % len(text):][:1])
            except OSError:
                pass
        time.sleep(0.002)


def garbage(target, _, __):
    """Sends bytes that are no message, as fast as the daemon closes the connections."""
    noise = os.urandom(1 << 16).replace(b"\0", b"x")
    for _ in target.until_the_end():
        try:
            with target.connect() as client:
                client.settimeout(1)
                for part in (b"{" * 1000 + b"\0", noise, noise):
                    client.sendall(part)
        except OSError:
            pass


def programs(target, _, __):
    """Creates monitors under invented programs, and empty ones."""
    with target.connect() as client:
        for number, _ in enumerate(target.until_the_end()):
            call(client, message("Monitor.Add", name="m", program=f"{ATTACKER}:x{number}",
                                 conditions=[circle(f"c{number}-{index}") for index in range(190)]))
            call(client, message("Monitor.Add", name=f"empty{number}", program=f"{ATTACKER}:y{number}", conditions=[]))


def fill_the_disk(target, _, __):
    """Stores polygons under new names until they are refused, and goes on."""
    with target.connect() as client:
        for number, _ in enumerate(target.until_the_end()):
            call(client, message("Monitor.Add", name=f"m{number % 200}", conditions=[polygon(f"p{number}", 900)]))


def cause_events(target, requests, connections):
    """Holds a monitor open whose events it does not read, and acknowledges others."""
    with target.connect() as client:
        client.sendall(message("Monitor.Open", more=True, name="home"))
        pipeline(target, requests, connections)


def lie_about_time(target, _, __):
    """Sends a thousand epochs per second, each a second after the last by the receiver's clock. Returns the updates per
    second of a stream on that receiver, after those that it may get at once."""
    with target.connect() as client:
        client.sendall(message("Location.Subscribe", more=True, configuration="default", receiver=target.port))
        client.setblocking(False)
        os.set_blocking(target.line, False)
        began = time.monotonic()
        sent = updates = 0
        for _ in target.until_the_end():
            due = int((time.monotonic() - began) * EPOCHS_PER_SECOND)
            while sent < due:
                try:
                    os.write(target.line, epoch(36_000_000 + 1000 * sent, sent % 1000 / 1000))
                except BlockingIOError:
                    # The daemon reads no more often than it has to. A serial line would lose these epochs.
                    pass
                sent += 1
            try:
                updates += client.recv(1 << 20).count(b"\0")
            except BlockingIOError:
                pass
            time.sleep(0.01)
        rate = max(0, updates - 100) / (time.monotonic() - began)
    return {"updates per second of a lying clock": rate, "silence of a lying clock": float(updates == 0)}


CIRCLES = [circle(f"c{number}", 48 + number / 1000) for number in range(190)]
# The receiver of the victims passes a boundary every second.
ON_THE_WAY = [circle(f"c{number}", 48 + number / 10_000, radius=30.0) for number in range(190)]
ADD_CIRCLES = message("Monitor.Add", name="home", conditions=CIRCLES)
OTHERS = [circle(f"c{number}", 48 + number / 1000, radius=300.0) for number in range(190)]
POLYGONS = [message("Monitor.Add", name="big", conditions=[polygon(f"p{number}", 900)]) for number in range(180)]
SUBSCRIPTIONS = [message("Location.Subscribe", more=True, configuration=name)
                 for name in ("automotiveNavigation", "otherNavigation", "fitness", "airborne", "default")]
LONG_CALLS = SUBSCRIPTIONS + [message("Location.WatchVisits", more=True), message("Location.WatchHeading", more=True),
                              message("Receiver.Watch", more=True),
                              message("Location.GetLocation", maximumAge=0, timeout=300)]
NEVER = message("Monitor.Add", name="never", conditions=[
    circle("never") | {"expiry": "9999-12-31T23:59:59Z", "dwell": 31_536_000},
    circle("long ago") | {"expiry": "1970-01-01T00:00:00Z"}])
GEOJSON = message("Monitor.Import", name="big", geojson=feature("p", 900))
ADD_REMOVE = [message("Monitor.Add", name="one", conditions=[circle("a")]),
              message("Monitor.Remove", name="one", identifiers=["a"])]
NAMES = message("Monitor.Remove", name="home", identifiers=[f"c{number}" for number in range(190, 6000)])
NESTED = b'{"method":"io.sextant.Monitor.Add","parameters":' + b'{"a":[' * 5000 + b"\0"
NUMBERS = b'{"method":"io.sextant.Manager.GetPower","parameters":{"days":' + b"9" * 60_000 + b"}}\0"
DESCRIPTION = message("org.varlink.service.GetInterfaceDescription", interface="io.sextant.Monitor")
REPORTS = [message("Manager.GetPower", days=3650), message("Manager.GetConsumers"), message("Receiver.List")]

# Name: requests before the attack, requests of the attack, connections, function.
ATTACKS = {
    "quiet": ([], [], 0, lambda target, requests, connections: time.sleep(target.seconds)),
    # The attacks that hurt most before they were bounded.
    "nearest": ([ADD_CIRCLES], [message("Monitor.Nearest", count=100)] * 390, 1, pipeline),
    "export-one": (POLYGONS, [message("Monitor.Export", name="big", limit=200)] * 20, 1, pipeline),
    "export": (POLYGONS, [message("Monitor.Export", name="big", limit=200)] * 20, 30, pipeline),
    "add-remove": ([], ADD_REMOVE, 16, pipeline),
    "slow-disk": ([], ADD_REMOVE, 16, pipeline),
    "status": ([], [message("Manager.GetStatus")] * 1000, 60, pipeline),
    # Further ones.
    "list": (POLYGONS, [message("Monitor.List", name="big", limit=200)] * 20, 30, pipeline),
    "replace": ([ADD_CIRCLES], [ADD_CIRCLES, message("Monitor.Add", name="home", conditions=OTHERS)], 16, pipeline),
    "add-delete": ([], [ADD_CIRCLES, message("Monitor.Delete", name="home")], 4, pipeline),
    "polygon": ([], [message("Monitor.Add", name="big", conditions=[polygon("p", 900)])] * 2, 30, pipeline),
    "import": ([], [GEOJSON] * 2, 30, pipeline),
    "names": ([ADD_CIRCLES], [NAMES] * 2, 30, pipeline),
    "programs": ([], [], 1, programs),
    "disk": ([], [], 1, fill_the_disk),
    "events": ([message("Monitor.Add", name="home", conditions=ON_THE_WAY)],
               [message("Monitor.Acknowledge", name="home", events=list(range(1, 4000)))] * 4, 16, cause_events),
    "connect-flood": ([], [], 1, connect_flood),
    "flood-elsewhere": ([], [], 1, flood_elsewhere),
    "come-and-go": ([], LONG_CALLS, 60, come_and_go),
    "never-read": ([], SUBSCRIPTIONS[:1] + [message("Manager.GetStatus")] * 200, 60, never_read),
    "sentences": ([], [message("Receiver.Sentences", more=True)], 60, pipeline),
    "unread-sentences": ([], [message("Receiver.Sentences", more=True)], 60, never_read),
    "send-slowly": ([], [message("Manager.GetStatus")], 150, send_slowly),
    "interfaces": ([], [DESCRIPTION] * 200, 60, pipeline),
    "reports": ([], REPORTS * 200, 60, pipeline),
    "nested": ([], [NESTED, NUMBERS], 30, pipeline),
    "garbage": ([], [], 1, garbage),
    "far-expiry": ([NEVER], [NEVER], 1, pipeline),
    "lying-clock": ([], [], 1, lie_about_time),
}
SHORT = ["nearest", "list", "add-remove", "status", "connect-flood", "far-expiry", "lying-clock"]
# The duration of an fsync in milliseconds.
SLOW_FSYNC = {"slow-disk": 20}
EVERY_METHOD = [
    ADD_CIRCLES, message("Monitor.Nearest", count=100), message("Monitor.Export", name="home", limit=200),
    message("Monitor.List", name="home", limit=200), message("Monitor.GetRecord", name="home", identifier="c1"),
    message("Monitor.Acknowledge", name="home", events=[1]), message("Monitor.ListMonitors"), GEOJSON, NAMES,
    message("Monitor.Remove", name="home", identifiers=["c1"]), message("Monitor.Open", name="home"),
    message("Monitor.Delete", name="big"), message("Monitor.Delete", name="home"), message("Manager.GetStatus"),
    *REPORTS, message("Receiver.Watch"), message("Location.GetLocation", timeout=1), message("Location.WatchVisits"),
    message("Location.WatchHeading"), message("Location.Subscribe"), message("org.varlink.service.GetInfo"), DESCRIPTION]


def fill(path, requests):
    with connect(path) as client:
        for request in requests:
            call(client, request)


def warm_up(path):
    """Calls every method, a monitor that is open and a message that is none."""
    fill(path, EVERY_METHOD)
    with connect(path) as client:
        call(client, message("Monitor.Open", more=True, name="open"))
    fill(path, [message("Monitor.Delete", name="open")])
    for request in SUBSCRIPTIONS + [NESTED]:
        with connect(path) as client:
            client.sendall(request)
            client.recv(1 << 16)
