"""An OPC UA server of another make. It takes its settings as JSON, says when it is ready, answers each command, a line of
JSON, with a line of JSON, and ends with its input. It can be as new again without another start."""

import asyncio
import json
import logging
import sys
from datetime import datetime, timezone

from asyncua import Server, ua
from asyncua.common.utils import ServiceError
from asyncua.server.internal_server import ServerDesc
from asyncua.server.internal_session import InternalSession
from asyncua.server.uaprocessor import UaProcessor

import asyncua_nodes
import asyncua_tank
from asyncua_messages import Messages


def ends_with_connection(self: UaProcessor) -> bool:
    # The server keeps a session for its time-out only where it has a subscription; the standard has it keep every one.
    return self.session is not None and not self.session.is_activated()


translate = InternalSession.translate_browsepaths_to_nodeids


async def refuse_to_translate(self: InternalSession, browsepaths):
    if self.external:
        raise ServiceError(ua.StatusCodes.BadServiceUnsupported)
    return await translate(self, browsepaths)


class Conditions:
    """On which terms clients may come: limits, certificate and policies. They can change while the server runs."""

    def __init__(self, server: Server) -> None:
        self._server = server
        inner = server.iserver
        self._uri = server.get_application_uri()
        self._timeouts_ms = inner.min_session_timeout_ms, inner.max_session_timeout_ms
        self._keep_alive_count = inner.max_keep_alive_count

    async def set(self, settings: dict) -> None:
        inner = self._server.iserver
        InternalSession.max_connections = settings["sessions"]
        timeout_ms = settings.get("sessionTimeoutMs")
        timeouts_ms = self._timeouts_ms if timeout_ms is None else (timeout_ms, timeout_ms)
        inner.min_session_timeout_ms, inner.max_session_timeout_ms = timeouts_ms
        InternalSession.translate_browsepaths_to_nodeids = translate if settings.get("translates", True) else refuse_to_translate
        inner.max_keep_alive_count = settings.get("keepAliveCount", self._keep_alive_count)
        if "directory" in settings:
            await self._protect(settings["directory"], settings["policies"])
        else:
            inner.certificate = inner.private_key = None
            await self._server.set_application_uri(self._uri)
            self._server.set_security_policy([ua.SecurityPolicyType.NoSecurity])

    async def change(self, settings: dict) -> None:
        await self.set(settings)
        inner = self._server.iserver
        # The listener holds this list.
        self._server._policies.clear()
        inner.endpoints.clear()
        await self._server._setup_server_nodes()
        inner._known_servers.clear()
        for endpoint in inner.endpoints:
            inner._known_servers[endpoint.Server.ApplicationUri] = ServerDesc(endpoint.Server)

    async def _protect(self, directory: str, policies: list[str]) -> None:
        await self._server.set_application_uri("urn:penstock:test:server")
        await self._server.load_certificate(f"{directory}/server.crt", "pem")
        await self._server.load_private_key(f"{directory}/server.key", format="pem")
        known = [ua.SecurityPolicyType[name] for name in policies]
        self._server.set_security_policy([ua.SecurityPolicyType.NoSecurity, *known])


def shown(variant: ua.Variant):
    # JSON has no NaN, and a float of 32 bits has more digits here than it was given.
    if variant.VariantType in (ua.VariantType.Float, ua.VariantType.Double):
        return str(variant.Value)
    return json.loads(json.dumps(variant.Value, default=str))


class Commands:
    def __init__(self, server: Server, nodes: asyncua_nodes.Nodes, conditions: Conditions, messages: Messages) -> None:
        self._server = server
        self._nodes = nodes
        self._conditions = conditions
        self._messages = messages
        self._first = InternalSession._counter
        self._reads = 0
        read = InternalSession.read

        async def count_and_read(session: InternalSession, params: ua.ReadParameters):
            self._reads += session.external
            return await read(session, params)

        InternalSession.read = count_and_read

    async def reset(self, settings: dict) -> None:
        """Ends every session, and begins anew with these settings."""
        inner = self._server.iserver
        for session in list(inner._external_sessions.values()):
            await session.close_session(delete_subs=True)
        await self._nodes.restore()
        self._first = InternalSession._counter
        self._reads = 0
        self._messages.restore()
        self._messages.set(settings)
        await self._conditions.change(settings)

    def count(self) -> dict:
        inner = self._server.iserver
        sessions = len(inner._external_sessions)
        subscriptions = len(inner.subscription_service.subscriptions)
        return {"sessions": sessions, "subscriptions": subscriptions, "sessionsMade": InternalSession._counter - self._first}

    def reads(self) -> int:
        return self._reads

    async def show(self, name: str) -> dict:
        """What a node holds: the type, the value and the dimensions that were written."""
        variant = (await self._nodes[name].read_data_value()).Value
        return {
            "type": variant.VariantType.name,
            "value": shown(variant),
            "dimensions": variant.Dimensions,
        }

    async def burst(self, name: str, values: list) -> None:
        """Sets a node to each value in turn, faster than any server reports: [value, status, source timestamp in ms]."""
        for value, status, time in values:
            stamp = datetime.fromtimestamp(time / 1000, timezone.utc)
            variant = ua.Variant(value, ua.VariantType.Int32)
            await self._nodes[name].write_value(ua.DataValue(variant, ua.StatusCode(status), stamp))

    def swallow(self, count: int, keep_alives: bool) -> None:
        self._messages.swallow(count, keep_alives)

    def swallowed(self) -> int:
        return self._messages.lost()

    def forget(self) -> None:
        self._messages.forget(self._server.iserver.subscription_service.subscriptions)

    async def expire(self) -> None:
        """Deletes every subscription, as after its lifetime."""
        service = self._server.iserver.subscription_service
        await service.delete_subscriptions(list(service.subscriptions))

    def calls(self) -> list:
        """The calls of methods since the last time: [method, argument, argument, ...]."""
        made = self._nodes.calls[:]
        self._nodes.calls.clear()
        return made


async def main(settings: dict) -> None:
    logging.disable(logging.CRITICAL)
    UaProcessor._should_close_session_on_transport_loss = ends_with_connection
    server = Server()
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{settings['port']}/")
    conditions = Conditions(server)
    await conditions.set(settings)
    messages = Messages()
    messages.set(settings)
    nodes = await asyncua_nodes.add(server)
    if "many" in settings:
        index = await server.get_namespace_index(asyncua_nodes.NAMESPACE)
        await asyncua_tank.add(server, nodes, index, settings["many"])
    await nodes.remember()
    async with server:
        commands = Commands(server, nodes, conditions, messages)
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            name, *arguments = json.loads(line)
            answer = getattr(commands, name)(*arguments)
            print(json.dumps(await answer if asyncio.iscoroutine(answer) else answer), flush=True)


asyncio.run(main(json.loads(sys.argv[1])))
