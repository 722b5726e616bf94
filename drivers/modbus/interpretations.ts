import type { Interpretation } from '../../daemon/channel/driver.ts';
import { countEntries, dataTypeOf, isBitTable } from './modbus-address.ts';
import type { DataType, ModbusAddress, Order } from './modbus-address.ts';
import { DecodeFault } from './codec.ts';
import { createRegisterDecode, decodeBit } from './register-codec.ts';

/** The fields of an address that define the meaning of its registers. */
type Meaning = Pick<ModbusAddress, 'dataType' | 'byteOrder'> &
  Partial<Pick<ModbusAddress, 'wordOrder' | 'bit' | 'length'>>;

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
 * @param bytes the registers from the offset of the address on, or one byte with the bit of a bit table
 * @returns raw values with the fields of the address that lead to them; the configured meaning among them, where `bytes`
 *   reach that far and have such a meaning
 */
export function listInterpretations(address: ModbusAddress, bytes: Buffer): readonly Interpretation[] {
  if (isBitTable(address.table)) {
    return [{ address: { dataType: 'BOOLEAN' }, value: decodeBit(bytes, 0), isConfigured: true }];
  }
  const configured = meaningOf(address);
  const others = [...listNumbers(), ...listBits(address), ...listTexts(bytes)];
  return [configured, ...others.filter((meaning) => !isSame(meaning, configured))].flatMap((meaning) => {
    const candidate = toAddress(address, meaning);
    if (2 * countEntries(candidate) > bytes.length) return [];
    const value = createRegisterDecode(candidate)(bytes, 0);
    if (value instanceof DecodeFault) return [];
    return [{ address: { ...meaning }, value, isConfigured: meaning === configured }];
  });
}

function listNumbers(): readonly Meaning[] {
  return NUMBER_TYPES.flatMap((dataType) =>
    ORDERS.flatMap((byteOrder): readonly Meaning[] =>
      hasWordOrder(dataType)
        ? ORDERS.map((wordOrder) => ({ dataType, byteOrder, wordOrder }))
        : [{ dataType, byteOrder }],
    ),
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
  const { byteOrder, wordOrder, bit, length } = address;
  const dataType = dataTypeOf(address);
  return {
    dataType,
    byteOrder,
    ...(hasWordOrder(dataType) ? { wordOrder } : {}),
    ...(bit === undefined ? {} : { bit }),
    ...(length === undefined ? {} : { length }),
  };
}

function isSame(a: Meaning, b: Meaning): boolean {
  return (
    a.dataType === b.dataType &&
    a.byteOrder === b.byteOrder &&
    a.wordOrder === b.wordOrder &&
    a.bit === b.bit &&
    a.length === b.length
  );
}

function toAddress({ unitId, table, offset }: ModbusAddress, meaning: Meaning): ModbusAddress {
  return { unitId, table, offset, wordOrder: 'BIG_ENDIAN', ...meaning };
}

function hasWordOrder(dataType: DataType): boolean {
  return /32|64/.test(dataType);
}
