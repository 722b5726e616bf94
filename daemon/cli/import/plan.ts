import { readConfiguration, replaceConfiguration } from '../../interface/configuration/configuration.ts';
import type { ChangePlan } from '../../interface/configuration/configuration.ts';
import { CommandError, DocumentRefused } from '../command-error.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Imported, Item, ImportedAsset, Remark } from './imported.ts';
import { mergeInto } from './merge.ts';
import type { DocumentFault } from '../../interface/failure.ts';
import type { MergedDocument } from './merge.ts';

/** An import that the gateway would accept. */
export interface ImportPlan {
  /** Without refused entries, which are in `untaken`. */
  readonly imported: Imported;
  /** Absent if nothing is left. */
  readonly effects?: ChangePlan;
  /** Imports; fails if the configuration has changed since. */
  readonly apply: () => Promise<ChangePlan>;
}

/** The current managed configuration. */
export interface Present {
  readonly document: Item;
  readonly etag: string;
}

// The gateway reports up to a thousand errors at once; more rounds are not worth the time.
const MAXIMUM_ROUNDS = 20;

/** Fetches the current managed configuration. */
export async function fetchPresent(client: RestClient): Promise<Present> {
  const { body, headers } = await client.exchange(readConfiguration, {});
  return { document: (body ?? {}) as Item, etag: headers.etag ?? '*' };
}

/**
 * Finds the entries that the gateway accepts: removes refused channels, assets and drivers until it accepts the rest.
 *
 * @throws {CommandError} `ITEM_EXISTS`; as the gateway refuses it for another reason
 */
export async function planImport(
  client: RestClient,
  { document, etag }: Present,
  { imported: all, mayReplace }: { readonly imported: Imported; readonly mayReplace: boolean },
): Promise<ImportPlan> {
  let imported = leaveOutEmpty(all);
  for (let round = 0; round < MAXIMUM_ROUNDS; round += 1) {
    const merged = mergeInto(document, imported, mayReplace);
    const send = async (dryRun: boolean): Promise<ChangePlan> => {
      const headers = { 'If-Match': etag };
      const wanted = { parameters: { dryRun }, headers, body: merged.document };
      return (await client.exchange(replaceConfiguration, wanted)).body;
    };
    const apply = (): Promise<ChangePlan> => send(false);
    if (imported.drivers.length + imported.assets.length === 0) return { imported, apply };
    try {
      return { imported, effects: await send(true), apply };
    } catch (error) {
      if (!(error instanceof DocumentRefused)) throw error;
      const rest = leaveOut(imported, merged, error.faults);
      if (rest === undefined) throw error;
      imported = leaveOutEmpty(rest);
    }
  }
  const detail = 'more than twenty thousand channels are not supported; nothing was changed';
  throw new CommandError({ code: 'IMPORT_UNREADABLE', detail });
}

const MESSAGES_IN_REASON = 3;

/** Removes refused entries with their reasons; undefined if an error is not in an imported entry. */
function leaveOut(
  imported: Imported,
  { driverIndexes, assetIndexes }: MergedDocument,
  faults: readonly DocumentFault[],
): Imported | undefined {
  const messages = new Map<string, string[]>();
  for (const { path, message } of faults) {
    const place = locate(path, driverIndexes, assetIndexes);
    if (place === undefined) return undefined;
    const list = messages.get(place.key) ?? [];
    list.push(place.rest === '' ? message : `${place.rest}: ${message}`);
    messages.set(place.key, list);
  }
  if (messages.size === 0) return undefined;
  const reasonOf = (key: string): string | undefined =>
    messages.get(key)?.slice(0, MESSAGES_IN_REASON).join('; ');
  const untaken: Remark[] = [...imported.untaken];
  const lost = new Set<unknown>();
  const drivers = imported.drivers.filter(({ place, driver }, index) => {
    const reason = reasonOf(`driver ${index}`);
    if (reason === undefined) return true;
    lost.add(driver['pid']);
    untaken.push({ place, text: String(driver['type']), reason });
    return false;
  });
  const assets = imported.assets.flatMap((asset, index): readonly ImportedAsset[] => {
    const own = lost.has(asset.asset['driver']) ? 'its driver is not imported' : reasonOf(`asset ${index}`);
    if (own !== undefined) {
      untaken.push({ place: asset.place, text: 'asset', reason: own });
      untaken.push(
        ...asset.channels.map(({ place, text }) => ({ place, text, reason: 'its asset is not imported' })),
      );
      return [];
    }
    const channels = asset.channels.filter(({ place, text }, at) => {
      const reason = reasonOf(`asset ${index} channel ${at}`);
      if (reason !== undefined) untaken.push({ place, text, reason });
      return reason === undefined;
    });
    return [{ ...asset, channels }];
  });
  return { ...imported, drivers, assets, untaken };
}

/** Removes assets without channels: replacing another asset, they would only remove its channels. */
function leaveOutEmpty(imported: Imported): Imported {
  const isEmpty = ({ channels }: ImportedAsset): boolean => channels.length === 0;
  const emptied = imported.assets.filter(isEmpty).map(({ place }) => ({
    place,
    text: 'asset',
    reason: 'it has no channel that can be imported',
  }));
  if (emptied.length === 0) return imported;
  return {
    ...imported,
    assets: imported.assets.filter((asset) => !isEmpty(asset)),
    untaken: [...imported.untaken, ...emptied],
  };
}

function locate(
  path: string,
  driverIndexes: readonly number[],
  assetIndexes: readonly number[],
): { readonly key: string; readonly rest: string } | undefined {
  const [, section, number, channel, rest = ''] =
    /^(drivers|assets)\[(\d+)\](?:\.channels\[(\d+)\])?\.?(.*)$/s.exec(path) ?? [];
  if (section === undefined) return undefined;
  const index = (section === 'drivers' ? driverIndexes : assetIndexes).indexOf(Number(number));
  if (index < 0) return undefined;
  if (section === 'drivers') return { key: `driver ${index}`, rest };
  return { key: channel === undefined ? `asset ${index}` : `asset ${index} channel ${channel}`, rest };
}
