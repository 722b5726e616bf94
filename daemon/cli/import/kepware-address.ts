import type { Item } from './imported.ts';
import { UnsupportedEntry } from './imported.ts';

/** Addressing and word order of a device, which its tags do not contain. */
export interface KepwareDevice {
  readonly unitId: number;
  /** Number of the first register in its addresses: 1, or 0 where zero-based addressing is off. */
  readonly addressBase: 0 | 1;
  /** True if the low word comes first, the default of the driver. */
  readonly isLowWordFirst: boolean;
}

/** Type of Kepware: data type in registers and value type. */
export interface KepwareType {
  readonly dataType: string;
  readonly valueType: string;
}

const TABLES: Readonly<Record<string, string>> = {
  '0': 'COILS',
  '1': 'DISCRETE_INPUTS',
  '3': 'INPUT_REGISTERS',
  '4': 'HOLDING_REGISTERS',
};
const LAST_ITEM = 65_536;
const LONG_TYPES = /(?:32|64)$/;

/** Context of the conversion of an address. */
interface AddressContext {
  readonly device: KepwareDevice;
  /** Receives what was imported in another form. */
  readonly remark: (reason: string) => void;
}

/**
 * Converts an address of the Modbus drivers: `400001`, `40001`, `400001.5`, `400001.20H`, `400001[10]`, `400001[2][5]`.
 *
 * @throws {UnsupportedEntry}
 */
export function convertModbusAddress(
  text: string,
  { dataType }: KepwareType,
  { device: { unitId, addressBase, isLowWordFirst }, remark }: AddressContext,
): Item {
  const match = /^([0134])(\d{1,5})(?:\.(\d{1,3})([HL]?)|\s*\[(\d{1,4})\](?:\s*\[(\d{1,4})\])?)?$/i.exec(
    text,
  );
  if (match === null) throw new UnsupportedEntry(`the address "${text}" is not one of Modbus`);
  const [, digit = '', number = '', part, order = '', rows, columns] = match;
  const item = Number(number);
  const offset = item - addressBase;
  if (offset < 0) {
    throw new UnsupportedEntry(
      `the address "${text}" is out of range; if addresses begin with 0, use --address-base 0`,
    );
  }
  if (item > LAST_ITEM) throw new UnsupportedEntry(`the address "${text}" is out of range`);
  const count = rows === undefined ? undefined : Number(rows) * Number(columns ?? 1);
  if (columns !== undefined) {
    remark(`the array of ${rows} rows with ${columns} columns is one list, row by row`);
  }
  const address = { unitId, table: TABLES[digit], offset };
  if (digit === '0' || digit === '1') {
    if (dataType !== 'BOOLEAN') throw new UnsupportedEntry(`bits cannot be ${dataType}`);
    if (part !== undefined) throw new UnsupportedEntry('a bit has no parts');
    return { ...address, ...(count === undefined ? {} : { count }) };
  }
  if (dataType === 'STRING') {
    if (part === undefined) throw new UnsupportedEntry('the length of the text is missing');
    const swapped = order.toUpperCase() === 'L' ? { byteOrder: 'LITTLE_ENDIAN' } : {};
    return { ...address, dataType, length: Number(part), ...swapped };
  }
  if (dataType === 'BOOLEAN') {
    if (part === undefined || order !== '') throw new UnsupportedEntry('the bit of the register is missing');
    return { ...address, dataType, bit: Number(part) };
  }
  if (part !== undefined) throw new UnsupportedEntry(`${dataType} has no bit and no length`);
  const isLong = LONG_TYPES.test(dataType);
  return {
    ...address,
    dataType,
    ...(isLong && isLowWordFirst ? { wordOrder: 'LITTLE_ENDIAN' } : {}),
    ...(count === undefined ? {} : { count }),
  };
}

/**
 * Converts an address of the OPC UA client driver, which is a NodeId.
 *
 * @throws {UnsupportedEntry}
 */
export function convertNodeId(text: string): Item {
  if (!/^(?:ns=\d+|nsu=[^;]+)?;?[isgb]=.+$/.test(text)) {
    throw new UnsupportedEntry(`the address "${text}" is not a NodeId`);
  }
  return { nodeId: text };
}
