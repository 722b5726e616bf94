"""Messages of the subscriptions that do not arrive, or that the server forgets."""

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.server.internal_session import InternalSession
from asyncua.server.internal_subscription import InternalSubscription
from asyncua.server.uaprocessor import UaProcessor

forward = UaProcessor.forward_publish_response
republish = InternalSession.republish


class Messages:
    def __init__(self) -> None:
        self._republish = "EMPTY"
        self.restore()
        messages = self

        async def send_or_swallow(processor: UaProcessor, result, requestdata) -> None:
            # As if it had a request of a connection that is gone, and answered that into the void.
            if messages._swallowed > 0 and (messages._keep_alives or result.NotificationMessage.NotificationData):
                messages._swallowed -= 1
                messages._count += 1
                processor._publish_requests.appendleft(requestdata)
                return
            await forward(processor, result, requestdata)

        def answer_republish(session: InternalSession, parameters):
            if messages._republish == "UNSUPPORTED":
                raise ServiceError(ua.StatusCodes.BadServiceUnsupported)
            message = republish(session, parameters)
            if messages._republish == "STANDARD" and not message.NotificationData:
                raise ServiceError(ua.StatusCodes.BadMessageNotAvailable)
            return message

        UaProcessor.forward_publish_response = send_or_swallow
        InternalSession.republish = answer_republish

    def restore(self) -> None:
        self._swallowed = 0
        self._keep_alives = False
        self._count = 0

    def set(self, settings: dict) -> None:
        self._republish = settings.get("republish", "EMPTY")

    def swallow(self, count: int, keep_alives: bool) -> None:
        """Has the next messages not arrive; the server believes that it has sent them."""
        self._swallowed, self._keep_alives = count, keep_alives

    def lost(self) -> int:
        """How many messages were swallowed."""
        return self._count

    @staticmethod
    def forget(subscriptions: dict) -> None:
        """Drops the messages that are stored until they are acknowledged."""
        for subscription in subscriptions.values():
            assert isinstance(subscription, InternalSubscription)
            subscription._not_acknowledged_results.clear()
