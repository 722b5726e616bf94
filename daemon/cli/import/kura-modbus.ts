import type { Item } from './imported.ts';
import { UnsupportedEntry, withoutGaps, lookUp } from './imported.ts';
import type { KuraProperties } from './kura-properties.ts';

// Type names of the Eurotech driver that differ from those of Penstock.
const DATA_TYPES: Readonly<Record<string, string>> = {
  FLOAT: 'FLOAT32',
  DOUBLE: 'FLOAT64',
  SHORT: 'INT16',
  INTEGER: 'INT32',
  LONG: 'INT64',
};
const ONE_REGISTER: ReadonlySet<string> = new Set(['BOOLEAN', 'INT8', 'UINT8', 'INT16', 'UINT16']);
const PARITIES: Readonly<Record<string, string>> = {
  NO_PARITY: 'none',
  ODD_PARITY: 'odd',
  EVEN_PARITY: 'even',
};
const STOP_BITS: Readonly<Record<string, number>> = { ONE_STOP_BIT: 1, TWO_STOP_BITS: 2 };

/**
 * Converts the address of a channel.
 *
 * @param properties those of the driver; used ones are removed
 * @throws {UnsupportedEntry}
 */
export function convertModbusAddress(properties: KuraProperties, remark: (reason: string) => void): Item {
  const table = properties.take('primary.table');
  const isBitTable = table === 'COILS' || table === 'DISCRETE_INPUTS';
  const declared = properties.take('data.type');
  const order = properties.take('data.order');
  const length = properties.takeNumber('array.data.length');
  const address = {
    unitId: properties.takeNumber('unit.id'),
    table,
    offset: properties.takeNumber('memory.address'),
    bit: properties.takeNumber('bit.index'),
  };
  if (table === undefined) throw new UnsupportedEntry('primary.table is missing');
  if (address.offset === undefined) throw new UnsupportedEntry('memory.address is missing');
  if (isBitTable) return withoutGaps({ ...address, bit: undefined });
  const dataType = lookUp(DATA_TYPES, declared ?? '') ?? declared;
  if (dataType === undefined) throw new UnsupportedEntry('data.type is missing');
  if (length !== undefined && length > 1) {
    throw new UnsupportedEntry(
      'arrays differ: add the channel with address.length in bytes, or address.count',
    );
  }
  if (ONE_REGISTER.has(dataType) || order === undefined || order === 'BIG_ENDIAN') {
    return withoutGaps({ ...address, dataType, bit: dataType === 'BOOLEAN' ? address.bit : undefined });
  }
  if (order !== 'LITTLE_ENDIAN') throw new UnsupportedEntry(`data.order ${order} is not supported`);
  remark(`data.order ${order} is interpreted as low word first; compare a value with the device`);
  return withoutGaps({ ...address, dataType, bit: undefined, wordOrder: 'LITTLE_ENDIAN' });
}

/**
 * Converts the settings of a connection.
 *
 * @throws {UnsupportedEntry}
 */
export function convertModbusDriver(properties: KuraProperties): Item {
  const access = properties.take('access.type') ?? 'TCP';
  const timeout = properties.takeNumber('modbus.timeout');
  const common = { type: 'modbus', responseTimeoutMs: timeout === undefined ? undefined : timeout * 1000 };
  const network = {
    host: properties.take('modbus.tcp-udp.ip'),
    port: properties.takeNumber('modbus.tcp-udp.port'),
  };
  const line = {
    device: properties.take('modbus.rtu.port.name'),
    baudRate: properties.takeNumber('modbus.rtu.baudrate'),
    dataBits: properties.takeNumber('modbus.rtu.databits'),
    parity: properties.take('modbus.rtu.parity'),
    stopBits: properties.take('modbus.rtu.stopbits'),
    encoding: properties.take('modbus.rtu.encoding'),
  };
  if (access === 'TCP' || access === 'UDP') {
    if (network.host === undefined) throw new UnsupportedEntry('modbus.tcp-udp.ip is missing');
    return withoutGaps({ ...common, ...(access === 'UDP' ? { transport: 'udp' } : {}), ...network });
  }
  if (access !== 'RTU') throw new UnsupportedEntry(`no driver supports Modbus over ${access}`);
  if (line.device === undefined) throw new UnsupportedEntry('modbus.rtu.port.name is missing');
  const { encoding = 'SERIAL_ENCODING_RTU', parity, stopBits, ...rest } = line;
  if (encoding === 'SERIAL_ENCODING_BIN')
    throw new UnsupportedEntry('no driver supports Modbus in binary frames');
  return withoutGaps({
    ...common,
    ...rest,
    transport: encoding === 'SERIAL_ENCODING_ASCII' ? 'ascii' : 'rtu',
    parity: parity === undefined ? undefined : translate('modbus.rtu.parity', parity, PARITIES),
    stopBits: stopBits === undefined ? undefined : translate('modbus.rtu.stopbits', stopBits, STOP_BITS),
  });
}

function translate<T>(name: string, text: string, table: Readonly<Record<string, T>>): T {
  const value = lookUp(table, text);
  if (value === undefined) throw new UnsupportedEntry(`${name} ${text} is not supported`);
  return value;
}
