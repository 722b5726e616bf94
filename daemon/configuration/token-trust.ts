import { isDeepStrictEqual } from 'node:util';

import { NotPermitted } from '../base/errors.ts';
import { check } from '../base/schema.ts';
import type { z } from '../base/schema.ts';
import { tokenIssuingServicesSchema, tokenVerificationServicesSchema } from '../settings/token-settings.ts';
import { isDocument } from './managed-document.ts';

/** Sections that define trusted token issuers: a change can make any client an administrator. */
const TRUST_SECTIONS: Readonly<Record<string, z.ZodType>> = {
  tokenIssuingServices: tokenIssuingServicesSchema,
  tokenVerificationServices: tokenVerificationServicesSchema,
};

/**
 * Refuses a change of trusted token issuers. Equivalent settings in another form are not a change.
 *
 * @param before the active document
 * @param wanted the requested document; unchecked
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
