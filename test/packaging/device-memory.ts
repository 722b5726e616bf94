import type { PlantMemory } from '../../daemon/simulator/modbus-server.ts';
import type { DeviceTable, Form, TableRow } from './device-tables.ts';

type Kind = 'COILS' | 'DISCRETE_INPUTS' | 'INPUT_REGISTERS' | 'HOLDING_REGISTERS';

// What other registers hold, so that a value from a wrong place is seen.
const STRANGE = 0xbeef;

/** The memory of a simulated device that holds the values of a table. */
export interface DeviceMemory extends PlantMemory {
  /** Returns the content of the registers that a table names for a channel. */
  contentOf(channel: string): readonly number[];
}

/** Fills a memory from the table of a maker; every other entry holds something else. */
export function createDeviceMemory(device: DeviceTable, unitId: number): DeviceMemory {
  const entries = new Map<string, number>();
  const places = new Map<string, readonly string[]>();
  const { rows, kind, others } = device;
  for (const [list, listKind] of [
    [rows, kind] as const,
    [others?.rows ?? [], others?.kind ?? kind] as const,
  ]) {
    for (const row of list) {
      const [channel, number] = row;
      const [entryKind, address] = locate(device, number, listKind, row);
      const words = encode(row);
      const keys = words.map((_, index) => `${entryKind} ${address + index}`);
      places.set(channel, keys);
      for (const [index, key] of keys.entries()) entries.set(key, words[index] ?? 0);
    }
  }
  for (const [number, exponent] of device.scales ?? []) {
    entries.set(`${kind} ${number}`, exponent & 0xffff);
  }
  const isBit = (table: string): boolean => table === 'COILS' || table === 'DISCRETE_INPUTS';
  return {
    read: (unit, table, offset) =>
      unit === unitId ? (entries.get(`${table} ${offset}`) ?? (isBit(table) ? 1 : STRANGE)) : undefined,
    write(unit, table, offset, value) {
      const key = `${table} ${offset}`;
      if (unit !== unitId || !entries.has(key)) return false;
      entries.set(key, value);
      return true;
    },
    contentOf: (channel) => (places.get(channel) ?? []).map((key) => entries.get(key) ?? -1),
  };
}

/** Encodes the value of a row with the means of the runtime, as the maker describes it. */
export function encode([, , form, value, weight = 1]: TableRow): readonly number[] {
  if (form === 'bit') return [value === true ? 1 : 0];
  if (typeof value === 'string') return encodeText(value, form);
  const raw = typeof value === 'number' ? Math.round(value * weight * 1e6) / 1e6 : 0;
  const bytes = Buffer.alloc(8);
  const writers: Readonly<Record<string, readonly [number, () => void]>> = {
    int16: [1, () => bytes.writeInt16BE(raw)],
    uint16: [1, () => bytes.writeUInt16BE(raw)],
    int32: [2, () => bytes.writeInt32BE(raw)],
    uint32: [2, () => bytes.writeUInt32BE(raw)],
    'int32, low word first': [2, () => bytes.writeInt32BE(raw)],
    int64: [4, () => bytes.writeBigInt64BE(BigInt(raw))],
    uint64: [4, () => bytes.writeBigUInt64BE(BigInt(Math.round(raw)))],
    float: [2, () => bytes.writeFloatBE(raw)],
    double: [4, () => bytes.writeDoubleBE(raw)],
  };
  const [count, write] = writers[form] ?? [0, () => undefined];
  write();
  const words = Array.from({ length: count }, (_, index) => bytes.readUInt16BE(2 * index));
  return form === 'int32, low word first' ? words.toReversed() : words;
}

function encodeText(text: string, form: Form): readonly number[] {
  const count = Number(/\d+/.exec(form)?.[0] ?? 0);
  const bytes = Buffer.alloc(2 * count);
  bytes.write(text, 'latin1');
  return Array.from({ length: count }, (_, index) => bytes.readUInt16BE(2 * index));
}

function locate(
  { numbering }: DeviceTable,
  number: number,
  kind: Kind,
  row: TableRow,
): readonly [Kind, number] {
  if (numbering === 'ADDRESS') return [kind, number];
  if (numbering === 'FROM_ONE') return [kind, number - 1];
  const ranges: readonly (readonly [number, Kind])[] = [
    [40_001, 'HOLDING_REGISTERS'],
    [30_001, 'INPUT_REGISTERS'],
    [10_001, 'DISCRETE_INPUTS'],
    [1, 'COILS'],
  ];
  const found = ranges.find(([first]) => number >= first);
  if (found === undefined) throw new Error(`${row[0]}: ${number} lies in no range`);
  return [found[1], number - found[0]];
}
