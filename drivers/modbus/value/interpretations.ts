import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Interpretation } from '../../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { Encoding } from '../../binary/text-encoding.ts';
import { DecodeFault } from './codec.ts';
import { DATA_TYPES, groupOf, hasWordOrder } from './data-type.ts';
import type { DataType } from './data-type.ts';
import { countEntries, dataTypeOf, isBitTable } from '../modbus-address.ts';
import type { ModbusAddress, Order } from '../modbus-address.ts';
import { createDecode } from './register-codec.ts';

/** Address fields that define the interpretation of registers. */
type Meaning = Partial<Omit<ModbusAddress, 'unitId' | 'table' | 'offset' | 'writeFunction' | 'joinWrites'>>;

const ORDERS: readonly Order[] = ['BIG_ENDIAN', 'LITTLE_ENDIAN'];
// Most likely first: floating-point numbers and plain integers before single bytes and decimal digits.
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
const DECIMAL_TYPES = DATA_TYPES.filter((dataType) => /^BCD|^UINT\d+_MOD10$/.test(dataType));
const TIME_TYPES = DATA_TYPES.filter((dataType) => groupOf(dataType) === 'TIME');
const BITS = Array.from({ length: 16 }, (_, bit) => bit);
const MINIMUM_TEXT_BYTES = 2;
// Typical texts in registers; U+FFFD replaces bytes that are not UTF-8.
const PRINTABLE = /^(?:(?!\uFFFD)[\p{L}\p{M}\p{N}\p{P}\p{S} ])+/u;
// Most bytes decode to some time, so only times near now are likely; for UNIX times only the nearest.
const TIME_TOLERANCE_MS = 3 * 366 * 86_400_000;
const UNIX_TOLERANCE_MS = 31 * 86_400_000;
const MINIMUM_LATIN_BYTES = 6;

/**
 * Lists the possible interpretations of the bytes of a read.
 *
 * @param bytes registers from the offset of the address on, or bits of a bit table
 * @param nowMs milliseconds since the epoch; only times near it are listed
 * @returns raw values with their address fields, including the configured ones if `bytes` are long enough and valid for
 *   them
 */
export function listInterpretations(
  { address, valueType }: Pick<Channel<ModbusAddress>, 'address' | 'valueType'>,
  bytes: Buffer,
  nowMs: number,
): readonly Interpretation[] {
  const configured = meaningOf(address);
  const isBits = isBitTable(address.table);
  const others = isBits ? [] : listMeanings(address, bytes).filter((meaning) => !isSame(meaning, configured));
  const available = isBits ? 8 * bytes.length : bytes.length / 2;
  return [configured, ...others].flatMap((meaning) => {
    const isConfigured = meaning === configured;
    const candidate = toAddress(address, meaning);
    if (countEntries(candidate) > available) return [];
    const value = createDecode(candidate, isConfigured ? valueType : undefined)(bytes, 0);
    if (value instanceof DecodeFault) return [];
    if (!isConfigured && !isLikely(meaning, value, nowMs)) return [];
    return [{ address: { ...meaning }, value, isConfigured }];
  });
}

function listMeanings(address: ModbusAddress, bytes: Buffer): readonly Meaning[] {
  return [...listNumbers(), ...listBits(address), ...listTexts(bytes), ...listDecimals(), ...listTimes()];
}

function listNumbers(): readonly Meaning[] {
  return NUMBER_TYPES.flatMap(inEveryOrder);
}

// Without swapped bytes: no known device swaps the bytes of decimal digits.
function listDecimals(): readonly Meaning[] {
  return DECIMAL_TYPES.flatMap(inEveryOrder).filter(({ byteOrder }) => byteOrder === 'BIG_ENDIAN');
}

function listTimes(): readonly Meaning[] {
  return TIME_TYPES.flatMap(inEveryOrder);
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
    const [unicodeBytes, latinBytes] = [countPrintable(ordered, 'utf-8'), countPrintable(ordered, 'latin1')];
    const textBytes = Math.max(unicodeBytes, latinBytes);
    if (textBytes < MINIMUM_TEXT_BYTES) return [];
    const length = textBytes + (textBytes % 2);
    const encoding = latinBytes > unicodeBytes ? ({ encoding: 'latin1' } as const) : {};
    return [{ dataType: 'STRING', byteOrder, length, ...encoding }];
  });
}

/** Counts the leading bytes that are readable text. */
function countPrintable(bytes: Buffer, encoding: Encoding): number {
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  const [printable = ''] = PRINTABLE.exec(text.toString(encoding)) ?? [];
  return encoding === 'latin1' && !isLikelyLatin(printable) ? 0 : Buffer.byteLength(printable, encoding);
}

// Nearly every byte is a character of Latin-1; real texts have few letters or unit signs beyond ASCII.
function isLikelyLatin(text: string): boolean {
  const strange = Array.from(text).filter((character) => character > '~');
  const isUsual = strange.every((character) => /[\p{L}°²³µ]/u.test(character));
  return isUsual && text.length >= MINIMUM_LATIN_BYTES && text.length >= 4 * strange.length;
}

function isLikely({ dataType = 'BOOLEAN' }: Meaning, value: ChannelValue, nowMs: number): boolean {
  if (groupOf(dataType) !== 'TIME') return true;
  const toleranceMs = dataType.startsWith('UNIX') ? UNIX_TOLERANCE_MS : TIME_TOLERANCE_MS;
  return Math.abs(Date.parse(String(value)) - nowMs) <= toleranceMs;
}

function meaningOf(address: ModbusAddress): Meaning {
  const { unitId: _unitId, table, offset: _offset, wordOrder, byteOrder, ...others } = address;
  const { writeFunction: _writeFunction, joinWrites: _joinWrites, ...meaning } = others;
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
