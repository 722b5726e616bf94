import { systemClock } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { z } from '../../daemon/base/schema.ts';
import type { Driver, DriverContext } from '../../daemon/channel/driver.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import type { ModbusAddress } from '../../drivers/modbus/modbus-address.ts';
import { configSchema } from '../../drivers/modbus/modbus-config.ts';
import type { ConfigOf } from '../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from './driver-context.ts';
import { createMemoryLogger } from './memory-logger.ts';
import type { MemoryLine } from './memory-logger.ts';

export interface DriverUnderTest extends AsyncDisposable {
  readonly driver: Driver<ModbusAddress>;
  readonly lines: readonly MemoryLine[];
  /** Losses reported through `onLost`. */
  readonly losses: readonly Error[];
}

/** Connects a driver to a Modbus TCP server on loopback; disposing of it closes the link. */
export function connectDriver(
  port: number,
  { clock = systemClock, ...settings }: Partial<ConfigOf<'tcp'>> & { readonly clock?: Clock } = {},
): Promise<DriverUnderTest> {
  return connectDriverTo({ host: '127.0.0.1', port, ...settings }, { clock });
}

/** Connects a driver with these settings; disposing of it closes the link. */
export async function connectDriverTo(
  settings: z.input<typeof configSchema>,
  given: Partial<DriverContext> = {},
): Promise<DriverUnderTest> {
  const logger = createMemoryLogger();
  const config = configSchema.parse(settings);
  const driver = createModbusDriverFactory().create(config, createDriverContext({ logger, ...given }));
  const losses: Error[] = [];
  await driver.connect(new AbortController().signal, (error) => losses.push(error));
  return {
    driver,
    lines: logger.lines,
    losses,
    [Symbol.asyncDispose]: () => driver.disconnect(),
  };
}

/** Creates a channel with the given address; a UINT16 of a holding register of unit 1 unless told. */
export function createChannel(
  address: Partial<ModbusAddress> = {},
  valueType: ValueType = 'INTEGER',
): Channel<ModbusAddress> {
  const table = address.table ?? 'HOLDING_REGISTERS';
  const isBit = table === 'COILS' || table === 'DISCRETE_INPUTS';
  return {
    name: `${table} ${address.offset ?? 0}`,
    type: 'READ_WRITE',
    valueType,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
    address: {
      unitId: 1,
      table,
      offset: 0,
      byteOrder: 'BIG_ENDIAN',
      wordOrder: 'BIG_ENDIAN',
      ...(isBit ? {} : { dataType: 'UINT16' }),
      ...address,
    },
  };
}

/** Creates channels of consecutive holding registers of unit 1. */
export function createRegisterChannels(first: number, count: number): readonly Channel<ModbusAddress>[] {
  return Array.from({ length: count }, (_, index) => createChannel({ offset: first + index }));
}

/** A signal that never aborts. */
export function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
