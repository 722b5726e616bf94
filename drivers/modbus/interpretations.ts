import type { Interpretation } from '../../daemon/channel/driver.ts';
import { DecodeFault } from './codec.ts';
import { hasWordOrder } from './data-type.ts';
import type { DataType } from './data-type.ts';
import { countEntries, dataTypeOf, isBitTable } from './modbus-address.ts';
import type { ModbusAddress, Order } from './modbus-address.ts';
import { createDecode } from './register-codec.ts';

/** The fields of an address that define the meaning of its registers. */
type Meaning = Partial<Omit<ModbusAddress, 'unitId' | 'table' | 'offset'>>;

const ORDERS: readonly Order[] = ['BIG_ENDIAN', 'LITTLE_ENDIAN'];
const NUMBER_TYPES: readonly DataType[] = [
  'INT16',
  'UINT16',
  'INT32',
  'UINT32',
  'FLOAT32',
  'INT64',
  'UINT64',
  'FLOAT64',
  'INT8',
  'UINT8',
];
const BITS = Array.from({ length: 16 }, (_, bit) => bit);
const SHORTEST_TEXT_BYTES = 2;
// Texts as devices hold them in registers; U+FFFD stands for bytes that are no UTF-8.
const PRINTABLE = /^(?:(?!\uFFFD)[\p{L}\p{M}\p{N}\p{P}\p{S} ])+/u;
/**
 * Lists everything that the answer to a read may mean.
 *
 * @param bytes the registers from the offset of the address on, or the bits of a bit table
 * @returns raw values with the fields of the address that lead to them; the configured meaning among them, where `bytes`
 *   reach that far and have such a meaning
 */
export function listInterpretations(address: ModbusAddress, bytes: Buffer): readonly Interpretation[] {
  const configured = meaningOf(address);
  const isBits = isBitTable(address.table);
  const others = isBits ? [] : listMeanings(address, bytes).filter((meaning) => !isSame(meaning, configured));
  const available = isBits ? 8 * bytes.length : bytes.length / 2;
  return [configured, ...others].flatMap((meaning) => {
    const isConfigured = meaning === configured;
    const candidate = toAddress(address, meaning);
    if (countEntries(candidate) > available) return [];
    const value = createDecode(candidate)(bytes, 0);
    if (value instanceof DecodeFault) return [];
    return [{ address: { ...meaning }, value, isConfigured }];
  });
}

function listMeanings(address: ModbusAddress, bytes: Buffer): readonly Meaning[] {
  return [...listNumbers(), ...listBits(address), ...listTexts(bytes)];
}

function listNumbers(): readonly Meaning[] {
  return NUMBER_TYPES.flatMap(inEveryOrder);
}

function inEveryOrder(dataType: DataType): readonly Meaning[] {
  return ORDERS.flatMap((byteOrder): readonly Meaning[] =>
    hasWordOrder(dataType)
      ? ORDERS.map((wordOrder) => ({ dataType, byteOrder, wordOrder }))
      : [{ dataType, byteOrder }],
  );
}

function listBits({ byteOrder }: ModbusAddress): readonly Meaning[] {
  return BITS.map((bit) => ({ dataType: 'BOOLEAN', byteOrder, bit }));
}

function listTexts(bytes: Buffer): readonly Meaning[] {
  return ORDERS.flatMap((byteOrder): readonly Meaning[] => {
    const ordered = byteOrder === 'LITTLE_ENDIAN' ? Buffer.from(bytes).swap16() : bytes;
    const [text = ''] = PRINTABLE.exec(ordered.toString('utf8')) ?? [];
    const textBytes = Buffer.byteLength(text);
    if (textBytes < SHORTEST_TEXT_BYTES) return [];
    return [{ dataType: 'STRING', byteOrder, length: textBytes + (textBytes % 2) }];
  });
}

function meaningOf(address: ModbusAddress): Meaning {
  const { unitId: _unitId, table, offset: _offset, wordOrder, byteOrder, ...meaning } = address;
  const dataType = dataTypeOf(address);
  if (isBitTable(table)) return { ...meaning, dataType };
  return { ...meaning, dataType, byteOrder, ...(hasWordOrder(dataType) ? { wordOrder } : {}) };
}

function isSame(a: Meaning, b: Meaning): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as ReadonlySet<keyof Meaning>;
  return [...keys].every((key) => a[key] === b[key]);
}

function toAddress({ unitId, table, offset }: ModbusAddress, meaning: Meaning): ModbusAddress {
  return { unitId, table, offset, byteOrder: 'BIG_ENDIAN', wordOrder: 'BIG_ENDIAN', ...meaning };
}
