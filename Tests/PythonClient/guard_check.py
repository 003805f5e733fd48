"""Checks the server's answers about guards against what the batches say (merge-rules.md, G1 to G9).

Batches tell what became of each thing, with its content before and after. So a client that follows
the room knows what a guard must find. It knows less than the server in two ways: a batch over many
revisions leaves out what was taken back in between, and no batch tells all moves.
"""

import collections

import collsync_pb2 as pb

LIFE, PLACE, CONTENT, HORIZON = 1, 2, 4, 8
FIRST_FIELD = 1 << 16

#: The kinds of operations whose things are sections.
SECTIONS = {"insert_section", "delete_section", "move_section", "update_section"}

#: What a batch did to a thing after revision `start`, up to `end`. A content that is None says that
#: the thing was not there.
Event = collections.namedtuple("Event", "start end was now is_move")


class WrongAnswer(Exception):
    """An answer contradicts the batches."""


class GuardCheck:
    def __init__(self):
        #: From here on all batches have come.
        self._first = self._last = None
        #: The things that are there: (whether it is a section, id).
        self._living = set()
        self._events = collections.defaultdict(list)
        #: Acks that can't be checked yet: (submit, ack).
        self._acks = []
        #: Guarded operations of transactions that were rejected for them.
        self._conflicts = []
        #: How many answers about guards were checked, and how many of them said `changed`.
        self.checked = self.changed = 0

    # ---- What happened

    def begin(self, replica):
        """Begins with a snapshot: nothing is known of what was before."""
        self._first = self._last = replica.revision
        self._events.clear()
        self._conflicts.clear()
        self._living = {(True, section.content.id) for section in replica.sections}
        for section in replica.sections:
            self._living.update((False, item.id) for item in section.items)
        self._check_acks()

    def note(self, replica):
        """Notes what the last batch has done."""
        if self._last is None:
            return self.begin(replica)
        for change in replica.changes:
            thing = (change.is_section, change.id)
            is_move = change.was is change.now
            event = Event(self._last, replica.revision, change.was, change.now, is_move)
            self._events[thing].append(event)
            if change.now is None:
                self._living.discard(thing)
            else:
                self._living.add(thing)
        self._last = replica.revision
        self._check_acks()

    # ---- Answers

    def take_ack(self, submit, ack):
        """Notes an ack; it is checked when all is known that came before its revision."""
        self._acks.append((submit, ack))
        self._check_acks()

    def take_reject(self, submit, rejection):
        if rejection.code != pb.REJECTION_CODE_CONFLICT:
            return
        check(submit.transaction.all, "a conflict of a transaction that did not ask for all")
        operation = submit.transaction.operations[rejection.operation]
        check(operation.HasField("guard"), "a conflict of an operation without a guard")
        self._conflicts.append(operation)

    def check_conflicts(self):
        """Checks, when nothing is on its way, that each conflict has had a reason."""
        for operation in self._conflicts:
            since = operation.guard.revision
            events = [event for event in self._events[thing_of(operation)] if event.end > since]
            # Not all moves are known.
            check(events or operation.guard.place or since < self._first, operation)
            self.checked += 1
        self._conflicts.clear()

    def _check_acks(self):
        while self._acks and self._last is not None:
            if self._acks[0][1].revision > self._last + 1:
                return
            submit, ack = self._acks.pop(0)
            changed = {
                lost.operation: lost.changed
                for lost in ack.superseded
                if lost.reason == pb.SUPERSEDED_REASON_CHANGED
            }
            for lost in ack.superseded:
                check(lost.operation in changed or lost.changed == 0, ack)
            check(not (changed and submit.transaction.all), ack)
            for index, operation in enumerate(submit.transaction.operations):
                if operation.HasField("guard"):
                    self._check(operation, ack.revision, changed.pop(index, 0))
            check(not changed, ack)

    def _check(self, operation, revision, bits):
        """Checks what an operation's guard has found changed in the transaction that made a revision."""
        guard = operation.guard
        self.changed += bits != 0
        check(guard.revision < revision, operation)
        check(bits in (LIFE, HORIZON) or bits & ~covered(guard) == 0, operation)
        if bits == HORIZON or guard.revision < self._first:
            return
        span = Span(
            self._events[thing_of(operation)],
            guard.revision,
            revision - 1,
            thing_of(operation) in self._living,
        )
        self.checked += 1
        try:
            span.check(guard, bits)
        except WrongAnswer as error:
            text = f"{bits} is wrong in revision {revision}: {operation} {span.events}"
            raise WrongAnswer(text) from error


class Span:
    """What happened to a thing between two revisions."""

    def __init__(self, events, since, until, is_living):
        self.events = [event for event in events if event.end > since and event.start < until]
        #: Whether it is known of all that it was in this time, and of all revisions by themselves.
        self.is_certain = all(event.start >= since and event.end <= until for event in self.events)
        self.is_exact = all(event.end == event.start + 1 for event in self.events)
        lives = [event for event in self.events if is_life(event)]
        later = [event for event in events if is_life(event) and event.start >= until]
        self.lived_after = later[0].was is not None if later else is_living
        self.lived_before = lives[0].was is not None if lives else self.lived_after
        self.has_ended = any(event.now is None for event in lives)
        self.has_moved = bool(lives) or any(event.is_move for event in self.events)

    def check(self, guard, bits):
        if not self.is_certain:
            return
        if self.lived_before != self.lived_after:
            return check(bits == LIFE, "it lived at one of the two moments")
        if not self.lived_before:
            return check(bits == 0, "it lived at neither moment")
        if bits == LIFE:
            return check(self.has_ended or not self.is_exact, "nothing has ended its life")
        check(not (guard.place and self.has_moved) or bits & PLACE, "it has moved")
        certain = self._changes_of_content(guard)
        check(bits & certain == certain, "its content has changed")
        if self.is_exact:
            check(bits & ~PLACE == certain, "its content has not changed")

    def _changes_of_content(self, guard):
        contents = [content for event in self.events for content in (event.was, event.now)]
        contents = [content for content in contents if content is not None]
        bits = 0
        for was, now in zip(contents, contents[1:]):
            if guard.content and was != now:
                bits |= CONTENT
            for position, name in enumerate(guard.fields):
                if field(was, name) != field(now, name):
                    bits |= FIRST_FIELD << position
        return bits


def thing_of(operation):
    """Whether an operation is about a section, and the id."""
    kind = operation.WhichOneof("kind")
    body = getattr(operation, kind)
    if kind == "insert":
        body = body.item
    if kind == "insert_section":
        body = body.section
    return kind in SECTIONS, body.id


def covered(guard):
    """The bits of what a guard covers besides the life."""
    bits = (PLACE if guard.place else 0) | (CONTENT if guard.content else 0)
    return bits | sum(FIRST_FIELD << position for position in range(len(guard.fields)))


def is_life(event):
    return event.was is None or event.now is None


def field(content, name):
    """The value of a field; None if there is none."""
    return next((field.value for field in content.fields if field.name == name), None)


def check(holds, what):
    if not holds:
        raise WrongAnswer(what)
