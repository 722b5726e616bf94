import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { modbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { createChannel } from '../../support/modbus-driver-under-test.ts';
import { startPymodbusSerialServer } from '../../support/pymodbus-serial-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';

for (const mode of ['rtu', 'ascii'] as const) {
  testDriver(`Modbus ${mode.toUpperCase()}`, async (): Promise<DriverBench<ModbusAddress>> => {
    const pair = await openSerialPair();
    let server = await startPymodbusSerialServer(mode, pair.instrument);
    const config = configSchema.parse({
      transport: mode,
      device: pair.gateway,
      baudRate: 115_200,
      // A pseudo terminal has eight bits and no parity.
      dataBits: 8,
      parity: 'none',
      responseTimeoutMs: 300,
    });
    return {
      createDriver: () => modbusDriverFactory.create(config, createDriverContext()),
      channels: [
        { channel: createChannel({ offset: 7 }), value: 7 },
        { channel: createChannel({ offset: 300 }), value: 300 },
        {
          channel: createChannel({ table: 'INPUT_REGISTERS', offset: 9, dataType: 'INT32' }),
          value: 0x9_000a,
        },
        { channel: createChannel({ table: 'COILS', offset: 3 }, 'BOOLEAN'), value: true },
      ],
      refused: createChannel({ offset: 60_000 }),
      writable: createChannel({ offset: 500 }),
      // The first is what the server begins with, so that it has it again after it was away.
      values: [500, 815],
      async unplug() {
        await pair.unplug();
        await server[Symbol.asyncDispose]();
      },
      async plug() {
        await pair.replug();
        server = await startPymodbusSerialServer(mode, pair.instrument);
      },
      silence: () => server.hold(),
      wake: () => server.goOn(),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await pair[Symbol.asyncDispose]();
      },
    };
  });
}
