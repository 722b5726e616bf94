import { isDeepStrictEqual } from 'node:util';

import type { ProposedAsset, ScanResult } from '../../interface/plant/scans.ts';
import { readConfiguration, replaceConfiguration } from '../../interface/configuration/configuration.ts';
import { makeChange } from '../configuration/change.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError } from '../command-error.ts';
import { fetchItems, listPids } from '../configuration/configured-item.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { isAddress } from './scan-target.ts';

/** Configuration created from a scan result. */
export interface FoundItems {
  /** Absent if the connection is already configured. */
  readonly driver?: Item;
  readonly assets: readonly Item[];
}

/** Existing configuration. */
export interface ConfiguredPids {
  readonly drivers: readonly string[];
  readonly assets: readonly Item[];
}

/**
 * Converts a scan result to a driver and assets, without those already configured.
 *
 * @param driverPid pid for the driver if the connection is not configured
 * @throws {CommandError} `ITEM_EXISTS` if another driver has the pid, `NOTHING_FOUND`
 */
export function toItems(
  { connection, assets }: ScanResult,
  driverPid: string,
  present: ConfiguredPids,
): FoundItems {
  if (connection === undefined || (assets.length === 0 && connection.isRefusing !== true)) {
    throw new CommandError({ code: 'NOTHING_FOUND', detail: 'nothing found to add' });
  }
  const { pid = driverPid, type, settings } = connection;
  const isNew = connection.pid === undefined;
  if (isNew && present.drivers.includes(pid)) {
    const detail = `driver "${pid}" already exists; choose another name with --pid`;
    throw new CommandError({ code: 'ITEM_EXISTS', detail });
  }
  const taken = new Set(listPids(present.assets));
  const added = assets
    // An address is not a useful asset name.
    .map((asset) => (isAddress(asset.pid) ? Object.assign({}, asset, { pid }) : asset))
    .filter((asset) => !present.assets.some((each) => each['driver'] === pid && isSame(each, asset)))
    .map((asset) => toAsset(asset, pid, taken));
  return isNew ? { driver: { pid, type, ...settings }, assets: added } : { assets: added };
}

/**
 * Adds a scan result to the configuration in one change.
 *
 * @param driverPids candidate names for a new driver; the first unused one is chosen
 * @throws as `toItems` and `makeChange` do
 */
export async function addFound(
  invocation: Invocation,
  result: ScanResult,
  driverPids: readonly string[],
): Promise<void> {
  const { client, terminal } = invocation;
  const drivers = await fetchItems(client, 'drivers');
  const assets = await fetchItems(client, 'assets');
  const present = { drivers: listPids(drivers.items), assets: assets.items };
  checkUnknown(result.connection, drivers.items);
  const free = driverPids.find((pid) => !present.drivers.includes(pid)) ?? driverPids[0] ?? '';
  const found = toItems(result, free, present);
  if (found.driver === undefined && found.assets.length === 0) {
    terminal.note('everything found is already configured\n');
    return;
  }
  const { body, headers } = await client.exchange(readConfiguration, {});
  const document = (body ?? {}) as Item;
  await makeChange(invocation, {
    endpoint: replaceConfiguration,
    body: {
      ...document,
      drivers: [...drivers.items, ...(found.driver === undefined ? [] : [found.driver])],
      assets: [...assets.items, ...found.assets],
    },
    etag: headers.etag,
    next: describeNext(found.assets),
  });
}

/** The gateway recognizes configured lines and ports, but not server addresses. */
function checkUnknown(connection: ScanResult['connection'], drivers: readonly Item[]): void {
  const url = connection?.settings?.['endpointUrl'];
  const known = drivers.find(({ endpointUrl }) => url !== undefined && endpointUrl === url);
  if (connection?.pid !== undefined || known === undefined) return;
  const pid = String(known['pid']);
  const detail = `the driver "${pid}" already connects to ${String(url)}; scan it with "penstock discover driver ${pid} --add"`;
  throw new CommandError({ code: 'ITEM_EXISTS', detail });
}

/** Returns a hint for the new assets; those without channels need channels first. */
function describeNext(assets: readonly Item[]): string {
  const empty = assets.find(({ template, channels }) => template === undefined && channels === undefined);
  if (empty === undefined) return 'read an asset with "penstock asset read PID"';
  const command = `penstock asset set ${String(empty['pid'])} --template NAME`;
  return `add channels with "${command}" or "penstock channel add"`;
}

/** Returns true if an asset represents the same device; a scan of other units may name it differently. */
function isSame(configured: Item, { pid, displayName, template, parameters }: ProposedAsset): boolean {
  if (configured['pid'] === pid) return true;
  if (template === undefined) return displayName !== undefined && configured['displayName'] === displayName;
  return configured['template'] === template && isDeepStrictEqual(configured['parameters'], parameters);
}

/** Creates an asset with an unused pid: its own, otherwise prefixed with the driver. */
function toAsset(asset: ProposedAsset, driver: string, taken: Set<string>): Item {
  const names = [asset.pid, `${driver}-${asset.pid}`];
  let pid = names.find((name) => !taken.has(name));
  for (let number = 2; pid === undefined; number += 1) {
    const name = `${driver}-${asset.pid}-${number}`;
    if (!taken.has(name)) pid = name;
  }
  taken.add(pid);
  return { ...asset, pid, driver };
}
