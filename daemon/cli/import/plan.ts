import { readConfiguration, replaceConfiguration } from '../../interface/configuration.ts';
import type { ChangePlan } from '../../interface/configuration.ts';
import { CommandError, DocumentRefused } from '../command-error.ts';
import type { RestClient } from '../rest-client.ts';
import type { Imported, Item } from './imported.ts';
import { leaveOut, leaveOutEmpty } from './refused-parts.ts';
import { mergeInto } from './merge.ts';

/** An import that the gateway would accept. */
export interface ImportPlan {
  /** Without what the gateway has refused, which is among the untaken. */
  readonly imported: Imported;
  /** Absent where nothing is left. */
  readonly effects?: ChangePlan;
  /** Makes the import; nothing else may have changed since. */
  readonly apply: () => Promise<ChangePlan>;
}

/** The managed configuration as it is. */
export interface Present {
  readonly document: Item;
  readonly etag: string;
}

// The gateway names a thousand faults at once; a file with more of them is not worth the time.
const MAXIMUM_ROUNDS = 20;

/** Returns the managed configuration as it is. */
export async function fetchPresent(client: RestClient): Promise<Present> {
  const { body, headers } = await client.exchange(readConfiguration, {});
  return { document: (body ?? {}) as Item, etag: headers.etag ?? '*' };
}

/**
 * Finds what the gateway would accept: it refuses single channels, assets and drivers, which are left out, until it refuses
 * nothing.
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
  const detail = 'more than twenty thousand channels are not possible here; nothing was changed';
  throw new CommandError({ code: 'IMPORT_UNREADABLE', detail });
}
