"""A client of collsync in Python: one member of one room.

It is written from Protocol/ alone, with the classes that protoc makes of collsync.proto and without
any of the project's code. It is an example of how to write a client, and what the tests hold the
specification against. In short:

    protoc --python_out=generated -I Protocol collsync.proto
    PYTHONPATH=generated python3

    client = Client("127.0.0.1", 7420, "room1")
    client.wait(lambda: client.replica.revision is not None)
    client.submit([pb.Operation(delete=pb.Delete(id="milk"))], base=client.replica.revision)
    client.wait(lambda: not client.unanswered)
"""

import random
import secrets
import time

import collsync_pb2 as pb

from guard_check import GuardCheck
from replica import Replica
from wire import (
    DEFLATED,
    DEFLATED_WITHOUT_DICTIONARY,
    DICTIONARY,
    GUARDS,
    Connection,
    ConnectionLost,
    ProtocolError,
    connect,
)

VERSION = 1


def name(codes, number):
    """A code's name; its number if it is one of a newer server."""
    return codes.Name(number) if number in codes.values() else str(number)


class Refused(Exception):
    """The server will not have this client, now or later."""


class Client:
    """Joins a room, follows it, submits transactions, and comes back after a lost connection.

    All happens in `poll`, which is to be called again and again; there are no threads.
    """

    def __init__(
        self,
        host,
        port,
        room,
        features=DEFLATED | GUARDS,
        every_revision=False,
        connect=connect,
    ):
        self.host, self.port, self.room, self.connect = host, port, room, connect
        self.features, self.every_revision = features, every_revision
        # The author of what is submitted, and what shows, the next time, that it is the same.
        self.client_id = secrets.token_hex(16)
        self.secret = secrets.token_bytes(32)
        self.replica = Replica()
        #: Checks what the server answers about guards.
        self.guards = GuardCheck()
        self.counter = 0
        #: The greatest counter that was sent.
        self.sent = 0
        #: The `Submit` messages that are not answered, in order.
        self.unanswered = []
        #: Counter → revision.
        self.acknowledged = {}
        #: Counter → `Rejection`.
        self.rejected = {}
        #: The counter up to which an ack may come after its batch: what was sent before a cut.
        self.resent = 0
        #: The counter up to which it may not, as the server has said what it had when we came back.
        self.told = 0
        self.reconnections = 0
        #: How many transactions were made by someone who saw less than is held here.
        self.stale = 0
        #: The room's id and newest epochs, as the server told them last.
        self._identity = None
        #: Which room and epoch the replica's revision is of.
        self._origin = None
        self._failures = 0
        self._connect()

    # ---- For those who use it

    def submit(self, operations, base, all_or_none=False):
        """Sends a transaction made by someone who saw revision `base`; gives its counter.

        Operations may have guards. With `all_or_none` the transaction is rejected as a whole if what
        one of them covers has changed.

        It is kept until it is answered, so that nothing is lost with a connection. The replica does
        not change now: the batch brings one's own edits, too.
        """
        self.wait(lambda: len(self.unanswered) < self._limits.unanswered_transactions)
        self.counter += 1
        self.stale += base < self.replica.revision
        transaction = pb.Transaction(base=base, operations=operations, all=all_or_none)
        submit = pb.Submit(counter=self.counter, transaction=transaction)
        self.unanswered.append(submit)
        if self._handle is not None and not self._is_refused:
            try:
                self._send_submit(submit)
            except ConnectionLost:
                self._reconnect()
        return self.counter

    def wait(self, holds):
        """Polls until something holds."""
        while not holds():
            self.poll(1)

    def poll(self, seconds):
        """Takes in what comes within that time, one message at most, and does what is due.

        Gives whether a message came.
        """
        try:
            self._do_what_is_due()
            frame = self._connection.receive(seconds)
            if frame is not None:
                self._heard = time.monotonic()
                self._take(frame)
            return frame is not None
        except ConnectionLost:
            self._reconnect()
            return False

    def cut(self):
        """Loses the connection, as a cable does: nothing more is read, nothing said."""
        self._reconnect()

    def fileno(self):
        """Lets `select` wait until there is something to poll for."""
        return self._connection.fileno()

    # ---- Connection

    def _connect(self):
        self._handle = None
        self._limits = pb.Limits(unanswered_transactions=1)
        self._heartbeat_seconds = 60
        self._in_flight = 0
        self._is_refused = False
        self._submit_again_at = None
        self._heard = self._spoke = time.monotonic()
        dictionary = DICTIONARY if self.features & DEFLATED else b""
        self._connection = Connection(self.host, self.port, dictionary, self.connect)
        self._send(
            hello=pb.Hello(
                magic="collsync",
                min_version=VERSION,
                max_version=VERSION,
                features=self.features,
                agent="collsync-python-example/1.0",
            )
        )
        join = pb.Join(
            request=1,
            room=self.room,
            client=self.client_id,
            secret=self.secret,
            every_revision=self.every_revision,
        )
        if self.replica.revision is not None:
            setattr(join, "from", self.replica.revision)
        if self._origin is not None:
            join.origin.CopyFrom(self._origin)
        join.counter = self.sent
        first = self.unanswered[0].counter if self.unanswered else self.sent + 1
        join.answered_through = min(self.sent, first - 1)
        self._send(join=join)

    def _reconnect(self):
        """Tries until there is a connection, a little later each time."""
        self._connection.close()
        self.replica.forget_parts()
        self.resent = self.counter
        self.told = 0
        self.reconnections += 1
        while True:
            time.sleep(min(5, 0.05 * 2**self._failures) * random.random())
            self._failures = min(self._failures + 1, 10)
            try:
                return self._connect()
            except (OSError, ConnectionLost):
                continue

    def _send(self, **body):
        self._connection.send(pb.Frame(**body))
        self._spoke = time.monotonic()

    def _send_submit(self, submit):
        submit.room = self._handle
        self.sent = max(self.sent, submit.counter)
        self._in_flight += 1
        self._send(submit=submit)

    def _do_what_is_due(self):
        now = time.monotonic()
        if now - self._heard > 3 * self._heartbeat_seconds:
            raise ConnectionLost("nothing came for three heartbeats")
        if now - self._spoke > self._heartbeat_seconds / 2:
            held = []
            if self._handle is not None and self.replica.revision is not None:
                held = [
                    pb.Held(
                        room=self._handle, revision=self.replica.revision, origin=self._origin
                    )
                ]
            self._send(heartbeat=pb.Heartbeat(rooms=held))
        if self._submit_again_at is not None and now > self._submit_again_at:
            self._submit_all()

    # ---- What comes

    def _take(self, frame):
        kind = frame.WhichOneof("body")
        handler = getattr(self, f"_take_{kind}", None)
        # Messages that we do not know are passed over.
        if handler is not None:
            handler(getattr(frame, kind))

    def _take_welcome(self, welcome):
        self._limits = welcome.limits
        self._connection.frame_bytes = welcome.limits.frame_bytes
        if welcome.features != self.features:
            raise ProtocolError("the server has other features")
        deflated = DEFLATED | DEFLATED_WITHOUT_DICTIONARY
        self._connection.deflates = self.features & deflated != 0
        self._heartbeat_seconds = welcome.heartbeat_milliseconds / 1000

    def _take_joined(self, joined):
        self._handle = joined.handle
        self._failures = 0
        self._identity = joined.identity
        self.counter = max(self.counter, joined.counter)
        if joined.changed:
            self.guards = GuardCheck()
            self._drop_unsent()
        else:
            self._note_origin()
        self._take_early_answers(joined)
        self._submit_all()

    def _take_early_answers(self, joined):
        """What is known of transactions that were sent before comes before all that may show them."""
        sent = {submit.counter: submit for submit in self.unanswered}
        for ack in joined.acks:
            self._note_ack(sent.get(ack.counter), ack)
        for reject in joined.rejects:
            self._note_reject(sent.get(reject.counter), reject)
        answered = {answer.counter for answer in [*joined.acks, *joined.rejects]}
        self.unanswered = [
            submit for submit in self.unanswered if submit.counter not in answered
        ]
        self.told = joined.answered_through

    def _drop_unsent(self):
        """What was never sent was made for content that is no longer there. Of what was sent the room
        may know some, so that is sent again, and the server judges."""
        for submit in self.unanswered:
            if submit.counter > self.sent:
                self.rejected[submit.counter] = pb.Rejection(code=pb.REJECTION_CODE_ROOM_CHANGED)
        self.unanswered = [submit for submit in self.unanswered if submit.counter <= self.sent]

    def _note_origin(self):
        """Notes which room and epoch the replica's revision is of."""
        revision = self.replica.revision
        if revision is None:
            return
        epoch = self._identity.epochs[0]
        for later in self._identity.epochs[1:]:
            if later.first < revision:
                epoch = later
        self._origin = pb.Origin(room=self._identity.room, epoch=epoch.id)

    def _take_snapshot(self, part):
        self.replica.take_snapshot(part)
        if part.last:
            self.guards.begin(self.replica)
            self._note_origin()

    def _take_batch(self, part):
        self.replica.take_batch(part)
        if not part.more:
            self.guards.note(self.replica)
            self._note_origin()

    def _take_ack(self, ack):
        submit = self._answered(ack.counter)
        if submit is None:
            return
        if ack.revision <= (self.replica.revision or 0) and not (
            self.told < ack.counter <= self.resent
        ):
            raise ProtocolError("an ack comes before the batch that holds its transaction")
        self._note_ack(submit, ack)

    def _take_reject(self, reject):
        if reject.rejection.code == pb.REJECTION_CODE_UNAVAILABLE:
            return self._take_unavailable()
        submit = self._answered(reject.counter)
        if submit is not None:
            self._note_reject(submit, reject)

    def _take_error(self, error):
        if not error.retry:
            raise Refused(f"{name(pb.ErrorCode, error.code)}: {error.text}")
        raise ConnectionLost(error.text)

    # ---- Answers

    def _answered(self, counter):
        """Takes a transaction off the list and gives it; None if it was answered before."""
        counters = [submit.counter for submit in self.unanswered]
        if counter not in counters and counter <= self.told:
            # It came by itself, and was sent again.
            self._in_flight = max(0, self._in_flight - 1)
            return None
        if counter not in counters or (counter != counters[0] and counter > self.told):
            raise ProtocolError(f"transaction {counter} is answered out of order or twice")
        self._in_flight -= 1
        return self.unanswered.pop(counters.index(counter))

    def _note_ack(self, submit, ack):
        self.acknowledged[ack.counter] = ack.revision
        if submit is not None:
            self.guards.take_ack(submit, ack)

    def _note_reject(self, submit, reject):
        self.rejected[reject.counter] = reject.rejection
        if submit is not None:
            self.guards.take_reject(submit, reject.rejection)

    def _take_unavailable(self):
        """The store can't take it now, nor any later one until this one comes again."""
        self._in_flight -= 1
        self._is_refused = True
        if self._in_flight == 0:
            self._submit_again_at = time.monotonic() + 0.2 + random.random()

    def _submit_all(self):
        """Sends all that is unanswered, in order and with the old counters."""
        self._is_refused = False
        self._submit_again_at = None
        for submit in self.unanswered:
            self._send_submit(submit)
