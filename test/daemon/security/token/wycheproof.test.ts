import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { findKeyWeakness } from '../../../../daemon/base/key/key-weakness.ts';
import { z } from '../../../../daemon/base/schema.ts';
import { isTokenAlgorithm, listAlgorithms } from '../../../../daemon/security/token/algorithms.ts';
import { isSignedBy } from '../../../../daemon/security/token/signature.ts';
import { readToken } from '../../../../daemon/security/token/token-format.ts';

const jwk = z.looseObject({ alg: z.string().optional() });
const vectors = z.object({
  testGroups: z.array(
    z.object({
      public: jwk.optional(),
      private: jwk.optional(),
      tests: z.array(
        z.object({ tcId: z.number(), comment: z.string(), jws: z.unknown().optional(), result: z.string() }),
      ),
    }),
  ),
});

// These state the use of a key in the JWK; the keys that the gateway trusts come from certificates.
const ABOUT_JWK = new Set(['rejectWrongUse', 'rejectWrongKeyOps']);
// A token without claims is none; and the token of this figure of RFC 7520 is signed with PS384, whatever its key says.
const REFUSED_ON_PURPOSE = new Set(['emptyPayload', 'Figure20']);

/** Returns whether the gateway accepts a signature by a key that has to pass the checks of a certificate. */
async function isAccepted(jws: unknown, key: z.infer<typeof jwk>): Promise<boolean> {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    if (findKeyWeakness(publicKey) !== undefined) return false;
    const algorithms = listAlgorithms(publicKey).filter((algorithm) => algorithm === key.alg);
    // JSON serializations are not text: they are refused as an endpoint would refuse them.
    const token = readToken(typeof jws === 'string' ? jws : JSON.stringify(jws));
    return await isSignedBy(token, { publicKey, algorithms });
  } catch {
    return false;
  }
}

for (const [file, expected] of [
  ['json_web_signature_test.json', { accepted: 14, refused: 383 }],
  ['json_web_crypto_test.json', { accepted: 2, refused: 47 }],
] as const) {
  test(`${file} of Project Wycheproof: what it calls valid is accepted if its algorithm is, and nothing else`, async () => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../../../vectors', file), 'utf8');
    const count = { accepted: 0, refused: 0 };
    for (const group of vectors.parse(JSON.parse(text)).testGroups) {
      const key = group.public ?? group.private ?? {};
      for (const { tcId, comment, jws, result } of group.tests) {
        if (jws === undefined || ABOUT_JWK.has(comment)) continue;
        const isWanted = result === 'valid' && isTokenAlgorithm(key.alg) && !REFUSED_ON_PURPOSE.has(comment);
        assert.equal(await isAccepted(jws, key), isWanted, `${tcId}: ${comment}`);
        count[isWanted ? 'accepted' : 'refused'] += 1;
      }
    }
    assert.deepEqual(count, expected);
  });
}
