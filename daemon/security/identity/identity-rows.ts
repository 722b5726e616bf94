import { check, z } from '../../base/schema.ts';
import { StoreError } from '../../base/store/store.ts';
import type { Store } from '../../base/store/store.ts';
import { grantsSchema } from './grant.ts';
import type { Grant } from './grant.ts';
import type { Identity } from './identity.ts';

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.string(),
  grants: z.string(),
  password_hash: z.string().nullable(),
  password_change_needed: z.number(),
  credentials_revision: z.number(),
  created_at_ms: z.number(),
  token_generation: z.string().nullable(),
  tokens_revoked_at_ms: z.number().nullable(),
  second_factor_required: z.number(),
  has_second_factor: z.number(),
  is_name_reused: z.number(),
});

/**
 * Reads all identities in order of creation.
 *
 * @throws {StoreError} `STORE_DAMAGED` if a row is invalid
 */
export function readIdentities(store: Store): readonly Identity[] {
  const rows = store.database
    .prepare(
      `SELECT *, name IN (SELECT name FROM used_identity_name) AS is_name_reused,
         id IN (SELECT identity_id FROM second_factor) AS has_second_factor
         FROM identity ORDER BY position`,
    )
    .all();
  return rows.map((columns) => {
    const { value: row } = check(rowSchema, columns);
    const { value: grants } = check(grantsSchema, parseJson(row?.grants));
    if (row === undefined || grants === undefined) {
      throw new StoreError({ code: 'STORE_DAMAGED', detail: 'cannot read the identity table' });
    }
    return freezeIdentity({
      id: row.id,
      name: row.name,
      permissions: row.permissions === '' ? [] : row.permissions.split(' '),
      ...withGrants(grants),
      passwordHash: row.password_hash ?? undefined,
      passwordChangeNeeded: row.password_change_needed !== 0,
      credentialsRevision: row.credentials_revision,
      createdAtMs: row.created_at_ms,
      ...withFlags({
        secondFactorRequired: row.second_factor_required !== 0,
        hasSecondFactor: row.has_second_factor !== 0,
      }),
      ...(row.is_name_reused === 0 ? {} : { isNameReused: true }),
      ...(row.token_generation === null
        ? {}
        : {
            tokenRevocation: Object.freeze({
              generation: row.token_generation,
              atMs: row.tokens_revoked_at_ms ?? row.created_at_ms,
            }),
          }),
    });
  });
}

/** Returns the grants property of an identity; absent if there are none. */
export function withGrants(grants: readonly Grant[] | undefined): Pick<Identity, 'grants'> {
  return grants === undefined || grants.length === 0 ? {} : { grants };
}

/** Returns only the flags that are set. */
export function withFlags(
  flags: Pick<Identity, 'secondFactorRequired' | 'hasSecondFactor'>,
): Pick<Identity, 'secondFactorRequired' | 'hasSecondFactor'> {
  return Object.fromEntries(Object.entries(flags).filter(([, isSet]) => isSet));
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Returns a deeply frozen copy of an identity. */
export function freezeIdentity(identity: Identity): Identity {
  const { grants } = identity;
  // Other changes keep the same grants object, which is already frozen.
  if (grants !== undefined && !Object.isFrozen(grants)) {
    for (const grant of grants) {
      for (const list of [grant.assets, grant.channels ?? [], grant.operations]) Object.freeze(list);
      Object.freeze(grant);
    }
    Object.freeze(grants);
  }
  return Object.freeze({ ...identity, permissions: Object.freeze([...identity.permissions]) });
}
