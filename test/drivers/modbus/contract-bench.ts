import type { z } from '../../../daemon/base/schema.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { createChannel } from '../../support/modbus-driver-under-test.ts';

type Cable = Pick<
  DriverBench<ModbusAddress>,
  'unplug' | 'plug' | 'silence' | 'wake' | typeof Symbol.asyncDispose
>;

/** Creates a bench with one of the servers of the tests, whose registers hold their offset, at the end of a cable. */
export function createModbusBench(
  settings: z.input<typeof configSchema>,
  cable: Cable,
): DriverBench<ModbusAddress> {
  const config = configSchema.parse(settings);
  return {
    createDriver: () => createModbusDriverFactory().create(config, createDriverContext()),
    channels: [
      { channel: createChannel({ offset: 7 }), value: 7 },
      { channel: createChannel({ offset: 300 }), value: 300 },
      { channel: createChannel({ table: 'INPUT_REGISTERS', offset: 9, dataType: 'INT32' }), value: 0x9_000a },
      { channel: createChannel({ table: 'COILS', offset: 3 }, 'BOOLEAN'), value: true },
    ],
    refused: createChannel({ offset: 60_000 }),
    writable: createChannel({ offset: 500 }),
    // The first is the initial value of a server: it has it again after it was away.
    values: [500, 815],
    ...cable,
  };
}
