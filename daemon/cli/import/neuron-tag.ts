import type { Item } from './imported.ts';
import { UnsupportedEntry, withoutGaps, lookUp, scaleFields } from './imported.ts';

interface TagType {
  /** Type in Modbus registers; absent if Neuron has none. */
  readonly modbus?: string;
  /** Type of the variable of an OPC UA server, for writes. */
  readonly opcua?: string;
  readonly valueType: string;
}

// "Data Type" in the documentation of the HTTP API of Neuron.
const TYPES: Readonly<Record<string, TagType>> = {
  1: { opcua: 'SByte', valueType: 'INTEGER' },
  2: { opcua: 'Byte', valueType: 'INTEGER' },
  3: { modbus: 'INT16', opcua: 'Int16', valueType: 'INTEGER' },
  4: { modbus: 'UINT16', opcua: 'UInt16', valueType: 'INTEGER' },
  5: { modbus: 'INT32', opcua: 'Int32', valueType: 'INTEGER' },
  6: { modbus: 'UINT32', opcua: 'UInt32', valueType: 'LONG' },
  7: { modbus: 'INT64', opcua: 'Int64', valueType: 'LONG' },
  8: { modbus: 'UINT64', opcua: 'UInt64', valueType: 'LONG' },
  9: { modbus: 'FLOAT32', opcua: 'Float', valueType: 'FLOAT' },
  10: { modbus: 'FLOAT64', opcua: 'Double', valueType: 'DOUBLE' },
  11: { modbus: 'BOOLEAN', opcua: 'Boolean', valueType: 'BOOLEAN' },
  12: { modbus: 'BOOLEAN', opcua: 'Boolean', valueType: 'BOOLEAN' },
  13: { modbus: 'STRING', opcua: 'String', valueType: 'STRING' },
  14: { modbus: 'BYTES', opcua: 'ByteString', valueType: 'BYTE_ARRAY' },
  16: { modbus: 'UINT16', opcua: 'UInt16', valueType: 'INTEGER' },
  17: { modbus: 'UINT32', opcua: 'UInt32', valueType: 'LONG' },
  18: { modbus: 'UINT64', opcua: 'UInt64', valueType: 'LONG' },
};
const READ = 1;
const WRITE = 2;
const STATIC = 8;
const TABLES: Readonly<Record<string, string>> = {
  '0': 'COILS',
  '1': 'DISCRETE_INPUTS',
  '3': 'INPUT_REGISTERS',
  '4': 'HOLDING_REGISTERS',
};
const SWAPPED = { byteOrder: 'LITTLE_ENDIAN' };
const LOW_FIRST = { wordOrder: 'LITTLE_ENDIAN' };
const BY_SETTING: Readonly<Record<string, Item>> = {
  1: {},
  2: SWAPPED,
  3: { ...SWAPPED, ...LOW_FIRST },
  4: LOW_FIRST,
};
// What Neuron does with the registers of a tag: nothing for LL; bytes swapped for LB; registers turned around for BL.
const BY_SUFFIX: Readonly<Record<string, Item>> = {
  L: {},
  LL: {},
  LB: SWAPPED,
  BL: LOW_FIRST,
  B: { ...SWAPPED, ...LOW_FIRST },
  BB: { ...SWAPPED, ...LOW_FIRST },
};

/** Context of the conversion of a tag. */
export interface TagContext {
  readonly speaks: 'modbus' | 'opcua';
  /** Settings of its node. */
  readonly params: Item;
  /** Receives what was imported in another form. */
  readonly remark: (reason: string) => void;
}

/**
 * Converts a tag except for its name.
 *
 * @throws {UnsupportedEntry}
 */
export function convertTag(tag: Item, { speaks, params, remark }: TagContext): Item {
  const attribute = numberOf(tag, 'attribute') ?? READ;
  if ((attribute & STATIC) !== 0) throw new UnsupportedEntry('its value is fixed and not on a device');
  const type = lookUp(TYPES, String(numberOf(tag, 'type') ?? 0));
  if (type === undefined) throw new UnsupportedEntry(`type ${String(tag['type'])} has no counterpart`);
  const scale = numberOf(tag, 'decimal') ?? 0;
  const offset = numberOf(tag, 'bias') ?? 0;
  const isInteger = type.valueType === 'INTEGER' || type.valueType === 'LONG';
  const scaling = scaleFields(scale === 0 ? 1 : scale, offset);
  const isScaled = Object.keys(scaling).length > 0;
  const { address: text, unit, description } = tag;
  if (typeof text !== 'string') throw new UnsupportedEntry('address is missing');
  return withoutGaps({
    type: toDirection(attribute),
    // Neuron calculates scaled values as doubles.
    valueType: isScaled && isInteger ? 'DOUBLE' : type.valueType,
    ...(isInteger || type.valueType === 'FLOAT' || type.valueType === 'DOUBLE' ? scaling : {}),
    unit: typeof unit === 'string' && unit !== '' ? unit : undefined,
    description: typeof description === 'string' && description !== '' ? description : undefined,
    address:
      speaks === 'modbus'
        ? convertModbusAddress(text, type.modbus, { params, remark })
        : convertOpcuaAddress(text, type.opcua),
  });
}

