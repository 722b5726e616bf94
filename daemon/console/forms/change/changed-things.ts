import type { Difference } from '../difference.ts';

/** What was done to one item, section or group of channels. */
export interface ChangedThing {
  /** Section, or `channels` for channels of an asset. */
  readonly section: string;
  /** Name of the item, or `asset/channel`; of several channels, the asset; undefined for a section of settings. */
  readonly name: string | undefined;
  /** Number of channels; 1 for all others. */
  readonly count: number;
  readonly how: 'ADDED' | 'CHANGED' | 'DELETED';
}

/**
 * Lists what a change has added, changed and deleted: each item once, and the channels of an asset together.
 *
 * @param differences as `listDifferences` returns them for two documents
 */
export function listChangedThings(differences: readonly Difference[]): readonly ChangedThing[] {
  const things = new Map(
    differences
      .flatMap(listThings)
      .map((thing) => [`${thing.section}\n${thing.how}\n${thing.name ?? ''}`, thing]),
  );
  const groups = new Map<string, ChangedThing>();
  for (const thing of things.values()) {
    const { section, how, name = '' } = thing;
    const key = section === 'channels' ? `${how}\n${assetOf(name)}` : `${section}\n${how}\n${name}`;
    const known = groups.get(key);
    groups.set(key, known === undefined ? thing : { ...known, name: assetOf(name), count: known.count + 1 });
  }
  return [...groups.values()];
}

function listThings({ path, before, after }: Difference): readonly ChangedThing[] {
  const [section = '', name, part, channel] = path;
  const how = before === undefined ? 'ADDED' : after === undefined ? 'DELETED' : 'CHANGED';
  if (name === undefined) {
    const names = listPids(after ?? before);
    return names.length === 0
      ? [{ section, name, count: 1, how: 'CHANGED' }]
      : names.map((each) => ({ section, name: each, count: 1, how }));
  }
  if (section === 'assets' && part === 'channels' && channel !== undefined) {
    const isWhole = path.length === 4;
    return [{ section: 'channels', name: `${name}/${channel}`, count: 1, how: isWhole ? how : 'CHANGED' }];
  }
  // A setting that is set or unset changes its section or item.
  const isItem = path.length === 2 && typeof (before ?? after) === 'object' && hasPid(after ?? before);
  if (isItem) return [{ section, name, count: 1, how }];
  return [{ section, name: SETTINGS.has(section) ? undefined : name, count: 1, how: 'CHANGED' }];
}

// Sections without items.
const SETTINGS: ReadonlySet<string> = new Set(['recording', 'rest', 'banners', 'passwordStrength']);

function assetOf(name: string): string {
  return name.split('/')[0] ?? '';
}

function hasPid(value: unknown): boolean {
  return listPids([value]).length > 0;
}

function listPids(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const { pid } = (typeof item === 'object' && item !== null ? item : {}) as { readonly pid?: unknown };
    return typeof pid === 'string' ? [pid] : [];
  });
}
