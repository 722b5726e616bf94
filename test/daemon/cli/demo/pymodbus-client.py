"""Reads and writes the simulated plant on the given port; prints what it saw as JSON."""

import json
import sys

from pymodbus.client import ModbusTcpClient

client = ModbusTcpClient("127.0.0.1", port=int(sys.argv[1]))
client.connect()

setpoint = client.read_holding_registers(0, 1, slave=1).registers[0]
client.write_register(0, 655, slave=1)
client.write_coil(0, False, slave=1)
name = client.read_input_registers(12, 8, slave=1).registers

print(
    json.dumps(
        {
            "setpoint": setpoint,
            "writtenSetpoint": client.read_holding_registers(0, 1, slave=1).registers[0],
            "pump": client.read_coils(0, 1, slave=1).bits[0],
            "deviceName": b"".join(r.to_bytes(2, "big") for r in name).rstrip(b"\0").decode(),
            "meterRegisters": len(client.read_input_registers(0, 4, slave=2).registers),
            "exceptionOfUnknownRegister": client.read_holding_registers(50, 1, slave=1).exception_code,
        }
    )
)
client.close()
