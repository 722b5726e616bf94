import { InvalidRequest, NotFound } from '../base/errors.ts';
import { findNearestKey } from '../base/key-hint.ts';
import { tokenIssuingServicesSchema, tokenVerificationServicesSchema } from '../settings/token-settings.ts';
import { isDocument, LIST_SECTIONS, OBJECT_SECTIONS } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';

type ObjectSection = (typeof OBJECT_SECTIONS)[number];
type ListSection = (typeof LIST_SECTIONS)[number];

// A message is for people; a list of thousands helps nobody.
const MAXIMUM_SUGGESTIONS = 20;

/** Name of a part of the document. */
type SectionName = ObjectSection | ListSection;

// Where a section is absent, its first item joins those that are there by default.
const DEFAULT_ITEMS: Readonly<Record<ListSection, readonly unknown[]>> = {
  tokenIssuingServices: tokenIssuingServicesSchema.parse(undefined),
  tokenVerificationServices: tokenVerificationServicesSchema.parse(undefined),
  drivers: [],
  assets: [],
};

/** @throws {NotFound} `SECTION_UNKNOWN` */
export function parseSectionName(name: string): SectionName {
  const known = [...OBJECT_SECTIONS, ...LIST_SECTIONS];
  const section = known.find((candidate) => candidate === name);
  if (section !== undefined) return section;
  const detail = `the configuration has no section of this name; ${suggest(name, known)}`;
  throw new NotFound({ code: 'SECTION_UNKNOWN', detail });
}

/** Gives a section as it is set; of a list that is not set the items that it has by default. */
export function getSection(document: ManagedDocument, section: SectionName): unknown {
  return document[section] ?? (isListSection(section) ? DEFAULT_ITEMS[section] : {});
}

/** Sets a section as a whole; whether its content is valid is not looked at. */
export function putSection(
  document: ManagedDocument,
  section: SectionName,
  content: unknown,
): ManagedDocument {
  return { ...document, [section]: content };
}

/** Takes a section away, so that its defaults are in force. */
export function removeSection(document: ManagedDocument, section: SectionName): ManagedDocument {
  return Object.fromEntries(Object.entries(document).filter(([name]) => name !== section));
}

/**
 * Gives one item of a section.
 *
 * @throws {NotFound} `SECTION_WITHOUT_ITEMS` or `ITEM_UNKNOWN`
 */
export function getItem(document: ManagedDocument, section: SectionName, pid: string): unknown {
  const items = getItems(document, section);
  const item = items.find((candidate) => pidOf(candidate) === pid);
  if (item !== undefined) return item;
  const known = items.map(pidOf).filter((candidate) => typeof candidate === 'string');
  const hint = known.length === 0 ? 'it has no items' : suggest(pid, known);
  throw new NotFound({ code: 'ITEM_UNKNOWN', detail: `nothing in ${section} has this pid; ${hint}` });
}

/**
 * Puts an item in the place of the one with the same pid, or at the end.
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
      detail: 'the pid in the body is not the one in the path',
    });
  }
  const items = getItems(document, section);
  const place = items.findIndex((candidate) => pidOf(candidate) === pid);
  const placed = { pid, ...item };
  return putSection(document, section, place < 0 ? [...items, placed] : items.with(place, placed));
}

/** @throws {NotFound} as `getItem` does */
export function removeItem(document: ManagedDocument, section: SectionName, pid: string): ManagedDocument {
  const item = getItem(document, section, pid);
  const others = getItems(document, section).filter((candidate) => candidate !== item);
  return putSection(document, section, others);
}

/** Says which name may have been meant, or else which there are. */
function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  return nearest === undefined
    ? `expected one of ${known.slice(0, MAXIMUM_SUGGESTIONS).join(', ')}`
    : `did you mean "${nearest}"?`;
}

function getItems(document: ManagedDocument, section: SectionName): readonly unknown[] {
  const items = isListSection(section) ? getSection(document, section) : undefined;
  if (Array.isArray(items)) return items as readonly unknown[];
  throw new NotFound({ code: 'SECTION_WITHOUT_ITEMS', detail: `${section} has no items` });
}

function isListSection(section: SectionName): section is ListSection {
  return LIST_SECTIONS.some((name) => name === section);
}

function pidOf(item: unknown): unknown {
  return isDocument(item) ? item['pid'] : undefined;
}
