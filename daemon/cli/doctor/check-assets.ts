import { isNotFound, CommandError, Refused } from '../command-error.ts';
import { listAssets, listChannels } from '../../interface/plant/assets.ts';
import { readAssetStatus } from '../../interface/plant/asset-status.ts';
import type { AssetStatus, UnitStatus } from '../../interface/plant/asset-status.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../client/rest-client.ts';
import { listSilent } from '../driver/silent-devices.ts';
import { checkChannels } from './check-channels.ts';
import type { DriverCheck } from './check-devices.ts';
import type { ChannelRecord } from '../../interface/plant/assets.ts';
import { readTemplate } from '../../interface/plant/templates.ts';
import { fetchItems, listPids } from '../configuration/configured-item.ts';

interface CheckedAsset {
  readonly status: AssetStatus;
  readonly findings: readonly Finding[];
}

/**
 * Reads all channels of all assets once and checks connections, units and channels; reports each cause once for all
 * affected assets.
 *
 * @param drivers results of the connection tests; assets of disconnected drivers are not read
 */
export async function checkAssets(
  client: RestClient,
  drivers: readonly DriverCheck[],
): Promise<readonly Finding[]> {
  const away = new Set(drivers.filter(({ isAway }) => isAway).map(({ pid }) => pid));
  const seenUnits = new Set<string>();
  const checked: CheckedAsset[] = [];
  for (const pid of await client.call(listAssets)) {
    const asset = await checkAsset(client, pid, { away, seenUnits });
    if (asset !== undefined) checked.push(asset);
  }
  const explained = new Set(
    checked
      .filter(({ findings }) => findings.some(({ state }) => state === 'WRONG'))
      .map(({ status }) => status.driver.pid),
  );
  return [
    // Failing channels are reported for their asset.
    ...drivers
      .filter(({ pid, hasAskedChannel }) => !(hasAskedChannel && explained.has(pid)))
      .map(({ finding }) => finding),
    ...drivers.flatMap(({ hints }) => hints),
    ...checked.flatMap(({ findings }) => findings),
    ...listWarnings(checked.map(({ status }) => status)),
    ...checkForeignFrames(checked.map(({ status }) => status)),
    ...checkDamagedFrames(checked.map(({ status }) => status)),
  ];
}

