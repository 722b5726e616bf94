"""An OPC UA server of another make. It takes its settings as JSON, says when it is ready, answers each command, a line of
JSON, with a line of JSON, and ends with its input."""

import asyncio
import json
import logging
import sys
from datetime import datetime, timezone

from asyncua import Server, ua
from asyncua.server.internal_session import InternalSession
from asyncua.server.uaprocessor import UaProcessor

import asyncua_nodes
import asyncua_tank


def ends_with_connection(self: UaProcessor) -> bool:
    # The server keeps a session for its time-out only where it has a subscription; the standard has it keep every one.
    return self.session is not None and not self.session.is_activated()


def limit(server: Server, settings: dict) -> None:
    inner = server.iserver
    InternalSession.max_connections = settings["sessions"]
    if "sessionTimeoutMs" in settings:
        inner.min_session_timeout_ms = inner.max_session_timeout_ms = settings["sessionTimeoutMs"]
    if "keepAliveCount" in settings:
        inner.max_keep_alive_count = settings["keepAliveCount"]


async def protect(server: Server, directory: str, policies: list[str]) -> None:
    await server.set_application_uri("urn:penstock:test:server")
    await server.load_certificate(f"{directory}/server.crt", "pem")
    await server.load_private_key(f"{directory}/server.key", format="pem")
    known = [ua.SecurityPolicyType[name] for name in policies]
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity, *known])


def shown(variant: ua.Variant):
    # JSON has no NaN, and a float of 32 bits has more digits here than it was given.
    if variant.VariantType in (ua.VariantType.Float, ua.VariantType.Double):
        return str(variant.Value)
    return json.loads(json.dumps(variant.Value, default=str))


class Commands:
    def __init__(self, server: Server, nodes: asyncua_nodes.Nodes) -> None:
        self._server = server
        self._nodes = nodes
        self._first = InternalSession._counter
        self._reads = 0
        read = InternalSession.read

        async def count_and_read(session: InternalSession, params: ua.ReadParameters):
            self._reads += session.external
            return await read(session, params)

        InternalSession.read = count_and_read

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
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    limit(server, settings)
    if "directory" in settings:
        await protect(server, settings["directory"], settings["policies"])
    nodes = await asyncua_nodes.add(server)
    if "many" in settings:
        await asyncua_tank.add(server, await server.get_namespace_index(asyncua_nodes.NAMESPACE), settings["many"])
    async with server:
        commands = Commands(server, nodes)
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            name, *arguments = json.loads(line)
            answer = getattr(commands, name)(*arguments)
            print(json.dumps(await answer if asyncio.iscoroutine(answer) else answer), flush=True)


asyncio.run(main(json.loads(sys.argv[1])))