function toDirection(attribute: number): string {
  if ((attribute & WRITE) === 0) return 'READ';
  return (attribute & READ) === 0 ? 'WRITE' : 'READ_WRITE';
}

/** `SLAVE!ADDRESS[.BIT][#ENDIAN][.LENGTH[H|L|D|E]]` */
function convertModbusAddress(
  text: string,
  dataType: string | undefined,
  { params, remark }: Pick<TagContext, 'params' | 'remark'>,
): Item {
  if (dataType === undefined) throw new UnsupportedEntry('registers do not support this type');
  const match = /^(\d{1,3})!([0134])(\d{1,6})(?:\.(\d{1,3})([HLDE]?))?(?:#([BL]{1,2}|WS|WR))?$/.exec(text);
  if (match === null) throw new UnsupportedEntry(`the address "${text}" has an unsupported format`);
  const [, unit = '', digit = '', number = '', part, order = '', suffix] = match;
  const base = params['address_base'] === 0 ? 0 : 1;
  const offset = Number(number) - base;
  if (offset < 0) throw new UnsupportedEntry(`the address "${text}" is out of range`);
  const address = { unitId: Number(unit), table: TABLES[digit], offset };
  if (digit === '0' || digit === '1') {
    if (dataType !== 'BOOLEAN') throw new UnsupportedEntry(`bits cannot be ${dataType}`);
    if (part !== undefined) throw new UnsupportedEntry('a bit has no parts');
    return address;
  }
  if (dataType === 'BOOLEAN') {
    if (order !== '') throw new UnsupportedEntry('the bit of the register has an unsupported format');
    return { ...address, dataType, bit: part === undefined ? 0 : Number(part) };
  }
  if (dataType === 'STRING' || dataType === 'BYTES') {
    if (part === undefined) throw new UnsupportedEntry('the length is missing');
    if (order === 'D' || order === 'E') {
      // Documented as the high byte, but read like D.
      if (order === 'E')
        remark('is read with the low byte of each register, as Neuron does; compare the text');
      return { ...address, ...toSpreadText(dataType, Number(part)) };
    }
    return { ...address, dataType, length: Number(part), ...(order === 'L' ? SWAPPED : {}) };
  }
  if (part !== undefined) throw new UnsupportedEntry(`type ${dataType} has no bit and no length`);
  return { ...address, dataType, ...toOrder(dataType, suffix, params) };
}

const MAXIMUM_SPREAD_BYTES = 125;

/** Converts a text with one byte in each register: the low one. */
function toSpreadText(dataType: string, length: number): Item {
  if (dataType !== 'STRING') throw new UnsupportedEntry('bytes in single registers have no counterpart');
  if (length > MAXIMUM_SPREAD_BYTES) {
    throw new UnsupportedEntry(
      `the length ${length} is too large: a text has at most ${MAXIMUM_SPREAD_BYTES} registers`,
    );
  }
  return { dataType: 'STRING_REGISTERS', length };
}

function toOrder(dataType: string, suffix: string | undefined, params: Item): Item {
  if (dataType.endsWith('16')) return suffix === 'B' ? SWAPPED : {};
  const chosen = params[dataType.endsWith('64') ? 'endianess_64' : 'endianess'] ?? 1;
  const setting = typeof chosen === 'number' ? String(chosen) : '';
  // For 32 bits, Neuron only evaluates two letters.
  const isRead = suffix !== undefined && (suffix.length === 2 || dataType.endsWith('64'));
  const order = isRead ? lookUp(BY_SUFFIX, suffix) : lookUp(BY_SETTING, setting);
  if (order === undefined)
    throw new UnsupportedEntry(`the byte order ${suffix ?? setting} has no counterpart`);
  return order;
}

/** `NS!NODEID`; the identifier is a number or a text. */
function convertOpcuaAddress(text: string, dataType: string | undefined): Item {
  const [, namespace = '', id = ''] = /^(\d{1,5})!(.+)$/s.exec(text) ?? [];
  if (id === '') throw new UnsupportedEntry(`the address "${text}" has an unsupported format`);
  const isNumber = /^\d{1,10}$/.test(id);
  return withoutGaps({ nodeId: `ns=${namespace};${isNumber ? 'i' : 's'}=${id}`, dataType });
}

function numberOf(tag: Item, key: string): number | undefined {
  const value = tag[key];
  if (value === undefined || value === null) return undefined;
  // JSON may have 1e999.
  if (Number.isFinite(value)) return Number(value);
  throw new UnsupportedEntry(`${key} is not a number`);
}
