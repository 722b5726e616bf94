import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import { findDrift } from './drift.ts';
import type { DriftedPart } from './drift.ts';
import type { JsonSchema } from '../document-schema.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { isDocument } from '../managed-document.ts';
import { findPart, placePart } from './provision-origins.ts';
import type { IdentityLookup, PartName } from './provision-origins.ts';
import { hideSecrets } from '../store/secrets.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';

interface ProvisionDriftOptions {
  readonly snapshots: Pick<SnapshotStore, 'load' | 'findNewestId' | 'origins'>;
  readonly identities: IdentityLookup;
  /** Returns the schema of the whole document, which marks secrets. */
  readonly describe: () => JsonSchema;
  readonly clock: SliceClock;
}

/** Compares the active state with the provision files at their last merge. */
export class ProvisionDrift {
  readonly #options: ProvisionDriftOptions;

  constructor(options: ProvisionDriftOptions) {
    this.#options = options;
  }

  /** Lists the differences, ordered by name. */
  async list(): Promise<readonly DriftedPart[]> {
    const { snapshots, clock } = this.#options;
    const newest = await runInSlices(snapshots.load(snapshots.findNewestId()), clock);
    return this.#listIn(newest?.document ?? {});
  }

  /** Lists the names of the identities that came from a file which no longer names them, unchanged since. */
  async listVanishedIdentities(): Promise<readonly string[]> {
    const drifted = await this.list();
    return drifted
      .filter(({ part: [section], state }) => section === 'identities' && state === 'VANISHED')
      .map(({ part: [, name = ''] }) => name);
  }

  /** Returns a document without what came from a file which no longer names it. */
  async prune(document: ManagedDocument): Promise<ManagedDocument> {
    const drifted = await this.#listIn(document);
    const vanished = drifted.filter(
      ({ part: [section], state }) => section !== 'identities' && state === 'VANISHED',
    );
    return removeParts(
      document,
      vanished.map(({ part }) => part),
    );
  }

  async #listIn(document: ManagedDocument): Promise<readonly DriftedPart[]> {
    const { snapshots, identities, describe, clock } = this.#options;
    let schema: JsonSchema | undefined;
    const hide = (part: PartName, content: unknown): unknown => {
      if (part[0] === 'identities') return content;
      schema ??= describe();
      return findPart(hideSecrets(schema, placePart(part, content)), part);
    };
    const origins = await runInSlices(snapshots.origins.load(), clock);
    return runInSlices(findDrift(origins, { document, identities, hide }), clock);
  }
}

/**
 * Removes parts from a document: items of lists, and settings by their keys. A section or object that is empty afterwards is
 * removed as well, so that its default applies.
 */
function removeParts(document: ManagedDocument, parts: readonly PartName[]): ManagedDocument {
  return parts.reduce<ManagedDocument>((rest, part) => withoutKey(rest, part), document);
}

function withoutKey(object: ManagedDocument, [key = '', ...inner]: readonly string[]): ManagedDocument {
  const { [key]: value, ...others } = object;
  const left = inner.length === 0 ? undefined : withoutInner(value, inner);
  if (left === undefined) return others;
  return { ...object, [key]: left };
}

function withoutInner(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).filter(
      (item) => !isDocument(item) || item['pid'] !== keys[0],
    );
    return items.length === 0 ? undefined : items;
  }
  if (!isDocument(value)) return value;
  const left = withoutKey(value, keys);
  return Object.keys(left).length === 0 ? undefined : left;
}
