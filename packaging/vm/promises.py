"""What the service has confirmed before power cuts, compared with what is there afterwards."""
import collections


class Promises:
    def __init__(self):
        self.present, self.removed, self.uncertain = set(), set(), set()
        self.events, self.identities = {}, {}
        self.acknowledged, self.maybe_acknowledged = set(), set()
        self.track = set()
        self.counts = collections.Counter()
        self.defects = []

    def record(self, report):
        """Adds one report of storm.py."""
        kind = report[0]
        self.counts[kind] += 1
        if kind == "error":
            return self.defects.append(f"the service failed before the power cut: {report}")
        if kind == "track":
            return self.track.update(map(tuple, report[1:]))
        key = (report[1], report[2])
        if kind == "?add":
            if key not in self.present:
                self.uncertain.add(key)
        elif kind == "add":
            self.present.add(key)
            self.uncertain.discard(key)
        elif kind == "?remove":
            self.present.discard(key)
            self.uncertain.add(key)
        elif kind == "removed":
            self.uncertain.discard(key)
            self.removed.add(key)
        elif kind == "event":
            self._identify(key, tuple(report[3:6]))
            self.events[key] = tuple(report[3:6])
        elif kind == "?ack":
            self.maybe_acknowledged.add(key)
        elif kind == "ack":
            self.acknowledged.add(key)

    def _identify(self, key, event):
        """Two events must never have the same number."""
        if self.identities.setdefault(key, event) != event:
            self.defects.append(f"event {key} was {self.identities[key]} and is now {event}")

    def compare(self, found):
        """Compares with the result of check.py. Returns the number of events that had to be delivered again."""
        conditions = {(monitor, name) for monitor, names in found["conditions"].items() for name in names}
        for key in self.present - conditions:
            self.defects.append(f"condition {key} was added and is lost")
        for key in self.removed & conditions:
            self.defects.append(f"condition {key} was removed and is there")
        for key in conditions - self.present - self.uncertain:
            self.defects.append(f"condition {key} was never added")
        self.defects += [f"point {point} of the track is lost" for point in sorted(self.track - set(map(tuple, found["track"])))]
        for monitor, names in found["conditions"].items():
            self.defects += [f"condition {(monitor, name)} cannot be saved" for name, lost in names.items() if lost]
        due = self._compare_events({(monitor, event[0]): tuple(event[1:])
                                    for monitor, events in found["events"].items() for event in events})
        # What was uncertain is known now.
        for key in self.uncertain:
            (self.present if key in conditions else self.removed).add(key)
        self.uncertain.clear()
        return due

    def _compare_events(self, delivered):
        due = 0
        for key, event in self.events.items():
            if key in self.acknowledged:
                if key in delivered:
                    self.defects.append(f"event {key} {event} was acknowledged and is delivered again")
            elif key not in self.maybe_acknowledged and (key[0], event[0]) in self.present:
                due += 1
                if delivered.get(key) != event:
                    self.defects.append(f"event {key} {event} was not acknowledged and is not delivered again")
        for key, event in delivered.items():
            self._identify(key, event)
        self.acknowledged |= {key for key in self.maybe_acknowledged if key not in delivered}
        self.maybe_acknowledged.clear()
        return due
