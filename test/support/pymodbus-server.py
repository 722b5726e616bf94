"""A Modbus TCP server on pymodbus for tests.

Prints its port as the first line. Every table has 1,000 entries: registers hold their offset, bits are set where the
offset is odd. Each line on standard input is answered by the number of requests served since the line before; the end
of the input ends the process.
"""

import asyncio
import logging
import os
import sys
import threading

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server.async_io import ModbusTcpServer

ENTRIES = 1000


class CountingSlave(ModbusSlaveContext):
    """Counts the requests: each validates its range exactly once."""

    served = 0

    def validate(self, fc_as_hex, address, count=1):
        CountingSlave.served += 1
        return super().validate(fc_as_hex, address, count)


def answer_counts():
    for _ in sys.stdin:
        served, CountingSlave.served = CountingSlave.served, 0
        print(served, flush=True)
    os._exit(0)


async def serve():
    bits = [offset % 2 == 1 for offset in range(ENTRIES)]
    registers = list(range(ENTRIES))
    slave = CountingSlave(
        di=ModbusSequentialDataBlock(0, list(bits)),
        co=ModbusSequentialDataBlock(0, list(bits)),
        hr=ModbusSequentialDataBlock(0, list(registers)),
        ir=ModbusSequentialDataBlock(0, list(registers)),
        zero_mode=True,
    )
    context = ModbusServerContext(slaves=slave, single=True)
    server = ModbusTcpServer(context, address=("127.0.0.1", 0))
    task = asyncio.ensure_future(server.serve_forever())
    await server.serving
    print(server.server.sockets[0].getsockname()[1], flush=True)
    threading.Thread(target=answer_counts, daemon=True).start()
    await task


# Connections that end are the point of some tests, not worth a line.
logging.disable(logging.CRITICAL)
asyncio.run(serve())
