import type { DriverBench } from '../../contract/driver-bench.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { modbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { createChannel } from '../../support/modbus-driver-under-test.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';

for (const pipelineDepth of [1, 8]) {
  testDriver(`Modbus TCP, ${pipelineDepth} at once`, () => createBench(pipelineDepth));
}

async function createBench(pipelineDepth: number): Promise<DriverBench<ModbusAddress>> {
  const server = await startLibmodbusServer();
  const cable = await layTcpCable(server.port);
  const config = configSchema.parse({ host: '127.0.0.1', port: cable.port, pipelineDepth });
  return {
    createDriver: () => modbusDriverFactory.create(config, createDriverContext()),
    channels: [
      { channel: createChannel({ offset: 7 }), value: 7 },
      { channel: createChannel({ offset: 300 }), value: 300 },
      { channel: createChannel({ table: 'INPUT_REGISTERS', offset: 9, dataType: 'INT32' }), value: 0x9_000a },
      { channel: createChannel({ table: 'COILS', offset: 3 }, 'BOOLEAN'), value: true },
    ],
    refused: createChannel({ offset: 60_000 }),
    writable: createChannel({ offset: 500 }),
    values: [4711, 815],
    unplug: () => cable.pull(),
    plug: () => cable.mend(),
    silence: () => cable.hold(),
    wake: () => cable.release(),
    async [Symbol.asyncDispose]() {
      await cable[Symbol.asyncDispose]();
      await server.close();
    },
  };
}
