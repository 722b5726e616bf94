import { InvalidRequest, NotFound } from '../base/errors.ts';
import { findNearestKey } from '../base/key/key-hint.ts';
import { tokenIssuingServicesSchema, tokenVerificationServicesSchema } from '../settings/token-settings.ts';
import { isDocument, LIST_SECTIONS, OBJECT_SECTIONS } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';

type ObjectSection = (typeof OBJECT_SECTIONS)[number];
type ListSection = (typeof LIST_SECTIONS)[number];

// A list of thousands helps no reader of a message.
const MAXIMUM_SUGGESTIONS = 20;

/** Name of a part of the document. */
type SectionName = ObjectSection | ListSection;

// The first item of an absent section is added to the default items.
const DEFAULT_ITEMS: Readonly<Record<ListSection, readonly unknown[]>> = {
  tokenIssuingServices: tokenIssuingServicesSchema.parse(undefined),
  tokenVerificationServices: tokenVerificationServicesSchema.parse(undefined),
  drivers: [],
  assets: [],
  recorders: [],
  bundles: [],
};

/**
 * Parses the name of a section.
 *
 * @throws {NotFound} `SECTION_UNKNOWN`
 */
export function parseSectionName(name: string): SectionName {
  const known = [...OBJECT_SECTIONS, ...LIST_SECTIONS];
  const section = known.find((candidate) => candidate === name);
  if (section !== undefined) return section;
  const detail = `unknown configuration section; ${suggest(name, known)}`;
  throw new NotFound({ code: 'SECTION_UNKNOWN', detail });
}

/** Returns a stored section; for a list that is not stored, its default items. */
export function getSection(document: ManagedDocument, section: SectionName): unknown {
  return document[section] ?? (isListSection(section) ? DEFAULT_ITEMS[section] : {});
}

/** Returns a document with only the given section of another. */
export function pickSection(document: ManagedDocument, section: SectionName): ManagedDocument {
  return document[section] === undefined ? {} : putSection({}, section, document[section]);
}

/**
 * Returns a document with only the given item of another.
 *
 * @throws {NotFound} as `getItem` does
 */
export function pickItem(document: ManagedDocument, section: SectionName, pid: string): ManagedDocument {
  return putSection({}, section, [getItem(document, section, pid)]);
}

/** Returns the items of all sections by what names them: the pid, and the type of a driver or the driver of an asset. */
export function outlineDocument(document: ManagedDocument) {
  const list = (section: ListSection) =>
    getItems(document, section).map((item) => ({ pid: readText(item, 'pid') }));
  return {
    drivers: getItems(document, 'drivers').map((item) => ({
      pid: readText(item, 'pid'),
      type: readText(item, 'type'),
    })),
    assets: getItems(document, 'assets').map((item) => ({
      pid: readText(item, 'pid'),
      driver: readText(item, 'driver'),
    })),
    recorders: list('recorders'),
    bundles: list('bundles'),
    tokenIssuingServices: list('tokenIssuingServices'),
    tokenVerificationServices: list('tokenVerificationServices'),
  };
}

/** Replaces a section as a whole; does not check its content. */
export function putSection(
  document: ManagedDocument,
  section: SectionName,
  content: unknown,
): ManagedDocument {
  return { ...document, [section]: content };
}

/** Removes a section, so that its defaults apply. */
export function removeSection(document: ManagedDocument, section: SectionName): ManagedDocument {
  return Object.fromEntries(Object.entries(document).filter(([name]) => name !== section));
}

/**
 * Returns one item of a section.
 *
 * @throws {NotFound} `SECTION_WITHOUT_ITEMS` or `ITEM_UNKNOWN`
 */
export function getItem(document: ManagedDocument, section: SectionName, pid: string): unknown {
  const items = getItems(document, section);
  const item = items.find((candidate) => pidOf(candidate) === pid);
  if (item !== undefined) return item;
  const known = items.map(pidOf).filter((candidate) => typeof candidate === 'string');
  const hint = known.length === 0 ? 'the section is empty' : suggest(pid, known);
  throw new NotFound({ code: 'ITEM_UNKNOWN', detail: `unknown pid in ${section}; ${hint}` });
}

/**
 * Replaces the item with the same pid, or appends the item.
 *
 * @param item may leave out its pid
 * @throws {NotFound} `SECTION_WITHOUT_ITEMS`
 * @throws {InvalidRequest} `ITEM_NOT_AN_OBJECT`, or `PID_MISMATCH` when it has another pid
 */
export function putItem(
  document: ManagedDocument,
  section: SectionName,
  pid: string,
  item: unknown,
): ManagedDocument {
  if (!isDocument(item)) {
    throw new InvalidRequest({ code: 'ITEM_NOT_AN_OBJECT', detail: 'expected an object with settings' });
  }
  if (item['pid'] !== undefined && item['pid'] !== pid) {
    throw new InvalidRequest({
      code: 'PID_MISMATCH',
      detail: 'the pid in the body differs from the pid in the path',
    });
  }
  const items = getItems(document, section);
  const place = items.findIndex((candidate) => pidOf(candidate) === pid);
  const placed = { pid, ...item };
  return putSection(document, section, place < 0 ? [...items, placed] : items.with(place, placed));
}

/**
 * Removes one item of a section.
 *
 * @throws {NotFound} as `getItem` does
 */
export function removeItem(document: ManagedDocument, section: SectionName, pid: string): ManagedDocument {
  const item = getItem(document, section, pid);
  const others = getItems(document, section).filter((candidate) => candidate !== item);
  return putSection(document, section, others);
}

/** Suggests the nearest known name, otherwise all known names. */
function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  return nearest === undefined
    ? `expected one of ${known.slice(0, MAXIMUM_SUGGESTIONS).join(', ')}`
    : `did you mean "${nearest}"?`;
}

function getItems(document: ManagedDocument, section: SectionName): readonly unknown[] {
  const items = isListSection(section) ? getSection(document, section) : undefined;
  if (Array.isArray(items)) return items as readonly unknown[];
  throw new NotFound({ code: 'SECTION_WITHOUT_ITEMS', detail: `section ${section} has no items` });
}

function isListSection(section: SectionName): section is ListSection {
  return LIST_SECTIONS.some((name) => name === section);
}

function readText(item: unknown, key: string): string {
  const value = isDocument(item) ? item[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function pidOf(item: unknown): unknown {
  return isDocument(item) ? item['pid'] : undefined;
}
