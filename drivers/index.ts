import type { DriverFactory } from '../daemon/channel/driver.ts';
import { modbusDriverFactory } from './modbus/modbus-driver.ts';
import { opcuaDriverFactory } from './opcua/opcua-driver.ts';
import { serialDriverFactory } from './serial/serial-driver.ts';

/** Every kind of driver that the gateway has. */
export function createDriverFactories(): readonly DriverFactory[] {
  return [modbusDriverFactory, opcuaDriverFactory, serialDriverFactory];
}
