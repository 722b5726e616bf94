"""Reads and writes the simulated plant over the given transport and port, with any release of pymodbus; prints what it saw as JSON."""

import inspect
import json
import sys

from pymodbus.client import ModbusTcpClient, ModbusUdpClient

make = ModbusUdpClient if sys.argv[1] == "udp" else ModbusTcpClient
client = make("127.0.0.1", port=int(sys.argv[2]))
client.connect()
# Releases from 3.10 on have another name for the unit.
word = "slave" if "slave" in inspect.signature(client.read_coils).parameters else "device_id"
unit, meter = {word: 1}, {word: 2}

setpoint = client.read_holding_registers(0, count=1, **unit).registers[0]
client.write_register(0, 655, **unit)
client.write_coil(0, False, **unit)
name = client.read_input_registers(12, count=8, **unit).registers

print(
    json.dumps(
        {
            "setpoint": setpoint,
            "writtenSetpoint": client.read_holding_registers(0, count=1, **unit).registers[0],
            "pump": client.read_coils(0, count=1, **unit).bits[0],
            "deviceName": b"".join(r.to_bytes(2, "big") for r in name).rstrip(b"\0").decode(),
            "meterRegisters": len(client.read_input_registers(0, count=4, **meter).registers),
            "exceptionOfUnknownRegister": client.read_holding_registers(50, count=1, **unit).exception_code,
        }
    )
)
client.close()
