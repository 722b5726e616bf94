"""A Modbus server on pymodbus for tests.

Over TCP; over TLS with `tls CERTIFICATE KEY AUTHORITY`, for clients that the authority knows; in ASCII mode with `ascii DEVICE`;
with frames of serial lines over TCP with `rtu-over-tcp`; in datagrams with `udp`; in RTU mode with `rtu DEVICE`. A last word `closing` has it close each
connection after its first answer, `ignoring` has it ignore requests that touch register 37, `maskless` has it know no mask
write, `limited` has it refuse requests for more than 40 entries, `sparse` has it refuse function code 3 and hold 0x8000 in
the registers 100 to 103. Prints its port as the first line, 0 on a serial line. Every
table has 1,000 entries: registers hold their offset, bits are set where the offset is odd. It identifies itself as `IDENTITY` says. Each line on standard input is
answered by the number of requests served since the line before; the end of the input ends the process.
"""

import asyncio
import logging
import os
import ssl
import sys
import threading

from pymodbus.device import ModbusDeviceIdentification
from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.pdu import ModbusExceptions
from pymodbus.server.async_io import (
    ModbusConnectedRequestHandler,
    ModbusDisconnectedRequestHandler,
    ModbusSerialServer,
    ModbusSingleRequestHandler,
    ModbusTcpServer,
    ModbusTlsServer,
    ModbusUdpServer,
)
from pymodbus.transaction import ModbusAsciiFramer, ModbusRtuFramer, ModbusSocketFramer

ENTRIES = 1000
IDENTITY = {
    "VendorName": "Pymodbus",
    "ProductCode": "PM",
    "MajorMinorRevision": "3.0",
    "VendorUrl": "http://example.com/pymodbus",
    "ProductName": "Pymodbus Server",
    "ModelName": "Test Server",
}
IGNORED = 37
LONGEST = 40
IS_LIMITED = sys.argv[-1:] == ["limited"]
IS_SPARSE = sys.argv[-1:] == ["sparse"]


class CountingSlave(ModbusSlaveContext):
    """Counts the requests: each validates its range exactly once."""

    served = 0

    def validate(self, fc_as_hex, address, count=1):
        CountingSlave.served += 1
        return not (IS_LIMITED and count > LONGEST) and super().validate(fc_as_hex, address, count)


class ClosingHandler(ModbusConnectedRequestHandler):
    """Closes the connection after its first answer."""

    def _send_(self, data):
        if not self.transport.is_closing():
            self.transport.write(data)
            self.transport.close()


def ignoring(handler):
    """Makes a handler that leaves out one register."""

    class IgnoringHandler(handler):
        def execute(self, request, *addr):
            if not request.address <= IGNORED < request.address + getattr(request, "count", 1):
                super().execute(request, *addr)

    return IgnoringHandler


def refusing(function_code):
    """Makes a handler that does not know a function code."""

    class RefusingHandler(ModbusConnectedRequestHandler):
        def execute(self, request, *addr):
            if request.function_code == function_code:
                response = request.doException(ModbusExceptions.IllegalFunction)
                response.transaction_id = request.transaction_id
                response.unit_id = request.unit_id
                self.send(response, *addr)
            else:
                super().execute(request, *addr)

    return RefusingHandler


def answer_counts():
    for _ in sys.stdin:
        served, CountingSlave.served = CountingSlave.served, 0
        print(served, flush=True)
    os._exit(0)


def choose_handler(handler, parameters):
    if parameters[-1:] == ["closing"]:
        return ClosingHandler
    if parameters[-1:] == ["maskless"]:
        return refusing(0x16)
    if IS_SPARSE:
        return refusing(0x03)
    return ignoring(handler) if parameters[-1:] == ["ignoring"] else handler


def create_server(kind, parameters, context):
    address = ("127.0.0.1", 0)
    identity = ModbusDeviceIdentification(info_name=IDENTITY)
    handler = choose_handler(ModbusConnectedRequestHandler, parameters)
    if kind == "rtu-over-tcp":
        return ModbusTcpServer(
            context, identity=identity, framer=ModbusRtuFramer, address=address, handler=handler
        )
    if kind == "udp":
        return ModbusUdpServer(
            context, framer=ModbusSocketFramer, identity=identity, address=address,
            handler=ModbusDisconnectedRequestHandler,
        )
    if kind == "tcp":
        return ModbusTcpServer(context, identity=identity, address=address, handler=handler)
    certificate, key, authority = parameters
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    tls.load_verify_locations(authority)
    tls.verify_mode = ssl.CERT_REQUIRED
    return ModbusTlsServer(context, framer=ModbusSocketFramer, address=address, sslctx=tls)


async def serve():
    bits = [offset % 2 == 1 for offset in range(ENTRIES)]
    registers = [0x8000 if IS_SPARSE and 100 <= offset <= 103 else offset for offset in range(ENTRIES)]
    slave = CountingSlave(
        di=ModbusSequentialDataBlock(0, list(bits)),
        co=ModbusSequentialDataBlock(0, list(bits)),
        hr=ModbusSequentialDataBlock(0, list(registers)),
        ir=ModbusSequentialDataBlock(0, list(registers)),
        zero_mode=True,
    )
    context = ModbusServerContext(slaves=slave, single=True)
    kind, *parameters = sys.argv[1:] or ["tcp"]
    if kind in ("ascii", "rtu"):
        server = ModbusSerialServer(
            context,
            identity=ModbusDeviceIdentification(info_name=IDENTITY),
            framer=ModbusAsciiFramer if kind == "ascii" else ModbusRtuFramer,
            handler=choose_handler(ModbusSingleRequestHandler, parameters),
            port=parameters[0],
            baudrate=19200,
            bytesize=8,
            parity="N",
            stopbits=2,
        )
        await server.start()
        task = asyncio.ensure_future(server.serve_forever())
        print(0, flush=True)
    else:
        server = create_server(kind, parameters, context)
        task = asyncio.ensure_future(server.serve_forever())
        await server.serving
        if kind == "udp":
            port = server.protocol.get_extra_info("sockname")[1]
        else:
            port = server.server.sockets[0].getsockname()[1]
        print(port, flush=True)
    threading.Thread(target=answer_counts, daemon=True).start()
    await task


# Connections that end are the point of some tests, not worth a line.
logging.disable(logging.CRITICAL)
asyncio.run(serve())
