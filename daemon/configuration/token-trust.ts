import { isDeepStrictEqual } from 'node:util';

import { NotPermitted } from '../base/errors.ts';
import { check } from '../base/schema.ts';
import type { z } from '../base/schema.ts';
import { tokenIssuingServicesSchema, tokenVerificationServicesSchema } from '../settings/token-settings.ts';
import { isDocument } from './managed-document.ts';

/** Sections that decide whose tokens the gateway believes: a change of one can make anybody an administrator. */
const TRUST_SECTIONS: Readonly<Record<string, z.ZodType>> = {
  tokenIssuingServices: tokenIssuingServicesSchema,
  tokenVerificationServices: tokenVerificationServicesSchema,
};

/**
 * Refuses a change of how tokens are trusted; a document that leaves that alone passes, however it says it.
 *
 * @param before the document in force
 * @param wanted what a client wants in its place; may be anything
 * @throws {NotPermitted} `PERMISSION_MISSING` that names the sections
 */
export function refuseTokenTrustChange(before: unknown, wanted: unknown): void {
  const changed = Object.entries(TRUST_SECTIONS).flatMap(([section, schema]) => {
    const [former, next] = [before, wanted].map((document) =>
      isDocument(document) ? document[section] : undefined,
    );
    if (isDeepStrictEqual(former, next)) return [];
    const { value } = check(schema, next);
    return value !== undefined && isDeepStrictEqual(check(schema, former).value, value) ? [] : [section];
  });
  if (changed.length === 0) return;
  const detail = `changing ${changed.join(' and ')} requires the permission rest.admin: it decides whose tokens are trusted`;
  throw new NotPermitted({ code: 'PERMISSION_MISSING', detail });
}
