import type { DriverFactory } from '../daemon/channel/driver.ts';
import { systemLinks } from './link/links.ts';
import { createModbusDriverFactory } from './modbus/modbus-driver.ts';
import { equipFromMachine } from './opcua/browse/equipment.ts';
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
  equip = equipFromMachine,
): readonly DriverFactory[] {
  return [
    createModbusDriverFactory(links),
    createOpcuaDriverFactory(equip),
    createSerialDriverFactory(links),
  ];
}
