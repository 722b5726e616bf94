import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import {
  INITIAL_ADMINISTRATOR,
  INITIAL_PASSWORD_FILE,
} from '../../../daemon/security/identity/initial-administrator.ts';
import { GATEWAY_ITSELF } from '../../../daemon/security/identity/password/hash-source.ts';
import type { Identity } from '../../../daemon/security/identity/identity.ts';
import { SqliteIdentityStore } from '../../../daemon/security/identity/sqlite-identity-store.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import type { Keeper } from './keeper.ts';
import { PASSWORDS } from './passwords.ts';

/** Name of the identity that is created to check that a program goes on after a fault. */
export const PROBE = 'probe';

/** The stored state, without parts that differ by chance. */
export interface KeptState {
  readonly document: unknown;
  readonly isUnconfirmed: boolean;
  readonly identities: readonly {
    readonly name: string;
    readonly permissions: readonly string[];
    readonly isChangeNeeded: boolean;
    readonly revision: number;
    /** Position of the password among those that the scenarios use; `none`, or `other` for another one. */
    readonly password: string;
    /** How many codes were used, and how many recovery codes are left; `none` without a second factor. */
    readonly secondFactor: string;
  }[];
  /** Whether the file with the first password is there, and the password in it works. */
  readonly initialPassword: 'ABSENT' | 'OPENS' | 'DEAD';
}

/** Describes the state in force; every snapshot is read as well. */
export async function describeState(keeper: Keeper): Promise<KeptState> {
  const { configuration, snapshots, identities } = keeper;
  for (const { id } of configuration.listSnapshots()) await configuration.showSnapshot(id);
  const described: KeptState['identities'][number][] = [];
  for (const identity of identities.list()) {
    const { name, permissions, passwordChangeNeeded, credentialsRevision } = identity;
    if (name === PROBE) continue;
    described.push({
      name,
      permissions,
      isChangeNeeded: passwordChangeNeeded,
      revision: credentialsRevision,
      password: await recognisePassword(keeper, name),
      secondFactor: describeFactor(keeper, identity),
    });
  }
  return {
    document: (await configuration.show()).document,
    isUnconfirmed: snapshots.findUnconfirmed() !== undefined,
    identities: described,
    initialPassword: await tryInitialPassword(keeper),
  };
}

/** Names the differences between the state in memory and the stored state. */
export function findDivergence({
  store,
  clock,
  identities,
  configuration,
  snapshots,
}: Keeper): readonly string[] {
  const stored = new SqliteIdentityStore(store, clock).list();
  const checked = finish(checkDocument(createDriverFactories(), snapshots.findNewest()?.document ?? {}));
  return [
    ...(isDeepStrictEqual(stored, identities.list())
      ? []
      : ['identities are remembered that are not stored']),
    ...(isDeepStrictEqual(checked.value, configuration.current())
      ? []
      : ['a configuration is in force that is not stored']),
  ];
}

function describeFactor({ identities }: Keeper, { name, hasSecondFactor = false }: Identity): string {
  const factor = identities.findSecondFactor(name);
  if (hasSecondFactor !== (factor !== undefined)) return 'half';
  if (factor === undefined) return 'none';
  return `${factor.usedSteps.length} used, ${factor.recoveryDigests.length} recovery codes`;
}

async function recognisePassword({ identities, hasher }: Keeper, name: string): Promise<string> {
  const { passwordHash } = identities.get(name);
  if (passwordHash === undefined) return 'none';
  for (const [index, password] of PASSWORDS.entries()) {
    if (await hasher.verify(password, passwordHash, GATEWAY_ITSELF)) return String(index);
  }
  return 'other';
}

async function tryInitialPassword({
  dataDirectory,
  identities,
  hasher,
}: Keeper): Promise<KeptState['initialPassword']> {
  const file = path.join(dataDirectory, INITIAL_PASSWORD_FILE);
  if (!existsSync(file)) return 'ABSENT';
  const { passwordHash } = identities.find(INITIAL_ADMINISTRATOR) ?? {};
  const opens = await hasher.verify(readFileSync(file, 'utf8').trimEnd(), passwordHash, GATEWAY_ITSELF);
  return opens ? 'OPENS' : 'DEAD';
}
