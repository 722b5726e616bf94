import type { DRIFT_STATES } from '../interface/drift.ts';
import { isDeepStrictEqual } from 'node:util';

import { listDifferences } from './drift-differences.ts';
import type { Difference } from './drift-differences.ts';
import { isDocument } from './managed-document.ts';
import type { ManagedDocument } from './managed-document.ts';
import { findPart, rightsOf } from './provision-origins.ts';
import type { IdentityRights, KnownIdentities, PartName, PartOrigin } from './provision-origins.ts';

export type DriftState = (typeof DRIFT_STATES)[number];

/** A part of the configuration, or an identity, that is not as the provision files say. */
export interface DriftedPart {
  readonly part: PartName;
  readonly state: DriftState;
  /** The source that named it last; undefined: unknown. */
  readonly source: string | undefined;
  /** What differs, for `CHANGED`; without secrets. */
  readonly differences: readonly Difference[];
}

/** What origins are compared with. */
export interface DriftSubject {
  readonly document: ManagedDocument;
  readonly identities: KnownIdentities;
  /** Returns a part as it can be shown, without its secrets. */
  readonly hide: (part: PartName, content: unknown) => unknown;
}

/** Compares what is in force with the provision files, in the order of the names. */
export function findDrift(
  origins: readonly PartOrigin[],
  { document, identities, hide }: DriftSubject,
): readonly DriftedPart[] {
  return origins.flatMap((origin) => {
    const { part, source, content } = origin;
    const present = part[0] === 'identities' ? findRights(origin, identities) : findPart(document, part);
    const state = stateOf(origin, present);
    if (state === undefined) return [];
    const differences =
      state === 'CHANGED'
        ? listDifferences(
            { raw: content, shown: hide(part, content) },
            { raw: present, shown: hide(part, present) },
          )
        : [];
    return [{ part, state, source, differences }];
  });
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
  identities: KnownIdentities,
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
