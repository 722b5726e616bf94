"""An OPC UA server of another make with room for few sessions. It takes a port, a number of sessions and, to be protected,
a directory with its certificate and key; it says when it is ready, answers each line of input with how many sessions and
subscriptions it has and how many sessions it ever had, and ends with its input."""

import asyncio
import logging
import sys

from asyncua import Server, ua
from asyncua.server.internal_session import InternalSession
from asyncua.server.uaprocessor import UaProcessor


def ends_with_connection(self: UaProcessor) -> bool:
    # The server keeps a session for its time-out only where it has a subscription; the standard has it keep every one.
    return self.session is not None and not self.session.is_activated()


async def main(port: str, sessions: str, directory: str = "") -> None:
    logging.disable(logging.CRITICAL)
    InternalSession.max_connections = int(sessions)
    UaProcessor._should_close_session_on_transport_loss = ends_with_connection
    server = Server()
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}/")
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    if directory:
        await server.set_application_uri("urn:penstock:test:server")
        await server.load_certificate(f"{directory}/server.crt", "pem")
        await server.load_private_key(f"{directory}/server.key", format="pem")
        server.set_security_policy(
            [ua.SecurityPolicyType.NoSecurity, ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt]
        )
    index = await server.register_namespace("urn:penstock:test")
    level = await server.nodes.objects.add_variable(ua.NodeId("level", index), "level", 0, ua.VariantType.Int32)
    await level.set_writable()
    first = InternalSession._counter
    async with server:
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            inner = server.iserver
            subscriptions = len(inner.subscription_service.subscriptions)
            print(len(inner._external_sessions), subscriptions, InternalSession._counter - first, flush=True)


asyncio.run(main(*sys.argv[1:]))
