import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { ScanFinding } from '../../../daemon/channel/discovery.ts';
import { ILLEGAL_FUNCTION } from '../modbus-errors.ts';
import { isBitTable } from '../modbus-address.ts';
import type { Table } from '../modbus-address.ts';
import { FUNCTIONS, READ_FUNCTION } from '../pdu/modbus-functions.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { ScanClient } from './scan-client.ts';

/** Response of a device to a read of some entries. */
export type EntryResponse =
  | { readonly kind: 'READ'; readonly isZero: boolean }
  /** One of the entries does not exist, or there are too many. */
  | { readonly kind: 'REFUSED' }
  | { readonly kind: 'SILENT' }
  /** The device does not support the table. */
  | { readonly kind: 'NO_TABLE' };

/** A range of existing entries. */
export interface FoundRange {
  readonly first: number;
  readonly last: number;
}

/** Scan result of one table. */
export interface TableRanges {
  readonly ranges: readonly FoundRange[];
  /** True if every tried address is answered, so that existing addresses cannot be determined. */
  readonly isEverywhere: boolean;
  /** True if all values read are 0. */
  readonly isAllZero: boolean;
  /** Longest read that was answered, if longer ones are refused; absent if none was refused for its length. */
  readonly longestRead?: number | undefined;
  /** True if the request limit was reached: the ranges may be incomplete. */
  readonly isCutShort: boolean;
  /** True if the device ignores addresses that it does not have. */
  readonly isSilent: boolean;
}

interface RangeSearch {
  /** Reads entries from an address on. */
  readonly read: (first: number, quantity: number) => Promise<EntryResponse>;
  /** Maximum entries of one read. */
  readonly maximumQuantity: number;
  /** Maximum reads. */
  readonly maximumReads: number;
}

const ADDRESS_SPACE = 65_536;
// Usual start addresses in manuals: decimal and binary round numbers, and both ends.
const SEEDS = [
  0, 1, 10, 50, 100, 200, 256, 300, 400, 500, 512, 768, 800, 1000, 1024, 1280, 1536, 2000, 2048, 2560, 3000,
  3072, 4000, 4096, 5000, 6000, 7000, 8000, 8192, 9000, 10_000, 12_288, 16_384, 20_000, 20_480, 30_000,
  30_001, 32_768, 40_000, 40_001, 49_152, 50_000, 60_000, 65_535,
] as const;
// Each timeout also delays other users of the line.
const MAXIMUM_TIMEOUTS = 3;
// Addresses that no manufacturer uses: a device that answers here answers everywhere.
const ODD_ADDRESSES = [13_577, 54_321, 61_453] as const;

/** A finding without its subject. */
export type UnitFinding = Pick<ScanFinding, 'kind' | 'text' | 'reasons' | 'fields'>;

/** Registers that were read, by address. */
export type Words = ReadonlyMap<number, number>;

interface ScannedTable {
  readonly findings: readonly UnitFinding[];
  /** Notes for the operator, phrased to follow a colon. */
  readonly notes: readonly FaultReason[];
  /** Registers that were read; empty for coils and inputs, and if every address is answered. */
  readonly words: Words;
}

// About ten seconds for a network device; a scan of the whole table would take five hundred.
const MAXIMUM_READS = 200;

/**
 * Finds ranges of existing entries: single reads at usual addresses, then from each hit the longest reads that are
 * answered, with bisection at both ends.
 */
export async function findRanges(search: RangeSearch): Promise<TableRanges> {
  return new RangeFinder(search).find();
}

interface GrowingRange {
  first: number;
  last: number;
}

/** Ends the search of a table. */
class SearchOver extends Error {}

class RangeFinder {
  readonly #search: RangeSearch;
  readonly #ranges: GrowingRange[] = [];
  #reads = 0;
  #timeouts = 0;
  #block: number;
  #longestRead: number | undefined;
  #isAllZero = true;
  #isCutShort = false;
  #hasTable = true;

  constructor(search: RangeSearch) {
    this.#search = search;
    this.#block = search.maximumQuantity;
  }

  async find(): Promise<TableRanges> {
    let isEverywhere = false;
    try {
      isEverywhere = await this.#isEverywhere();
      if (!isEverywhere) for (const seed of SEEDS) await this.#grow(seed);
    } catch (error) {
      if (!(error instanceof SearchOver)) throw error;
    }
    return {
      ranges: this.#hasTable ? this.#join() : [],
      isEverywhere,
      isAllZero: this.#isAllZero,
      longestRead: this.#longestRead,
      isCutShort: this.#isCutShort,
      isSilent: this.#timeouts >= MAXIMUM_TIMEOUTS,
    };
  }

