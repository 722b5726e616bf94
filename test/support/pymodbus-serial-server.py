"""A Modbus server on pymodbus on a serial line: pymodbus-serial-server.py rtu|ascii DEVICE; ends with its input.

Prints one line when it serves. Unit 1 has 1,000 entries in every table: registers hold their offset, bits are set where the
offset is odd.
"""

import asyncio
import logging
import os
import sys
import threading

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server.async_io import ModbusSerialServer
from pymodbus.transaction import ModbusAsciiFramer, ModbusRtuFramer

ENTRIES = 1000
FRAMERS = {"rtu": ModbusRtuFramer, "ascii": ModbusAsciiFramer}


def end_with_input():
    sys.stdin.read()
    os._exit(0)


async def serve(framer, device):
    bits = [offset % 2 == 1 for offset in range(ENTRIES)]
    registers = list(range(ENTRIES))
    slave = ModbusSlaveContext(
        di=ModbusSequentialDataBlock(0, list(bits)),
        co=ModbusSequentialDataBlock(0, list(bits)),
        hr=ModbusSequentialDataBlock(0, list(registers)),
        ir=ModbusSequentialDataBlock(0, list(registers)),
        zero_mode=True,
    )
    context = ModbusServerContext(slaves={1: slave}, single=False)
    server = ModbusSerialServer(context, framer=framer, port=device, baudrate=19200)
    await server.start()
    print("ready", flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    await server.serve_forever()


logging.disable(logging.CRITICAL)
asyncio.run(serve(FRAMERS[sys.argv[1]], sys.argv[2]))
