import type { SettingOption } from '../command-line.ts';
import { findSetting } from './setting.ts';
import type { Setting, SettingTerms } from './setting.ts';
import { readSettingValue } from './setting-value.ts';
import type { Terminal } from '../command-group.ts';

/** Item of the configuration as plain data. */
export type Item = Readonly<Record<string, unknown>>;

/**
 * Applies settings given as options to an item.
 *
 * @throws {UsageError} for an unknown option or a value of the wrong type
 */
export async function applySettings(
  item: Item,
  options: readonly SettingOption[],
  {
    known,
    terminal,
    prefix = '--',
  }: {
    readonly known: readonly Setting[];
    readonly terminal: Terminal;
    /** Start of an option in messages. */
    readonly prefix?: string;
  },
): Promise<Item> {
  let edited = item;
  for (const { name, text } of options) {
    const setting = findSetting(name, known);
    const value = await readSettingValue(`${prefix}${name}`, text, { setting, terminal });
    edited = putAt(edited, setting.path.split('.'), value);
  }
  return edited;
}

/** Removes a setting from an item, which resets it to its default. */
export function unsetSetting(
  item: Item,
  name: string,
  settings: readonly Setting[],
  terms?: SettingTerms,
): Item {
  return removeAt(item, findSetting(name, settings, terms).path.split('.'));
}

/** Returns an item with a value at a key path. */
export function putAt(item: Item, [key = '', ...keys]: readonly string[], value: unknown): Item {
  if (keys.length === 0) return { ...item, [key]: value };
  const inner = item[key];
  return { ...item, [key]: putAt(isItem(inner) ? inner : {}, keys, value) };
}

/** Returns an item without the value at a key path. */
export function removeAt(item: Item, [key = '', ...keys]: readonly string[]): Item {
  const inner = item[key];
  const others = Object.fromEntries(Object.entries(item).filter(([name]) => name !== key));
  if (keys.length === 0 || !isItem(inner)) return keys.length === 0 ? others : item;
  const left = removeAt(inner, keys);
  return Object.keys(left).length === 0 ? others : { ...item, [key]: left };
}

/** Returns true for an object that is not an array. */
export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Splits a path after its first name: the longest known one, because names may contain dots.
 *
 * @returns the name and the rest after its dot; an unknown name ends at the first dot
 */
export function findByPrefix(path: string, names: readonly string[]): readonly [name: string, rest: string] {
  const known = names.filter((name) => path === name || path.startsWith(`${name}.`));
  const [first = ''] = path.split('.');
  const name = known.reduce((longest, each) => (each.length > longest.length ? each : longest), '') || first;
  return [name, path.slice(name.length + 1)];
}