  async #isEverywhere(): Promise<boolean> {
    for (const address of ODD_ADDRESSES) if (!(await this.#isRead(address, 1))) return false;
    this.#ranges.push({ first: 0, last: ADDRESS_SPACE - 1 });
    return true;
  }

  async #grow(seed: number): Promise<void> {
    if (this.#isKnown(seed) || !(await this.#isRead(seed, 1))) return;
    const range = { first: seed, last: seed };
    this.#ranges.push(range);
    await this.#extend(range, true);
    await this.#extend(range, false);
  }

  async #extend(range: GrowingRange, isUp: boolean): Promise<void> {
    const findEdge = (): number => (isUp ? range.last + 1 : range.first - 1);
    for (let edge = findEdge(); isAddress(edge) && !this.#isKnown(edge); edge = findEdge()) {
      const from = edge;
      const wanted = Math.min(this.#block, isUp ? ADDRESS_SPACE - from : from + 1);
      const count = await this.#countFrom(wanted, (quantity) =>
        this.#isRead(isUp ? from : from - quantity + 1, quantity),
      );
      if (isUp) range.last += count;
      else range.first -= count;
      if (count === wanted) continue;
      // The next entry alone shows whether the range ends here or the reads are too long.
      const next = findEdge();
      if (count === 0 || !isAddress(next) || !(await this.#isRead(next, 1))) return;
      this.#block = count;
      this.#longestRead = count;
    }
  }

  #isKnown(address: number): boolean {
    return this.#ranges.some(({ first, last }) => first <= address && address <= last);
  }

  /** Returns the maximum entries up to `wanted` that one read returns, by bisection. */
  async #countFrom(wanted: number, read: (quantity: number) => Promise<boolean>): Promise<number> {
    if (await read(wanted)) return wanted;
    let works = 0;
    let fails = wanted;
    while (fails - works > 1) {
      const middle = Math.floor((works + fails) / 2);
      if (await read(middle)) works = middle;
      else fails = middle;
    }
    return works;
  }

  /** True if a read of these entries is answered. */
  async #isRead(first: number, quantity: number): Promise<boolean> {
    if (this.#reads >= this.#search.maximumReads) {
      this.#isCutShort = true;
      throw new SearchOver();
    }
    this.#reads += 1;
    const response = await this.#search.read(first, quantity);
    if (response.kind === 'NO_TABLE') {
      this.#hasTable = this.#ranges.length > 0;
      throw new SearchOver();
    }
    if (response.kind === 'SILENT') {
      this.#timeouts += 1;
      if (this.#timeouts >= MAXIMUM_TIMEOUTS && quantity === 1) {
        this.#isCutShort = this.#ranges.length > 0;
        throw new SearchOver();
      }
    }
    if (response.kind === 'READ') this.#isAllZero &&= response.isZero;
    return response.kind === 'READ';
  }

  /** Returns the ranges in order and merges adjacent ones. */
  #join(): readonly FoundRange[] {
    const joined: GrowingRange[] = [];
    for (const range of this.#ranges.toSorted((a, b) => a.first - b.first)) {
      const before = joined.at(-1);
      if (before === undefined || range.first > before.last + 1) joined.push({ ...range });
      else before.last = Math.max(before.last, range.last);
    }
    return joined;
  }
}

function isAddress(address: number): boolean {
  return address >= 0 && address < ADDRESS_SPACE;
}

/** Scans a table of a unit for existing entries. */
export async function scanTable(
  client: Pick<ScanClient, 'send'>,
  unitId: number,
  table: Table,
): Promise<ScannedTable> {
  const functionCode = READ_FUNCTION[table];
  const words = new Map<number, number>();
  const found = await findRanges({
    maximumQuantity: FUNCTIONS[functionCode].maximumQuantity,
    maximumReads: MAXIMUM_READS,
    read: async (offset, quantity): Promise<EntryResponse> => {
      const response = await client.send({ functionCode, unitId, offset, quantity });
      if (response.kind === 'ANSWERED') {
        const { bytes } = response;
        if (!isBitTable(table)) keepWords(words, offset, bytes);
        return { kind: 'READ', isZero: bytes.every((byte) => byte === 0) };
      }
      if (response.kind !== 'REFUSED') return { kind: 'SILENT' };
      return { kind: response.exceptionCode === ILLEGAL_FUNCTION ? 'NO_TABLE' : 'REFUSED' };
    },
  });
  if (found.isEverywhere) words.clear();
  return { findings: found.ranges.map((range) => toFinding(table, range)), notes: listNotes(found), words };
}

function keepWords(words: Map<number, number>, offset: number, bytes: Buffer): void {
  for (let at = 0; at + 1 < bytes.length; at += 2) words.set(offset + at / 2, bytes.readUInt16BE(at));
}

function toFinding(table: Table, { first, last }: TableRanges['ranges'][number]): UnitFinding {
  const text = `${table} ${first === last ? first : `${first}-${last}`}`;
  return { kind: 'RANGE', text, fields: { table, first, last } };
}

function listNotes({
  ranges,
  isEverywhere,
  isAllZero,
  isCutShort,
  isSilent,
  longestRead,
}: TableRanges): readonly FaultReason[] {
  const sentences = MODBUS_SCAN_SENTENCES;
  const notes: FaultReason[] = [];
  if (isEverywhere) {
    const code = isAllZero ? 'SCAN_EVERY_ADDRESS_IS_ZERO' : 'SCAN_EVERY_ADDRESS_RESPONDS';
    notes.push(createReason(sentences, code, {}));
  } else if (ranges.length > 0 && isAllZero) {
    notes.push(createReason(sentences, 'SCAN_VALUES_ZERO', {}));
  }
  if (longestRead !== undefined) {
    notes.push(createReason(sentences, 'SCAN_LONG_READS_REFUSED', { count: longestRead }));
  }
  if (isSilent) notes.push(createReason(sentences, 'SCAN_ADDRESSES_IGNORED', {}));
  if (isCutShort) notes.push(createReason(sentences, 'SCAN_RANGES_INCOMPLETE', {}));
  return notes;
}
