import { isDeepStrictEqual } from 'node:util';

import type { Slices } from '../../base/slices.ts';
import type { Grant } from '../../security/identity/grant.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import { isDocument, LIST_SECTIONS, OBJECT_SECTIONS } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { checkProvisionDocument } from './provision-document.ts';
import type { ProvisionDocument } from './provision-document.ts';

/** Name of a part: section and pid of an item, section and keys of a setting, `identities` and a name. */
export type PartName = readonly [section: string, ...keys: readonly string[]];

/** Origin of a configuration part or identity that provision files name or have named. */
export interface PartOrigin {
  readonly part: PartName;
  /** Name of the source that named it last; undefined: it is older than the record. */
  readonly source: string | undefined;
  /** True if a source named it at the last merge. */
  readonly isNamed: boolean;
  /** As the source has it; of an identity its {@link IdentityRights} alone. */
  readonly content: unknown;
  /** Id of the identity that was created for the source; {@link PENDING} until then, undefined where none was. */
  readonly identityId: string | undefined;
}

/** Data that identifies whether a part is active. */
export type OriginName = Pick<PartOrigin, 'part' | 'source' | 'identityId'>;

/** Rights of an identity that are compared. */
export interface IdentityRights {
  readonly permissions: readonly string[];
  readonly grants: readonly Grant[];
  /** Absent: it is not. */
  readonly secondFactorRequired?: true;
}

/** Returns the rights of an identity, as a source or the store has it. */
export function rightsOf(identity: {
  readonly permissions: readonly string[];
  readonly grants?: readonly Grant[] | undefined;
  readonly secondFactorRequired?: boolean | undefined;
}): IdentityRights {
  const { permissions, grants = [], secondFactorRequired } = identity;
  return { permissions, grants, ...(secondFactorRequired === true ? { secondFactorRequired } : {}) };
}

/** Stands for the id of an identity that is about to be created. */
export const PENDING = '';

/** Input for recording origins after a merge. */
interface OriginRequest {
  readonly former: readonly PartOrigin[];
  /** True if nothing was recorded before. */
  readonly isFirst: boolean;
  /** Every source that there is, in its order. */
  readonly sources: readonly ProvisionSource[];
  /** The active document after the merge. */
  readonly document: ManagedDocument;
  readonly identities: IdentityLookup;
}

/** Read access to the existing identities. */
export type IdentityLookup = Pick<IdentityStore, 'find' | 'list'>;

/**
 * Returns the origins after a merge: of what sources name now, of what they have named and is still in force, and of what was
 * there before the first record.
 */
export function* recordOrigins(request: OriginRequest): Slices<readonly PartOrigin[]> {
  const { former, isFirst, sources, document, identities } = request;
  const known = new Map<string, PartOrigin>();
  for (const origin of former) {
    known.set(keyOf(origin.part), origin);
    yield;
  }
  const named = new Map<string, PartOrigin>();
  for (const [key, origin] of yield* listNamed(sources, former)) {
    yield;
    const own = origin.part[0] === 'identities' ? withIdentity(origin, known, identities) : origin;
    const before = known.get(key);
    // The same object for what has not changed, which need not be stored again.
    named.set(key, isDeepStrictEqual(own, before) ? (before ?? own) : own);
  }
  const isPresent = createPresence(document, identities);
  const left: PartOrigin[] = [];
  for (const origin of [...former, ...(isFirst ? listUnrecorded(document, identities) : [])]) {
    yield;
    if (named.has(keyOf(origin.part)) || !isPresent(origin)) continue;
    left.push(origin.isNamed ? { ...origin, isNamed: false } : origin);
  }
  return [...named.values(), ...left];
}

