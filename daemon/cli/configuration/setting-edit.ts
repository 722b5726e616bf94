import type { SettingOption } from '../command-line.ts';
import { findSetting } from './setting.ts';
import type { Setting } from './setting.ts';
import { readSettingValue } from './setting-value.ts';
import type { Terminal } from '../command-group.ts';

/** Plain data of the configuration. */
export type Item = Readonly<Record<string, unknown>>;

/**
 * Returns an item with the settings that were given as options.
 *
 * @throws {UsageError} for an unknown option and a value of another type
 */
export async function applySettings(
  item: Item,
  options: readonly SettingOption[],
  { known, terminal }: { readonly known: readonly Setting[]; readonly terminal: Terminal },
): Promise<Item> {
  let edited = item;
  for (const { name, text } of options) {
    const setting = findSetting(name, known);
    const value = await readSettingValue(`--${name}`, text, { setting, terminal });
    edited = putAt(edited, setting.path.split('.'), value);
  }
  return edited;
}

/** Returns an item without a setting, which then has its default. */
export function unsetSetting(item: Item, name: string, settings: readonly Setting[]): Item {
  return removeAt(item, findSetting(name, settings).path.split('.'));
}

/** Returns an item with a value at the place of its keys. */
export function putAt(item: Item, [key = '', ...keys]: readonly string[], value: unknown): Item {
  if (keys.length === 0) return { ...item, [key]: value };
  const inner = item[key];
  return { ...item, [key]: putAt(isItem(inner) ? inner : {}, keys, value) };
}

/** Returns an item without what is at the place of its keys. */
export function removeAt(item: Item, [key = '', ...keys]: readonly string[]): Item {
  const inner = item[key];
  const others = Object.fromEntries(Object.entries(item).filter(([name]) => name !== key));
  if (keys.length === 0 || !isItem(inner)) return keys.length === 0 ? others : item;
  const left = removeAt(inner, keys);
  return Object.keys(left).length === 0 ? others : { ...item, [key]: left };
}

/** Whether a value is an object with keys. */
export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Splits a path at the name that it begins with: the longest of the known ones, as names may have dots in them.
 *
 * @returns the name and what follows its dot; an unknown name ends at the first dot
 */
export function findByPrefix(path: string, names: readonly string[]): readonly [name: string, rest: string] {
  const known = names.filter((name) => path === name || path.startsWith(`${name}.`));
  const [first = ''] = path.split('.');
  const name = known.reduce((longest, each) => (each.length > longest.length ? each : longest), '') || first;
  return [name, path.slice(name.length + 1)];
}
