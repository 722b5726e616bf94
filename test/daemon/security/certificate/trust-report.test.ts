import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ClientTrust } from '../../../../daemon/security/certificate/client-trust.ts';
import type { TlsMaterial } from '../../../../daemon/security/certificate/tls-material.ts';
import { TrustReport } from '../../../../daemon/security/certificate/trust-report.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const DAY_MS = 86_400_000;
const END_MS = 1_800_000_000_000;

function createMaterial(expiresAtMs: number): Pick<TlsMaterial, 'clientTrust' | 'expiries'> {
  return {
    clientTrust: new ClientTrust([], undefined),
    expiries: [
      { role: 'server', subject: 'CN=gateway', fingerprint: `${expiresAtMs}`, validFromMs: 0, expiresAtMs },
    ],
  };
}

test('TrustReport logs each threshold of a certificate once, however often it is called', () => {
  const logger = createMemoryLogger();
  const report = new TrustReport(logger);
  for (let day = -40; day <= 3; day += 0.5) report.check(createMaterial(END_MS), END_MS + day * DAY_MS);
  assert.deepEqual(
    logger.lines.map(({ level, event, fields }) => [level, event, fields['withinDays']]),
    [
      ['warn', 'certificate.expiring', 30],
      ['warn', 'certificate.expiring', 7],
      ['error', 'certificate.expiring', 1],
      ['error', 'certificate.expired', undefined],
    ],
  );
});

test('TrustReport logs nothing more once the certificate is renewed', () => {
  const logger = createMemoryLogger();
  const report = new TrustReport(logger);
  report.check(createMaterial(END_MS), END_MS);
  report.check(createMaterial(END_MS + 365 * DAY_MS), END_MS);
  assert.equal(logger.lines.length, 1);
});