/** Returns the value of a part in a document; undefined when it is not there. */
export function findPart(document: ManagedDocument, [section, ...keys]: PartName): unknown {
  const content = document[section];
  if (Array.isArray(content)) {
    return (content as readonly unknown[]).find((item) => isDocument(item) && item['pid'] === keys[0]);
  }
  return keys.reduce<unknown>(
    (value, key) => (isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    content,
  );
}

/** Returns a function that finds parts as {@link findPart} does, of many items in a list as quickly as of few. */
export function createPartFinder(document: ManagedDocument): (part: PartName) => unknown {
  const lists = new Map<string, ReadonlyMap<unknown, unknown>>();
  return (part) => {
    const [section, pid] = part;
    const content = document[section];
    if (!Array.isArray(content)) return findPart(document, part);
    let items = lists.get(section);
    // Of items of one name the first, as in a list.
    items ??= new Map(content.toReversed().map((item: unknown) => [pidOf(item), item]));
    lists.set(section, items);
    return items.get(pid);
  };
}

/** Lists the parts that sources name, in their order; of those that several name, the last counts. */
function* listNamed(
  sources: readonly ProvisionSource[],
  former: readonly PartOrigin[],
): Slices<ReadonlyMap<string, PartOrigin>> {
  const named = new Map<string, PartOrigin>();
  for (const source of sources) {
    const { document } = yield* checkProvisionDocument(source.value);
    for (const origin of listOriginsOf(source.name, document, former)) {
      named.set(keyOf(origin.part), origin);
      yield;
    }
  }
  return named;
}

function* listOriginsOf(
  name: string,
  document: ProvisionDocument | undefined,
  former: readonly PartOrigin[],
): Generator<PartOrigin, void, void> {
  // An earlier release has merged it; what it brought stays its own.
  if (document === undefined) {
    yield* former.filter(({ source, isNamed }) => isNamed && source === name);
    return;
  }
  const brought = (part: PartName, content: unknown): PartOrigin => ({
    part,
    source: name,
    isNamed: true,
    // As it comes back from the store.
    content: JSON.parse(JSON.stringify(content)) as unknown,
    identityId: undefined,
  });
  for (const section of OBJECT_SECTIONS) {
    for (const [part, content] of listLeaves([section], document[section])) yield brought(part, content);
  }
  for (const section of LIST_SECTIONS) {
    for (const item of document[section] ?? []) yield brought([section, item.pid], item);
  }
  for (const identity of document.identities) {
    yield brought(['identities', identity.name], rightsOf(identity));
  }
}

function listLeaves(part: PartName, value: unknown): readonly (readonly [PartName, unknown])[] {
  if (value === undefined) return [];
  if (!isDocument(value)) return [[part, value]];
  return Object.entries(value).flatMap(([key, inner]) => listLeaves([...part, key], inner));
}

/** An identity that was there before its source named it does not come from the source. */
function withIdentity(
  origin: PartOrigin,
  known: ReadonlyMap<string, PartOrigin>,
  identities: IdentityLookup,
): PartOrigin {
  const id = identities.find(origin.part[1] ?? '')?.id;
  const former = known.get(keyOf(origin.part))?.identityId;
  return { ...origin, identityId: former === PENDING || former === id ? id : undefined };
}

function listUnrecorded(document: ManagedDocument, identities: IdentityLookup): readonly PartOrigin[] {
  const items = LIST_SECTIONS.flatMap((section): readonly PartName[] => {
    const content = document[section];
    const pids = Array.isArray(content) ? (content as readonly unknown[]).map(pidOf) : [];
    return pids.filter((pid) => typeof pid === 'string').map((pid) => [section, pid] as const);
  });
  const names = identities.list().map(({ name }): PartName => ['identities', name]);
  return [...items, ...names].map((part) => ({
    part,
    source: undefined,
    isNamed: false,
    content: null,
    identityId: undefined,
  }));
}

/** Returns a predicate: true if a part is active; for an identity, only if its source created it. */
export function createPresence(
  document: ManagedDocument,
  identities: IdentityLookup,
): (origin: OriginName) => boolean {
  const pids = new Map<string, ReadonlySet<unknown>>(
    LIST_SECTIONS.map((section) => {
      const content = document[section];
      return [section, new Set(Array.isArray(content) ? content.map(pidOf) : [])];
    }),
  );
  return ({ part, source, identityId }) => {
    const [section, key = ''] = part;
    if (section === 'identities') {
      const identity = identities.find(key);
      return identity !== undefined && (source === undefined || identity.id === identityId);
    }
    return pids.get(section)?.has(key) ?? findPart(document, part) !== undefined;
  };
}

function pidOf(item: unknown): unknown {
  return isDocument(item) ? item['pid'] : undefined;
}

function keyOf(part: PartName): string {
  return JSON.stringify(part);
}

/** Returns a document with only this part. */
export function placePart([section, ...keys]: PartName, content: unknown): ManagedDocument {
  const isItem = typeof content === 'object' && content !== null && 'pid' in content;
  const inner = isItem ? [content] : keys.reduceRight<unknown>((value, key) => ({ [key]: value }), content);
  return { [section]: inner };
}
