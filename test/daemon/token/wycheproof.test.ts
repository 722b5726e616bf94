import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { z } from '../../../daemon/base/schema.ts';
import { isTokenAlgorithm } from '../../../daemon/token/algorithms.ts';
import { isSignedBy } from '../../../daemon/token/signature.ts';
import { readToken } from '../../../daemon/token/token-format.ts';

// Project Wycheproof, testvectors_v1/json_web_signature_test.json; earlier releases name the key differently.
const jwk = z.looseObject({ kty: z.string(), alg: z.string().optional() });
const vectors = z.object({
  testGroups: z.array(
    z.object({
      public: jwk.optional(),
      key: jwk.optional(),
      private: jwk.optional(),
      tests: z.array(
        z.object({ tcId: z.number(), comment: z.string(), jws: z.unknown(), result: z.string() }),
      ),
    }),
  ),
});

const COVERED = new Set(['ES256', 'RS256']);
const file = process.env['WYCHEPROOF_JWS'];
const skip = file === undefined && 'WYCHEPROOF_JWS does not name json_web_signature_test.json';

async function isAccepted(jws: unknown, key: z.infer<typeof jwk>): Promise<boolean> {
  try {
    // JSON serializations are not text: they are refused as an endpoint would refuse them.
    const token = readToken(typeof jws === 'string' ? jws : JSON.stringify(jws));
    const algorithms = [key.alg].filter((algorithm) => isTokenAlgorithm(algorithm));
    return await isSignedBy(token, { publicKey: createPublicKey({ key, format: 'jwk' }), algorithms });
  } catch {
    return false;
  }
}

test(
  'form and signature are verified as Project Wycheproof expects for ES256 and RS256',
  { skip },
  async () => {
    const { testGroups } = vectors.parse(JSON.parse(readFileSync(file ?? '', 'utf8')));
    let count = 0;
    for (const group of testGroups) {
      const key = group.public ?? group.key ?? group.private;
      if (key?.alg === undefined || !COVERED.has(key.alg)) continue;
      for (const { tcId, comment, jws, result } of group.tests) {
        // "acceptable" leaves the choice open.
        if (result === 'acceptable') continue;
        assert.equal(await isAccepted(jws, key), result === 'valid', `${tcId}: ${comment}`);
        count += 1;
      }
    }
    assert.ok(count > 0, 'the file holds no case of ES256 or RS256');
  },
);
