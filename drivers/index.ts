import type { DriverFactory } from '../daemon/channel/driver.ts';
import { systemLinks } from './link/links.ts';
import { createModbusDriverFactory } from './modbus/modbus-driver.ts';
import { opcuaDriverFactory } from './opcua/opcua-driver.ts';
import { createSerialDriverFactory } from './serial/serial-driver.ts';

/** Creates every kind of driver that the gateway has. */
export function createDriverFactories(links = systemLinks): readonly DriverFactory[] {
  return [createModbusDriverFactory(links), opcuaDriverFactory, createSerialDriverFactory(links)];
}
