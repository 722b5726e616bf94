import { createFault, createReason, sayReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { PLANT_FAULTS } from './fault-sentences.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { createHintingCheck, findNearestKey } from '../../base/key/key-hint.ts';
import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { z } from '../../base/schema.ts';
import type { Checked, Fault } from '../../base/schema.ts';
import type { Slices } from '../../base/slices.ts';
import { createChannelSchema, NAME_PATTERN } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import { checkChannels, isHopeless, MAXIMUM_FAULTS, readRightChannels, take } from './check-channels.ts';
import type { ChannelKind, Check, Findings } from './check-channels.ts';
import { findConditionFaults } from './write/condition-check.ts';
import { deferChannels } from './connection/deferred-channels.ts';
import { checkReadable } from './unreadable-secrets.ts';
import { labelFields, labelOf } from '../../channel/label.ts';
import type { Label } from '../../channel/label.ts';
import type { DriverFactory } from '../../channel/driver.ts';

/** One configured connection; `settings` conform to the schema of the driver. */
export interface DriverConfig {
  readonly pid: string;
  readonly type: string;
  /** Maximum duration of one read or write, including the time in the queue. */
  readonly callDeadlineMs: number;
  readonly settings: unknown;
  /** Names of its secrets that cannot be decrypted, which prevent the connection; absent: none. */
  readonly unreadableSecrets?: readonly string[] | undefined;
}

/** One configured asset: channels that one connection serves. */
export interface AssetConfig extends Label {
  readonly pid: string;
  /** Pid of the connection. */
  readonly driver: string;
  /** True if writes apply scale and offset in reverse. */
  readonly scaleOnWrite: boolean;
  readonly channels: readonly Channel[];
}

/** The connections and assets of a gateway, in configuration order. */
export interface Plant {
  readonly drivers: readonly DriverConfig[];
  readonly assets: readonly AssetConfig[];
}

/** A plant that passed an earlier check with the current driver types. */
export interface KnownPlant {
  /** Assets of its document, in the order of the plant. */
  readonly assets: readonly unknown[];
  readonly plant: Plant;
}

/** Results of an earlier check of a document. */
export interface FormerCheck {
  /** Assets that are identical objects in the new document need no check. */
  readonly known?: KnownPlant | undefined;
  /** True if this release found the whole document valid: channels are then parsed lazily. */
  readonly wasRight?: boolean | undefined;
}

// A pid is a segment of URLs and an item of comma-separated lists, as channel names are.
const pidSchema = z
  .string()
  .max(255)
  .regex(NAME_PATTERN, {
    ...sayReason(createReason(PLANT_FAULTS, 'EXPECTED_PID', {})),
    abort: true,
  })
  .refine((pid) => !HIDDEN_CHARACTER.test(pid), sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})))
  .refine((pid) => !pid.startsWith('_'), sayReason(createReason(PLANT_FAULTS, 'EXPECTED_PID_START', {})))
  .describe(
    'Persistent identifier, without white space, commas and the characters # / +, not beginning with _',
  );

/** Settings of all driver types. */
export const driverHeadSchema = z.looseObject({
  pid: pidSchema,
  type: z.string().describe('Driver type'),
  callDeadlineMs: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe(
      'Maximum duration of one read or write of an asset, including the time in the queue, in milliseconds',
    ),
});

/** Settings of an asset; its channels are checked one by one, including those of its template. */
export const assetSchema = z.strictObject({
  pid: pidSchema,
  driver: z.string().describe('Pid of the driver that serves the asset'),
  ...labelFields,
  scaleOnWrite: z
    .boolean()
    .default(true)
    .describe('Writes apply scale and offset in reverse; if false, values are sent unchanged'),
  template: z
    .string()
    .optional()
    .describe(
      'Name of the device template that provides channels; channels of the asset modify or follow them',
    ),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Template parameters, by name'),
  channels: z
    .array(z.unknown())
    .max(100_000)
    .default([])
    .describe('Channels; with a template, those that modify or follow its channels'),
});

const checkHead = createHintingCheck(driverHeadSchema);
const checkOutline = createHintingCheck(assetSchema);
const checkItems = createHintingCheck(z.array(z.unknown()).max(10_000).default([]));

/** One driver type, with the checks of its parts of the document. */
interface Kind extends ChannelKind {
  readonly factory: DriverFactory;
  readonly checkSettings: Check<unknown>;
}

interface PlantFindings extends Findings {
  readonly wasRight: boolean;
  /** Pids of all drivers in the document, including those with errors. */
  readonly driverPids: ReadonlySet<unknown>;
}

/**
 * Checks the `drivers` and `assets` of a configuration document against the schemas of the drivers.
 *
 * @param factories all driver types
 * @returns the plant with all defaults filled in, or its errors, at most about a thousand; paths begin with `drivers` or
 *   `assets`
 */
