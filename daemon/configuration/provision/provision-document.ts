import { createHash } from 'node:crypto';

import { createFault, createIssue, createReason, placeFault, sayReason } from '../../base/fault-reason.ts';
import type { ReasonedFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { IDENTITY_FAULTS } from '../../security/identity/fault-sentences.ts';
import { CONFIGURATION_FAULTS } from '../fault-sentences.ts';
import { STATIC_FAULTS } from '../../settings/fault-sentences.ts';
import type { Slices } from '../../base/slices.ts';
import { jsonPieces } from '../../base/text/json-pieces.ts';
import { createHintingCheck } from '../../base/key/key-hint.ts';
import { z } from '../../base/schema.ts';
import type { Fault } from '../../base/schema.ts';
import { grantsSchema } from '../../security/identity/grant.ts';
import type { Grant } from '../../security/identity/grant.ts';
import { isIdentityName, isPermissionName } from '../../security/identity/identity-rules.ts';
import { isDocument } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';

/** Identity to create if missing; an existing one is left unchanged. */
export interface ProvisionedIdentity {
  /** 3 to 255 characters. */
  readonly name: string;
  readonly permissions: readonly string[];
  /** Rights on single assets and channels. */
  readonly grants?: readonly Grant[] | undefined;
  /** Undefined: the identity authenticates by certificate only. */
  readonly password?: string | undefined;
  /** True: the password must be changed at the first login. */
  readonly passwordChangeNeeded: boolean;
  /** True: a second factor must be set up before the password grants access. */
  readonly secondFactorRequired: boolean;
}

/** An item of a list section; only its pid is known here. */
export interface ProvisionedItem {
  readonly pid: string;
  readonly [key: string]: unknown;
}

/** The content of one source; an absent section contributes nothing. */
export interface ProvisionDocument {
  readonly rest?: Readonly<Record<string, unknown>> | undefined;
  readonly banners?: Readonly<Record<string, unknown>> | undefined;
  readonly passwordStrength?: Readonly<Record<string, unknown>> | undefined;
  readonly tokenIssuingServices?: readonly ProvisionedItem[] | undefined;
  readonly tokenVerificationServices?: readonly ProvisionedItem[] | undefined;
  readonly drivers?: readonly ProvisionedItem[] | undefined;
  readonly assets?: readonly ProvisionedItem[] | undefined;
  readonly recording?: Readonly<Record<string, unknown>> | undefined;
  readonly recorders?: readonly ProvisionedItem[] | undefined;
  readonly bundles?: readonly ProvisionedItem[] | undefined;
  readonly identities: readonly ProvisionedIdentity[];
}

const expectedList = sayReason(createReason(CONFIGURATION_FAULTS, 'EXPECTED_LIST', {}));
const objectSection = z
  .record(z.string(), z.unknown(), sayReason(createReason(STATIC_FAULTS, 'EXPECTED_SECTION', {})))
  .optional();
const listSection = z
  .array(
    z.looseObject(
      { pid: z.string(sayReason(createReason(CONFIGURATION_FAULTS, 'EXPECTED_PID_OF_ITEM', {}))) },
      sayReason(createReason(CONFIGURATION_FAULTS, 'EXPECTED_ITEM_WITH_PID', {})),
    ),
    expectedList,
  )
  .superRefine(refuseRepeats('pid'))
  .optional();

const identitySchema = z.strictObject({
  name: z
    .string()
    .refine(isIdentityName, sayReason(createReason(IDENTITY_FAULTS, 'EXPECTED_IDENTITY_NAME', {})))
    .describe(
      'Unique name of 3 to 255 visible characters, without white space at its ends; compared exactly',
    ),
  permissions: z
    .array(
      z
        .string()
        .refine(isPermissionName, sayReason(createReason(IDENTITY_FAULTS, 'EXPECTED_PERMISSION', {}))),
    )
    .max(256)
    .default([])
    .describe('Permissions, such as rest.assets; rest.admin implies all others'),
  grants: grantsSchema
    .optional()
    .describe('Rights on single assets and channels, in addition to the permissions'),
  password: z
    .string(sayReason(createReason(STATIC_FAULTS, 'EXPECTED_TEXT', {})))
    .nullish()
    .transform((password) => password ?? undefined)
    .meta({ writeOnly: true })
    .describe('Password; absent or null: certificate authentication only'),
  passwordChangeNeeded: z
    .boolean()
    .default(false)
    .describe('The password must be changed at the first login by password'),
  secondFactorRequired: z
    .boolean()
    .default(false)
    .describe('A second factor must be set up before the password grants access'),
});

/** Section `identities`, in provision files only. */
export const identitiesSchema = z
  .array(identitySchema, expectedList)
  .superRefine(refuseRepeats('name'))
  .default([]);

// The content of sections and items is checked when they are merged.
const outlineSchema = z.strictObject({
  rest: objectSection,
  banners: objectSection,
  passwordStrength: objectSection,
  tokenIssuingServices: listSection,
  tokenVerificationServices: listSection,
  drivers: listSection,
  assets: listSection,
  recording: objectSection,
  recorders: listSection,
  bundles: listSection,
  identities: z.unknown().optional().describe('Created if missing; never changed afterwards'),
});

const checkOutline = createHintingCheck(outlineSchema);
const checkList = createHintingCheck(z.array(z.unknown(), expectedList).default([]));
const checkIdentity = createHintingCheck(identitySchema);

/**
 * Checks the outline of a provision document. A section without content counts as absent.
 *
 * @returns all errors; and the document, unless its outline has errors. No message contains the value of a secret
 */
export function* checkProvisionDocument(value: unknown): Slices<{
  readonly document: ProvisionDocument | undefined;
  readonly faults: readonly Fault[];
}> {
  const outline = checkOutline(dropEmptySections(value));
  if (outline.faults !== undefined) return { document: undefined, faults: outline.faults };
  yield;
  const { identities, faults } = yield* checkIdentities(outline.value.identities);
  return {
    document: { ...outline.value, identities },
    faults: faults.map((fault) => placeFault(['identities'], fault)),
  };
}

/** Checks each identity apart, as `identitiesSchema` does all of them; without identities if there are errors. */
function* checkIdentities(value: unknown): Slices<{
  readonly identities: readonly ProvisionedIdentity[];
  readonly faults: readonly Fault[];
}> {
  const list = checkList(value);
  if (list.faults !== undefined) return { identities: [], faults: list.faults };
  const [identities, faults]: [ProvisionedIdentity[], Fault[]] = [[], []];
  for (const [index, item] of list.value.entries()) {
    yield;
    const identity = checkIdentity(item);
    if (identity.faults === undefined) identities.push(identity.value);
    else faults.push(...identity.faults.map((fault) => placeFault([index], fault)));
  }
  if (faults.length === 0) faults.push(...findRepeats(identities, 'name'));
  return { identities: faults.length === 0 ? identities : [], faults };
}

/**
 * Returns the SHA-256 by which a change of a source is detected, in hexadecimal.
 *
 * Comments and layout do not count. Of the password of an identity only its presence counts: the digest is stored, and
 * a digest over a weak password could be guessed by trial.
 *
 * @param mask replaces the other secrets by what shows that one has changed, and nothing else
 */
export function* digestSource(
  value: unknown,
  mask: (document: ManagedDocument) => ManagedDocument = (document) => document,
): Slices<string> {
  yield;
  const masked = isDocument(value) ? mask(value) : value;
  const { identities } = isDocument(masked) ? masked : {};
  const visible = Array.isArray(identities)
    ? { ...(masked as object), identities: identities.map(hidePassword) }
    : masked;
  const hash = createHash('sha256');
  for (const piece of jsonPieces(visible)) {
    hash.update(piece);
    yield;
  }
  return hash.digest('hex');
}

function hidePassword(identity: unknown): unknown {
  if (!isDocument(identity) || typeof identity['password'] !== 'string') return identity;
  return { ...identity, password: '(set)' };
}

function dropEmptySections(value: unknown): unknown {
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

function refuseRepeats<Key extends string>(key: Key) {
  return (items: readonly Readonly<Record<Key, string>>[], context: z.RefinementCtx): void => {
    for (const { path, reasons } of findRepeats(items, key)) {
      for (const reason of reasons) context.addIssue(createIssue(path, reason));
    }
  };
}

function findRepeats<Key extends string>(
  items: readonly Readonly<Record<Key, string>>[],
  key: Key,
): readonly ReasonedFault[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = item[key];
    if (seen.has(name)) return [createFault([index, key], createReason(BASE_FAULTS, 'USED_TWICE', { name }))];
    seen.add(name);
    return [];
  });
}
