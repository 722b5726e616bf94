import type { DriverFactory } from '../daemon/channel/driver.ts';
import { systemLinks } from './link/links.ts';
import { createModbusDriverFactory } from './modbus/modbus-driver.ts';
import { createSystemClientStack } from './opcua/browse/client-stack.ts';
import { createOpcuaDriverFactory } from './opcua/opcua-driver.ts';
import { createSerialDriverFactory } from './serial/serial-driver.ts';

/**
 * Creates every kind of driver that the gateway has.
 *
 * @param links the way to devices of which the gateway sends and receives bytes
 * @param equip the way to OPC UA servers
 */
export function createDriverFactories(
  links = systemLinks,
  equip = createSystemClientStack,
): readonly DriverFactory[] {
  return [
    createModbusDriverFactory(links),
    createOpcuaDriverFactory(equip),
    createSerialDriverFactory(links),
  ];
}
