"""The same server as pymodbus-server.py, with the same parameters, on a current pymodbus, whose interfaces differ."""

import asyncio
import logging
import os
import ssl
import sys
import threading

from pymodbus import FramerType, ModbusDeviceIdentification
from pymodbus.constants import ExcCodes
from pymodbus.pdu import ExceptionResponse
from pymodbus.server import ModbusSerialServer, ModbusTcpServer, ModbusTlsServer, ModbusUdpServer
from pymodbus.server.requesthandler import ServerRequestHandler
from pymodbus.simulator import DataType, SimData, SimDevice

ENTRIES = 1000
IDENTITY = {
    "VendorName": "Pymodbus",
    "ProductCode": "PM",
    "MajorMinorRevision": "3.16",
    "VendorUrl": "http://example.com/pymodbus",
    "ProductName": "Pymodbus Server",
    "ModelName": "Test Server",
}
IGNORED = 37
IS_SPARSE = sys.argv[-1:] == ["sparse"]
served = 0


def count_request(sending, pdu):
    global served
    served += not sending
    return pdu


class ClosingHandler(ServerRequestHandler):
    """Closes the connection after its first answer."""

    def server_send(self, pdu, addr):
        if not self.transport.is_closing():
            super().server_send(pdu, addr)
            self.transport.close()


class IgnoringHandler(ServerRequestHandler):
    """Leaves out one register."""

    async def handle_request(self):
        request = self.last_pdu
        if not request.address <= IGNORED < request.address + max(request.count, 1):
            await super().handle_request()


class SparseHandler(ServerRequestHandler):
    """Does not know function code 3."""

    async def handle_request(self):
        request = self.last_pdu
        if request.function_code != 3:
            return await super().handle_request()
        refusal = ExceptionResponse(3, ExcCodes.ILLEGAL_FUNCTION)
        refusal.transaction_id, refusal.dev_id = request.transaction_id, request.dev_id
        self.server_send(refusal, self.last_addr)


def with_handler(server, handler):
    """Makes a class of servers whose connections have a handler of their own."""

    class Server(server):
        def callback_new_connection(self):
            return handler(self, self.trace_packet, self.trace_pdu, self.trace_connect)

    return Server


def choose_handler(parameters):
    if parameters[-1:] == ["closing"]:
        return ClosingHandler
    if IS_SPARSE:
        return SparseHandler
    return IgnoringHandler if parameters[-1:] == ["ignoring"] else ServerRequestHandler


def create_device():
    def registers():
        values = [0x8000 if IS_SPARSE and 100 <= at <= 103 else at for at in range(ENTRIES)]
        return [SimData(0, values=values, datatype=DataType.REGISTERS)]

    def bits():
        return [SimData(0, values=[offset % 2 == 1 for offset in range(ENTRIES)], datatype=DataType.BITS)]

    # Unit 0 stands for every unit.
    return SimDevice(0, simdata=(bits(), bits(), registers(), registers()))


def create_server(kind, parameters):
    handler = choose_handler(parameters)
    identity = ModbusDeviceIdentification(info_name=IDENTITY)
    common = {"context": create_device(), "trace_pdu": count_request, "identity": identity}
    if kind in ("ascii", "rtu"):
        framer = FramerType.ASCII if kind == "ascii" else FramerType.RTU
        line = {"baudrate": 19200, "bytesize": 8, "parity": "N", "stopbits": 2}
        return with_handler(ModbusSerialServer, handler)(framer=framer, port=parameters[0], **line, **common)
    common["address"] = ("127.0.0.1", 0)
    if kind == "udp":
        return with_handler(ModbusUdpServer, handler)(framer=FramerType.SOCKET, **common)
    if kind != "tls":
        framer = FramerType.RTU if kind == "rtu-over-tcp" else FramerType.SOCKET
        return with_handler(ModbusTcpServer, handler)(framer=framer, **common)
    certificate, key, authority = parameters
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    tls.load_verify_locations(authority)
    tls.verify_mode = ssl.CERT_REQUIRED
    return with_handler(ModbusTlsServer, handler)(framer=FramerType.SOCKET, sslctx=tls, **common)


def answer_counts():
    global served
    for _ in sys.stdin:
        count, served = served, 0
        print(count, flush=True)
    os._exit(0)


async def serve():
    kind, *parameters = sys.argv[1:] or ["tcp"]
    server = create_server(kind, parameters)
    await server.serve_forever(background=True)
    if kind in ("ascii", "rtu"):
        port = 0
    elif kind == "udp":
        port = server.transport.get_extra_info("sockname")[1]
    else:
        port = server.transport.sockets[0].getsockname()[1]
    print(port, flush=True)
    threading.Thread(target=answer_counts, daemon=True).start()
    await server.serving


# Connections that end are the point of some tests, not worth a line.
logging.disable(logging.CRITICAL)
asyncio.run(serve())
