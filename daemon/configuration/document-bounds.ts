import { createFault, createReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { CONFIGURATION_FAULTS } from './fault-sentences.ts';
import type { Fault } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import { isDocument } from './managed-document.ts';

// Far above the needs of a plant: larger documents are refused before their errors, copies and plans take many times as
// much memory.
const MAXIMUM_KEYS = 100;
const MAXIMUM_ITEMS = 10_000;
const MAXIMUM_CHANNELS = 100_000;
const MAXIMUM_VALUES_OF_SECTION = 20_000;
const MAXIMUM_VALUES_OF_ITEM = 5000;
const MAXIMUM_VALUES_OF_CHANNEL = 500;

/**
 * Finds the first part of a document that exceeds the limits, in slices.
 *
 * @param document plain data, unchecked
 */
export function* findOversizedPart(document: unknown): Slices<Fault | undefined> {
  for (const fault of checkParts(document)) {
    if (fault !== undefined) return fault;
    yield;
  }
  return undefined;
}

/** Yields the fault of each part, or undefined; the part that follows a fault may be too large to be checked. */
type PartChecks = Generator<Fault | undefined, void, void>;

function* checkParts(document: unknown): PartChecks {
  if (!isDocument(document)) {
    yield refuse(document, MAXIMUM_KEYS, []);
    return;
  }
  const { drivers, assets, ...sections } = document;
  const names = Object.keys(sections);
  if (names.length > MAXIMUM_KEYS)
    yield createFault(
      [],
      createReason(CONFIGURATION_FAULTS, 'EXPECTED_AT_MOST_KEYS', { bound: MAXIMUM_KEYS }),
    );
  for (const name of names) yield refuse(sections[name], MAXIMUM_VALUES_OF_SECTION, [name]);
  yield* checkList(drivers, MAXIMUM_ITEMS, ['drivers'], checkDriver);
  yield* checkList(assets, MAXIMUM_ITEMS, ['assets'], checkAsset);
}

function* checkDriver(driver: unknown, path: Fault['path']): PartChecks {
  yield refuse(driver, MAXIMUM_VALUES_OF_ITEM, path);
}

function* checkAsset(asset: unknown, path: Fault['path']): PartChecks {
  if (!isDocument(asset)) {
    yield refuse(asset, MAXIMUM_VALUES_OF_ITEM, path);
    return;
  }
  const { channels, ...outline } = asset;
  yield refuse(outline, MAXIMUM_VALUES_OF_ITEM, path);
  yield* checkList(channels, MAXIMUM_CHANNELS, [...path, 'channels'], checkChannel);
}

function* checkChannel(channel: unknown, path: Fault['path']): PartChecks {
  yield refuse(channel, MAXIMUM_VALUES_OF_CHANNEL, path);
}

function* checkList(
  list: unknown,
  maximum: number,
  path: Fault['path'],
  checkItem: (item: unknown, path: Fault['path']) => PartChecks,
): PartChecks {
  if (!Array.isArray(list)) {
    yield refuse(list, MAXIMUM_VALUES_OF_ITEM, path);
    return;
  }
  if (list.length > maximum)
    yield createFault(path, createReason(BASE_FAULTS, 'EXPECTED_AT_MOST_ITEMS', { bound: maximum }));
  for (const [index, item] of list.entries()) yield* checkItem(item, [...path, index]);
}

function refuse(value: unknown, maximum: number, path: Fault['path']): Fault | undefined {
  if (countUpTo(value, maximum) <= maximum) return undefined;
  return createFault(path, createReason(BASE_FAULTS, 'EXPECTED_AT_MOST_VALUES', { bound: maximum }));
}

/** Counts a value and those inside it; stops beyond `maximum`. */
function countUpTo(value: unknown, maximum: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += countUpTo((value as Readonly<Record<string, unknown>>)[key], maximum - count);
    if (count > maximum) break;
  }
  return count;
}
