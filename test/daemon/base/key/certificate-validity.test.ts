import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';

import { readValidity } from '../../../../daemon/base/key/certificate-validity.ts';
import { getServerCertificate } from '../../../support/certificate-authority.ts';

test('a time that is none is not read as one, however often it is asked for', async () => {
  const { certificate } = await getServerCertificate();
  const sound = new X509Certificate(certificate);
  const { fromMs, untilMs } = readValidity(sound);
  assert.deepEqual([fromMs, untilMs], [Date.parse(sound.validFrom), Date.parse(sound.validTo)]);
  const bytes = Buffer.from(sound.raw);
  // Both are a UTCTime of 13 characters (X.680, 47); the second is when it ends.
  const second = bytes.indexOf('170d', bytes.indexOf('170d', 0, 'hex') + 2, 'hex') + 2;
  bytes.write('259999000000Z', second, 'latin1');
  for (let round = 0; round < 100; round += 1) {
    assert.equal(readValidity(new X509Certificate(bytes)).untilMs, Number.NaN);
  }
});
