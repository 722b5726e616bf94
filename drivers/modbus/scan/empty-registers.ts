import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { createNote, describeScan } from '../../../daemon/channel/discovery.ts';
import type { ScanNote } from '../../../daemon/channel/discovery.ts';
import { findSentinel, groupSentinels } from '../../../daemon/channel/sentinel.ts';
import type { Sentinel } from '../../../daemon/channel/sentinel.ts';
import type { Table } from '../modbus-address.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { UnitFinding, Words } from './register-ranges.ts';
import type { SunspecModel } from './sunspec.ts';

const SIGN = 0x8000;
const MAXIMUM = 0x7fff;
const ALL_ONES = 0xffff;
// Float32 without value as devices send it; other NaN patterns may be two integers.
const NOT_A_NUMBER_WORDS = [0x7fc0, 0xffc0] as const;
const COMMON_MODEL = 1;
const MAXIMUM_SHOWN = 8;
const MAXIMUM_LISTED = 100;

/**
 * Finds registers whose number many devices report if they have no value, with one finding for each number; in a SunSpec
 * map one for each model and number.
 *
 * The data types are unknown: two registers count as one 32-bit number only if they are unlikely to be two values.
 *
 * @param models SunSpec models in this table; empty: none
 */
export function findEmptyRegisters(
  table: Table,
  words: Words,
  models: readonly SunspecModel[],
): readonly UnitFinding[] {
  const addresses = [...words.keys()].toSorted((a, b) => a - b);
  const byModel = Map.groupBy(addresses, (address) => models.find((model) => isIn(model, address)));
  return [...byModel].flatMap(([model, own]) => {
    // The common model contains texts and a pad.
    if (model?.number === COMMON_MODEL) return [];
    return groupSentinels(listSentinels(own, words)).map(({ entry, places }) =>
      toFinding(entry, places, model === undefined ? { table } : { model: model.number }),
    );
  });
}

function isIn({ at, length }: SunspecModel, address: number): boolean {
  return at <= address && address < at + 2 + length;
}

/** Lists sentinels with their registers. */
function listSentinels(
  addresses: readonly number[],
  words: Words,
): readonly (readonly [Registers, Sentinel])[] {
  const found: (readonly [Registers, Sentinel])[] = [];
  let next = 0;
  for (const address of addresses) {
    if (address < next) continue;
    const wide = findWide(address, words);
    const sentinel = wide ?? findNarrow(address, words);
    if (sentinel === undefined) continue;
    const last = wide === undefined ? address : address + 1;
    found.push([{ first: address, last }, sentinel]);
    next = last + 1;
  }
  return found;
}

/** First and last register of one value, or of several adjacent ones. */
interface Registers {
  readonly first: number;
  readonly last: number;
}

function findWide(address: number, words: Words): Sentinel | undefined {
  const [high, low] = [words.get(address), words.get(address + 1)];
  if (high === undefined || low === undefined) return undefined;
  if (low === 0 && NOT_A_NUMBER_WORDS.some((word) => word === high)) return findSentinel(Number.NaN);
  // After another 0x8000 it is rather a 16-bit number, and the zero is the next value.
  if (high === SIGN && words.get(address - 1) === SIGN) return undefined;
  const isWide = (high === SIGN && low === 0) || (high === MAXIMUM && low === ALL_ONES);
  return isWide ? findSentinel((high << 16) | low) : undefined;
}

function findNarrow(address: number, words: Words): Sentinel | undefined {
  const word = words.get(address) ?? 0;
  // A single one is rather -1, or half of a negative number.
  const hasEqual = words.get(address - 1) === word || words.get(address + 1) === word;
  if (word === ALL_ONES && !hasEqual) return undefined;
  return findSentinel((word << 16) >> 16) ?? findSentinel(word);
}

function toFinding(
  entry: string,
  places: readonly Registers[],
  where: { readonly table: Table } | { readonly model: number },
): UnitFinding {
  const runs = join(places).map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  return {
    kind: 'NOT_AVAILABLE',
    ...describeScan(explainEmpty(entry, runs, where)),
    fields: {
      ...where,
      notAvailable: entry,
      count: places.length,
      registers: runs.slice(0, MAXIMUM_LISTED).join(','),
    },
  };
}

function explainEmpty(
  entry: string,
  runs: readonly string[],
  where: { readonly table: Table } | { readonly model: number },
): FaultReason {
  const more = runs.length - MAXIMUM_SHOWN;
  // One text: as a list, a language would put its conjunction before the last of them.
  const shown = { registers: runs.slice(0, MAXIMUM_SHOWN).join(', '), entry };
  const sentences = MODBUS_SCAN_SENTENCES;
  if ('table' in where) {
    const values = { ...shown, table: where.table };
    if (more <= 0) return createReason(sentences, 'SCAN_NOT_AVAILABLE', values);
    return createReason(sentences, 'SCAN_NOT_AVAILABLE_AND_MORE', { ...values, more });
  }
  const values = { ...shown, model: where.model };
  if (more <= 0) return createReason(sentences, 'SCAN_MODEL_NOT_AVAILABLE', values);
  return createReason(sentences, 'SCAN_MODEL_NOT_AVAILABLE_AND_MORE', { ...values, more });
}

function join(places: readonly Registers[]): readonly Registers[] {
  const runs: { first: number; last: number }[] = [];
  for (const { first, last } of places) {
    const run = runs.at(-1);
    if (run === undefined || run.last + 1 !== first) runs.push({ first, last });
    else run.last = last;
  }
  return runs;
}

/** Notes what to do about registers without value; undefined if none were found. */
export function adviseNotAvailable(findings: readonly UnitFinding[]): ScanNote | undefined {
  const kinds = [...new Set(findings.flatMap(({ fields }) => fields['notAvailable'] ?? []))].map(String);
  const [entry] = kinds;
  if (entry === undefined) return undefined;
  const advice =
    kinds.length === 1
      ? createReason(MODBUS_SCAN_SENTENCES, 'SCAN_LIST_NOT_AVAILABLE', { entry })
      : createReason(MODBUS_SCAN_SENTENCES, 'SCAN_LIST_NUMBER_NOT_AVAILABLE', { kinds });
  const hasModel = findings.some(({ fields }) => 'model' in fields);
  const templates = hasModel ? [createReason(MODBUS_SCAN_SENTENCES, 'SCAN_TEMPLATES_LIST_IT', {})] : [];
  return createNote(advice, ...templates);
}
