import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import { startLibmodbusLine } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { createModbusBench } from './contract-bench.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const BAUD_RATE = 115_200;

testDriver(
  'Modbus RTU, against libmodbus',
  () => createBench('rtu', (device) => startLibmodbusLine(device, { baudRate: BAUD_RATE })),
  testsThatNeed('libmodbus', 'socat'),
);

for (const [name, startServer] of PYMODBUS_SERVERS) {
  testDriver(
    `Modbus ASCII, against ${name}`,
    () => createBench('ascii', (device) => startServer('ascii', device)),
    testsThatNeed(name, 'socat'),
  );
}

async function createBench(
  transport: 'rtu' | 'ascii',
  start: (device: string) => Promise<ModbusProcess>,
): Promise<DriverBench<ModbusAddress>> {
  const pair = await openSerialPair();
  let server = await start(pair.instrument);
  // A pseudo terminal has eight bits and no parity.
  const line = { baudRate: BAUD_RATE, dataBits: 8, parity: 'none' } as const;
  const settings = { transport, device: pair.gateway, ...line, responseTimeoutMs: 1000 };
  return createModbusBench(settings, {
    async unplug() {
      await pair.unplug();
      await server.close();
    },
    async plug() {
      await pair.replug();
      server = await start(pair.instrument);
    },
    silence: () => server.hold(),
    wake: () => server.goOn(),
    async [Symbol.asyncDispose]() {
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  });
}