/** Checks an asset; undefined if it has been removed. */
async function checkAsset(
  client: RestClient,
  pid: string,
  { away, seenUnits }: { readonly away: ReadonlySet<string>; readonly seenUnits: Set<string> },
): Promise<CheckedAsset | undefined> {
  try {
    const before = await client.call(readAssetStatus, { pid });
    const check = `asset ${pid}`;
    // The finding of its driver has the reason.
    if (away.has(before.driver.pid)) return { status: before, findings: [] };
    const channels = await client.call(listChannels, { pid });
    const { failing, hints } = await checkChannels(client, pid, channels);
    const status = await client.call(readAssetStatus, { pid });
    const silent = findSilent(status);
    const fresh = silent.filter(({ key }) => !seenUnits.has(key));
    for (const { key } of fresh) seenUnits.add(key);
    const wrong = [
      ...checkConnection(check, status),
      ...fresh.map(({ detail, advice }): Finding => ({ check, state: 'WRONG', detail, advice })),
      // The finding of a silent unit covers all its channels.
      ...failing.filter(({ isSilence }) => !isSilence || silent.length === 0).map(({ finding }) => finding),
    ];
    const { endpoint, state } = status.driver;
    const good: Finding = { check, state: 'GOOD', detail: `${endpoint}: ${state}` };
    const isGood = wrong.length === 0 && silent.length === 0;
    const warnings = [...hints, ...checkDeviceAccess(pid, channels)];
    return { status, findings: [...(isGood ? [good] : wrong), ...warnings] };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function checkConnection(check: string, { driver }: AssetStatus): readonly Finding[] {
  if (driver.state !== 'BACKING_OFF') return [];
  const advice = `check power, wiring and address of ${driver.endpoint}`;
  return [{ check, state: 'WRONG', detail: driver.lastError ?? 'no connection', advice }];
}

interface SilentPart {
  /** Driver and unit or address, which several assets may share. */
  readonly key: string;
  readonly detail: string;
  readonly advice: string;
}

function findSilent({ driver, units }: AssetStatus): readonly SilentPart[] {
  return units.filter(({ isUsed }) => isUsed).flatMap((unit) => describeSilence(unit, driver.pid));
}

function describeSilence(unit: UnitStatus, driver: string): readonly SilentPart[] {
  if (unit.state === 'SUSPENDED') {
    const detail = `${unit.name}: ${unit.lastError ?? 'it does not respond'}`;
    const advice = 'check its power, wiring and unit identifier; the gateway keeps trying';
    return [{ key: `${driver} ${unit.name}`, detail, advice }];
  }
  return listSilent([unit]).map(({ name }) => ({
    key: `${driver} ${name}`,
    detail: `${name} does not respond; other addresses of the unit do`,
    advice: 'check that the device has this address; the gateway keeps trying',
  }));
}

/** Lists possible device problems, once for all their assets. */
function listWarnings(statuses: readonly AssetStatus[]): readonly Finding[] {
  const warnings = new Set(statuses.flatMap(({ driver }) => driver.warnings ?? []));
  const advice = 'use one driver for all assets of a device';
  return [...warnings].map((detail) => ({ check: 'devices', state: 'WARNING', detail, advice }));
}

// Fewer may be duplicate responses or noise.
const SUSPICIOUS_FRAMES = 10;
// Share of the responses: counters only grow, and a few frames in months do not indicate another master.
const SUSPICIOUS_SHARE = 0.01;

/** Finds connections with foreign frames on their line, once for all their assets. */
export function checkForeignFrames(statuses: readonly AssetStatus[]): readonly Finding[] {
  const drivers = new Map(statuses.map(({ driver }) => [driver.pid, driver]));
  return [...drivers.values()].flatMap(({ pid, endpoint, counters }): readonly Finding[] => {
    const { foreignFrames = 0, answers = 0 } = counters;
    if (foreignFrames < SUSPICIOUS_FRAMES || foreignFrames < SUSPICIOUS_SHARE * answers) return [];
    return [
      {
        check: `driver ${pid}`,
        state: 'WARNING',
        detail: `${endpoint}: ${foreignFrames} unexpected frames: another master, or a unit that sends without a request`,
        advice: 'a serial line has one master: remove the other one, or stop the unit from sending',
      },
    ];
  });
}

/** Finds serial lines with damaged frames, once for all their assets. */
export function checkDamagedFrames(statuses: readonly AssetStatus[]): readonly Finding[] {
  const drivers = new Map(statuses.map(({ driver }) => [driver.pid, driver]));
  return [...drivers.values()].flatMap(({ pid, endpoint, counters }): readonly Finding[] => {
    const { checksumFaults = 0, answers = 0 } = counters;
    if (checksumFaults < SUSPICIOUS_FRAMES || checksumFaults < SUSPICIOUS_SHARE * answers) return [];
    const advice =
      answers === 0
        ? 'no frame was right: compare checksum in the driver settings with the manual, and the line settings'
        : 'check cable, shield, ground and speed of the line';
    const detail = `${endpoint}: ${checksumFaults} frames with a wrong checksum, ${answers} responses`;
    return [{ check: `driver ${pid}`, state: 'WARNING', detail, advice }];
  });
}

type CheckedChannel = Pick<ChannelRecord, 'name' | 'type' | 'isEnabled' | 'deviceAccess'>;

/** Warns of channels whose type requires access that the device denies. */
function checkDeviceAccess(pid: string, channels: readonly CheckedChannel[]): readonly Finding[] {
  return channels.flatMap((channel) => checkChannel(pid, channel));
}

function checkChannel(pid: string, channel: CheckedChannel): readonly Finding[] {
  const { name, type, isEnabled, deviceAccess } = channel;
  if (!isEnabled || deviceAccess === undefined) return [];
  const denied = (['READ', 'WRITE'] as const).filter(
    (operation) => includes(type, operation) && !includes(deviceAccess, operation),
  );
  if (denied.length === 0) return [];
  const what = denied.join(' and ').toLowerCase();
  const detail = `channel ${name} has type ${type}, but the device does not permit the gateway to ${what} it`;
  const advice = 'grant the user of the driver this access on the device, or change the type of the channel';
  return [{ check: `asset ${pid}`, state: 'WARNING', detail, advice }];
}

function includes(access: string, operation: 'READ' | 'WRITE'): boolean {
  return access === operation || access === 'READ_WRITE';
}

/**
 * Reports templates of assets that are missing or invalid: the previous channels stay active until the configuration
 * changes. Empty if the caller may not see the configuration.
 */
export async function checkTemplates(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { items: assets } = await fetchItems(client, 'assets');
    const names = new Set(assets.flatMap(({ template }) => (typeof template === 'string' ? [template] : [])));
    const findings = [...names].map(async (name) => {
      const fault = await findFault(client, name);
      if (fault === undefined) return [];
      const users = assets.filter(({ template }) => template === name);
      return [describe(name, fault, listPids(users))];
    });
    return (await Promise.all(findings)).flat();
  } catch (error) {
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  }
}

async function findFault(client: RestClient, name: string): Promise<string | undefined> {
  try {
    return (await client.call(readTemplate, { name })).faults?.[0];
  } catch (error) {
    if (error instanceof CommandError && !(error instanceof Refused)) return error.detail;
    throw error;
  }
}

function describe(name: string, fault: string, users: readonly string[]): Finding {
  const [first = '', ...others] = users;
  const assets = others.length === 0 ? `asset ${first}` : `asset ${first} and ${others.length} more`;
  return {
    check: `template ${name}`,
    state: 'WRONG',
    detail: `${fault}; ${assets} keeps the previous channels until the next change, which will fail`,
    advice: `restore or correct the file, then: penstock template show ${name}`,
  };
}