export function* checkPlant(
  factories: readonly DriverFactory[],
  document: { readonly drivers?: unknown; readonly assets?: unknown },
  { known, wasRight = false }: FormerCheck = {},
): Slices<Checked<Plant>> {
  const findings: PlantFindings = { faults: [], wasRight, driverPids: listPids(document.drivers) };
  const kinds = factories.map(createKind);
  const drivers = yield* checkList(findings, 'drivers', document.drivers, function* (value, index) {
    yield;
    return checkDriver(findings, kinds, value, ['drivers', index]);
  });
  const kindOf = new Map(
    drivers.map(({ pid, type }) => [pid, kinds.find(({ factory }) => factory.type === type)]),
  );
  const findKnown = createKnownFinder(known, drivers);
  const assets = yield* checkList(findings, 'assets', document.assets, function* (value, index) {
    return findKnown(value) ?? (yield* checkAsset(findings, kindOf, value, ['assets', index]));
  });
  // Positions match those of the document while no item is omitted.
  if (findings.faults.length === 0 && !wasRight) {
    const documents = (document.assets ?? []) as readonly unknown[];
    const faults = yield* findConditionFaults(assets, documents);
    findings.faults.push(...faults.slice(0, MAXIMUM_FAULTS));
  }
  return findings.faults.length === 0 ? { value: { drivers, assets } } : { faults: findings.faults };
}

/** Returns a function that finds the asset of an item that passed an earlier check, unless the type of its driver changed. */
function createKnownFinder(
  known: KnownPlant | undefined,
  drivers: readonly DriverConfig[],
): (item: unknown) => AssetConfig | undefined {
  if (known === undefined || known.assets.length !== known.plant.assets.length) return () => undefined;
  const { plant } = known;
  const typesBefore = new Map(plant.drivers.map(({ pid, type }) => [pid, type]));
  const sameKind = new Set(drivers.flatMap(({ pid, type }) => (typesBefore.get(pid) === type ? [pid] : [])));
  const assetOf = new Map(known.assets.map((item, index) => [item, plant.assets[index]]));
  return (item) => {
    const asset = assetOf.get(item);
    return asset !== undefined && sameKind.has(asset.driver) ? asset : undefined;
  };
}

function createKind(factory: DriverFactory): Kind {
  return {
    factory,
    checkSettings: createHintingCheck(factory.configSchema, Object.keys(driverHeadSchema.shape)),
    checkChannel: createHintingCheck(createChannelSchema(factory.addressSchema)),
  };
}

function listPids(list: unknown): ReadonlySet<unknown> {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Set(items.map((item) => (item as { readonly pid?: unknown } | null)?.pid));
}

function* checkList<T extends { readonly pid: string }>(
  findings: PlantFindings,
  section: 'drivers' | 'assets',
  value: unknown,
  checkItem: (value: unknown, index: number) => Slices<T | undefined>,
): Slices<readonly T[]> {
  const list = take(findings, [section], checkItems, value) ?? [];
  const items: (T | undefined)[] = [];
  for (const [index, item] of list.entries()) {
    items.push(isHopeless(findings) ? undefined : yield* checkItem(item, index));
  }
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item === undefined) continue;
    if (seen.has(item.pid)) {
      findings.faults.push(
        createFault([section, index, 'pid'], createReason(BASE_FAULTS, 'USED_TWICE', { name: item.pid })),
      );
    }
    seen.add(item.pid);
  }
  return items.filter((item) => item !== undefined);
}

function checkDriver(
  findings: PlantFindings,
  kinds: readonly Kind[],
  value: unknown,
  path: Fault['path'],
): DriverConfig | undefined {
  const head = take(findings, path, checkHead, value);
  if (head === undefined) return undefined;
  const { pid, type, callDeadlineMs, ...rest } = head;
  const kind = kinds.find(({ factory }) => factory.type === type);
  if (kind === undefined) {
    const types = kinds.map(({ factory }) => factory.type);
    findings.faults.push(
      createFault([...path, 'type'], createReason(PLANT_FAULTS, 'DRIVER_TYPE_UNKNOWN', { type, types })),
    );
    return undefined;
  }
  const { checked, unreadable } = checkReadable(kind.checkSettings, rest);
  const settings = take(findings, path, () => checked, rest);
  // A driver with wrong settings still provides the address schema of its assets, so that their errors show at once.
  const config = { pid, type, callDeadlineMs, settings };
  return unreadable.length === 0 ? config : { ...config, unreadableSecrets: unreadable };
}

function* checkAsset(
  findings: PlantFindings,
  kindOf: ReadonlyMap<string, Kind | undefined>,
  value: unknown,
  path: Fault['path'],
): Slices<AssetConfig | undefined> {
  yield;
  const asset = take(findings, path, checkOutline, value);
  if (asset === undefined) return undefined;
  const { pid, driver, scaleOnWrite } = asset;
  const kind = kindOf.get(driver);
  if (kind === undefined) {
    // The error of a driver that exists has been reported already.
    if (!findings.driverPids.has(driver)) {
      findings.faults.push(createFault([...path, 'driver'], ...describeUnknownDriver(findings, driver)));
    }
    return undefined;
  }
  const head = { pid, driver, ...labelOf(asset), scaleOnWrite };
  const { channels } = asset;
  // Declarations of a bundle may change at any time.
  return findings.wasRight && kind.factory.isOfBundle !== true
    ? deferChannels(head, () => readRightChannels(kind, pid, channels))
    : { ...head, channels: yield* checkChannels(findings, kind, channels, path) };
}

function describeUnknownDriver({ driverPids }: PlantFindings, driver: string): readonly FaultReason[] {
  const pids = [...driverPids].filter((pid) => typeof pid === 'string');
  const nearest = findNearestKey(driver, pids);
  const unknown = createReason(PLANT_FAULTS, 'DRIVER_UNKNOWN', { driver });
  return nearest === undefined
    ? [unknown]
    : [unknown, createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest })];
}
