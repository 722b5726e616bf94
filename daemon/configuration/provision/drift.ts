import { isDeepStrictEqual } from 'node:util';

import type { DRIFT_STATES } from '../../interface/configuration/drift.ts';
import type { Slices } from '../../base/slices.ts';
import { isDocument, nameOf } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { createPartFinder, rightsOf } from './provision-origins.ts';
import type { IdentityRights, IdentityLookup, PartName, PartOrigin } from './provision-origins.ts';

/** One key that differs. */
interface Difference {
  /** Keys with dots between, those of lists by pid or name: `channels.flow.valueScale`; empty for the part itself. */
  readonly key: string;
  /** Value in the file; absent: none. */
  readonly file?: unknown;
  /** Active value; absent: none. */
  readonly inForce?: unknown;
}

/** A value and its redacted form. */
interface Side {
  readonly raw: unknown;
  readonly shown: unknown;
}

const ABSENT: Side = { raw: undefined, shown: undefined };

export type DriftState = (typeof DRIFT_STATES)[number];

/** Part of the configuration, or identity, that differs from the provision files. */
export interface DriftedPart {
  readonly part: PartName;
  readonly state: DriftState;
  /** The source that named it last; undefined: unknown. */
  readonly source: string | undefined;
  /** Differences for `CHANGED`, without secrets. */
  readonly differences: readonly Difference[];
}

/** Active state to compare with the origins. */
export interface DriftSubject {
  readonly document: ManagedDocument;
  readonly identities: IdentityLookup;
  /** Returns a part without its secrets. */
  readonly hide: (part: PartName, content: unknown) => unknown;
}

/** Compares the active state with the provision files, ordered by name. */
export function* findDrift(
  origins: Iterable<PartOrigin>,
  { document, identities, hide }: DriftSubject,
): Slices<readonly DriftedPart[]> {
  const find = createPartFinder(document);
  const drifted: DriftedPart[] = [];
  for (const origin of origins) {
    yield;
    const { part, source, content } = origin;
    const present = part[0] === 'identities' ? findRights(origin, identities) : find(part);
    const state = stateOf(origin, present);
    if (state === undefined) continue;
    const differences =
      state === 'CHANGED'
        ? yield* listDifferences(
            { raw: content, shown: hide(part, content) },
            { raw: present, shown: hide(part, present) },
          )
        : [];
    drifted.push({ part, state, source, differences });
  }
  return drifted;
}

function stateOf({ source, isNamed, content }: PartOrigin, present: unknown): DriftState | undefined {
  if (present === undefined) return isNamed ? 'REMOVED' : undefined;
  if (source === undefined) return 'UNKNOWN';
  const isSame = isDeepStrictEqual(present, content);
  if (isNamed) return isSame ? undefined : 'CHANGED';
  return isSame ? 'VANISHED' : 'TAKEN_OVER';
}

/** Returns the rights of an identity, its permissions in the order of its source where they are the same. */
function findRights(
  { part, source, isNamed, content, identityId }: PartOrigin,
  identities: IdentityLookup,
): unknown {
  const identity = identities.find(part[1] ?? '');
  if (identity === undefined) return undefined;
  // Another one of the same name did not come from the source.
  if (!isNamed && source !== undefined && identity.id !== identityId) return undefined;
  // As the content of an origin comes back from the store.
  const { permissions, ...others } = JSON.parse(JSON.stringify(rightsOf(identity))) as IdentityRights;
  const wanted = isDocument(content) && Array.isArray(content['permissions']) ? content['permissions'] : [];
  const isSame = isDeepStrictEqual(new Set<unknown>(wanted), new Set<unknown>(permissions));
  return { permissions: isSame ? wanted : permissions, ...others };
}

/** Lists the keys in which two values differ, secrets included; only what can be shown is in the result. */
function* listDifferences(file: Side, inForce: Side, key = ''): Slices<readonly Difference[]> {
  yield;
  if (isDeepStrictEqual(file.raw, inForce.raw)) return [];
  const [one, other] = [fieldsOf(file), fieldsOf(inForce)];
  if (one === undefined || other === undefined) {
    return [{ key, ...withValue('file', file), ...withValue('inForce', inForce) }];
  }
  const names = [...new Set([...one.keys(), ...other.keys()])];
  const differences: Difference[] = [];
  for (const name of names) {
    const path = key === '' ? name : `${key}.${name}`;
    for (const difference of yield* listDifferences(
      one.get(name) ?? ABSENT,
      other.get(name) ?? ABSENT,
      path,
    )) {
      differences.push(difference);
    }
  }
  return differences;
}

function withValue<Name extends string>(name: Name, { shown }: Side): Partial<Record<Name, unknown>> {
  return shown === undefined ? {} : ({ [name]: shown } as Partial<Record<Name, unknown>>);
}

/** Returns the fields of an object, or the items of a list by their names; undefined for anything else. */
function fieldsOf({ raw, shown }: Side): ReadonlyMap<string, Side> | undefined {
  if (Array.isArray(raw) && Array.isArray(shown)) {
    const items = raw as readonly unknown[];
    const names = items.map(nameOf).filter((name) => typeof name === 'string');
    if (names.length < items.length || new Set(names).size < names.length || items.length === 0)
      return undefined;
    return new Map(
      names.map((name, index) => [name, { raw: items[index], shown: (shown as readonly unknown[])[index] }]),
    );
  }
  // A secret is shown as a marker, whose keys are not those of the secret.
  if (!isDocument(raw) || !isDocument(shown) || !Object.keys(raw).every((key) => Object.hasOwn(shown, key)))
    return undefined;
  return new Map(Object.entries(raw).map(([key, value]) => [key, { raw: value, shown: shown[key] }]));
}
