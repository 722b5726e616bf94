import { KEY_NAMES, KEYS } from '../text/keys.ts';
import { fill } from '../text/fill.ts';
import type { Text } from '../text/language.ts';
import type { Page } from './pages.ts';

/** A key, as it is written on it, and what it does. */
export interface NamedKey {
  readonly key: string;
  readonly does: string;
}

type Row = readonly [key: string | Text, does: Text];

const EVERYWHERE: readonly Row[] = [
  ['?', KEYS.help],
  ['/', KEYS.search],
  ['Esc', KEYS.escape],
  [KEY_NAMES.submit, KEYS.next],
];

const ON_PAGES: Readonly<Partial<Record<Page['name'], readonly Row[]>>> = {
  assets: [
    ['j k, ↓ ↑', KEYS.rows],
    [KEY_NAMES.ends, KEYS.ends],
    [KEY_NAMES.enter, KEYS.open],
    ['w', KEYS.write],
    ['t', KEYS.trend],
  ],
  trends: [
    ['← →', KEYS.cursor],
    ['m', KEYS.mark],
    ['p', KEYS.pause],
    ['+ -', KEYS.zoom],
  ],
  configuration: [
    [KEY_NAMES.suggest, KEYS.suggest],
    [KEY_NAMES.find, KEYS.find],
    [KEY_NAMES.comment, KEYS.comment],
    ['F8', KEYS.fault],
  ],
};

/** Lists the keys that work on every page, among them those that go to these. */
export function listKeysEverywhere(pages: readonly Page[]): readonly NamedKey[] {
  const jumps = pages.map(({ key, title }) => ({
    key: `g ${key}`,
    does: fill(KEYS.goTo, { page: fill(title) }),
  }));
  return [...EVERYWHERE.map(toKey), ...jumps];
}

/** Lists the keys that one page has beside these. */
export function listKeysOf({ name }: Page): readonly NamedKey[] {
  return (ON_PAGES[name] ?? []).map(toKey);
}

function toKey([key, does]: Row): NamedKey {
  return { key: typeof key === 'string' ? key : fill(key), does: fill(does) };
}
