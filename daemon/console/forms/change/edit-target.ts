import { CONFIGURATION } from '../../text/configuration.ts';
import type { Text } from '../../text/text.ts';

export const CONFIGURATION_ROOT = '/services/configuration/v1';

/** Configuration document, or a part of one. */
export type Document = Readonly<Record<string, unknown>>;

/** Sections, in the order of the documentation. */
export const SECTIONS = [
  { name: 'drivers', title: CONFIGURATION.drivers, hasItems: true },
  { name: 'assets', title: CONFIGURATION.assets, hasItems: true },
  { name: 'recorders', title: CONFIGURATION.recorders, hasItems: true },
  { name: 'bundles', title: CONFIGURATION.bundles, hasItems: true },
  { name: 'recording', title: CONFIGURATION.recording, hasItems: false },
  { name: 'rest', title: CONFIGURATION.rest, hasItems: false },
  { name: 'banners', title: CONFIGURATION.banners, hasItems: false },
  { name: 'passwordStrength', title: CONFIGURATION.passwordStrength, hasItems: false },
  { name: 'tokenIssuingServices', title: CONFIGURATION.tokenIssuingServices, hasItems: true },
  { name: 'tokenVerificationServices', title: CONFIGURATION.tokenVerificationServices, hasItems: true },
] as const satisfies readonly { readonly name: string; readonly title: Text; readonly hasItems: boolean }[];

/** Unit of editing: the document, a section with settings, or an item. */
export type EditTarget = readonly [] | readonly [section: string] | readonly [section: string, pid: string];

/** True if a link of the configuration page opens a text. */
export function isTextTarget([, section, pid]: readonly string[]): boolean {
  const { hasItems = false } = SECTIONS.find(({ name }) => name === section) ?? {};
  return section !== undefined && section !== 'snapshots' && (pid !== undefined || !hasItems);
}

/** Returns the path of a target below the configuration, which is also its displayed name. */
export function pathOf(target: EditTarget): string {
  return target.map(encodeURIComponent).join('/');
}

/** Lists the items of a section. */
export function listItems(document: Document, section: string): readonly Document[] {
  const items = document[section];
  return Array.isArray(items) ? (items as readonly Document[]) : [];
}

/** Lists the names of the items of a section. */
export function listNames(document: Document, section: string): readonly string[] {
  return listItems(document, section).flatMap(({ pid }) => (typeof pid === 'string' ? [pid] : []));
}

/** Returns the part of a document at a target; undefined if absent. */
export function getPart(document: Document, target: EditTarget): unknown {
  const [section, pid] = target;
  if (section === undefined) return document;
  if (pid === undefined) return document[section] ?? {};
  return listItems(document, section).find((item) => item['pid'] === pid);
}

/** Returns the document with a new value at a target. */
export function setPart(document: Document, target: EditTarget, value: unknown): Document {
  const [section, pid] = target;
  if (section === undefined) return value as Document;
  if (pid === undefined) return { ...document, [section]: value };
  const items = listItems(document, section);
  const placed = typeof value === 'object' && value !== null ? { pid, ...value } : value;
  const isKnown = items.some((item) => item['pid'] === pid);
  const next = isKnown
    ? items.flatMap((item) => (item['pid'] !== pid ? [item] : value === undefined ? [] : [placed]))
    : [...items, placed];
  return { ...document, [section]: next };
}

/** Returns the path of an error as keys relative to the target; undefined if it is outside. */
export function toLocalPath(
  path: string,
  target: EditTarget,
  document: Document,
): readonly (string | number)[] | undefined {
  const keys = [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([key, index]) =>
    index === undefined ? key : Number(index),
  );
  const [section, pid] = target;
  if (section === undefined) return keys;
  if (keys[0] !== section) return undefined;
  if (pid === undefined) return keys.slice(1);
  const items = listItems(document, section);
  const index = items.findIndex((item) => item['pid'] === pid);
  return keys[1] === (index < 0 ? items.length : index) ? keys.slice(2) : undefined;
}
