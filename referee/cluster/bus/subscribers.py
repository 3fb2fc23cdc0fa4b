"""The subscriptions of one bus, by subject."""

from collections.abc import Callable

import structlog

from referee.cluster.bus.port import Receive, Subscription, check_subject

log = structlog.get_logger("referee.cluster.bus")


class Subscribers:
    """All subscriptions of one bus. A subject has as many as were made."""

    def __init__(
        self,
        on_first: Callable[[str], None] = lambda _: None,
        on_none: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Call `on_first` when a subject gets its first subscription, and `on_none` when it has lost its last."""
        self._on_first = on_first
        self._on_none = on_none
        self._by_subject: dict[str, list[_OneSubscription]] = {}

    def subjects(self) -> list[str]:
        return list(self._by_subject)

    def add(self, subject: str, receive: Receive) -> Subscription:
        """Raise InvalidSubject if the subject is not valid."""
        check_subject(subject)
        subscription = _OneSubscription(self, subject, receive)
        if subject in self._by_subject:
            self._by_subject[subject].append(subscription)
        else:
            self._by_subject[subject] = [subscription]
            self._on_first(subject)
        return subscription

    def remove(self, subscription: "_OneSubscription") -> None:
        of_subject = self._by_subject[subscription.subject]
        of_subject.remove(subscription)
        if not of_subject:
            del self._by_subject[subscription.subject]
            self._on_none(subscription.subject)

    def deliver(self, subject: str, payload: bytes) -> bool:
        """Hand a message to all who receive it. Return whether there are any."""
        subscriptions = self._by_subject.get(subject)
        if not subscriptions:
            return False
        for subscription in subscriptions if len(subscriptions) == 1 else subscriptions.copy():
            if subscription.open:
                try:
                    subscription.receive(payload)
                except Exception:
                    log.exception("a message of the bus could not be handled", subject=subject)
        return True


class _OneSubscription(Subscription):
    __slots__ = ("_subscribers", "open", "receive", "subject")

    def __init__(self, subscribers: Subscribers, subject: str, receive: Receive) -> None:
        self._subscribers = subscribers
        self.subject = subject
        self.receive = receive
        self.open = True

    def close(self) -> None:
        if self.open:
            self.open = False
            self._subscribers.remove(self)


class ReconnectCallbacks:
    """What a bus calls after messages may have been lost."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[], None]] = []

    def add(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def call(self) -> None:
        for callback in self._callbacks:
            try:
                callback()
            except Exception:
                log.exception("a callback after a new connection of the bus failed")
