import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { sendToSyslog } from '../../../../daemon/security/audit/syslog-connection.ts';
import { systemClock } from '../../../../daemon/base/clock.ts';
import { getCertificateAuthority, getServerCertificate } from '../../../support/certificate-authority.ts';
import { startSyslogReceiver } from '../../../support/syslog-receiver.ts';
import { needs } from '../../../support/tests-that-need.ts';

const ATTEMPTS = 200;
const MESSAGE = '<110>1 2026-01-01T00:00:00Z gateway penstock - AUDIT - \uFEFF{}';
const FRAME = Buffer.from(`${Buffer.byteLength(MESSAGE)} ${MESSAGE}`);

/** Sends a frame to one server many times at once; returns how often it counted as taken. */
async function countTaken(t: TestContext, mode: string): Promise<number> {
  const { port } = await startSyslogReceiver(t, await getServerCertificate(), { mode });
  const { certificate: certificateAuthorities } = await getCertificateAuthority();
  const server = { host: 'localhost', port, certificateAuthorities };
  const { signal } = new AbortController();
  const results = await Promise.allSettled(
    Array.from({ length: ATTEMPTS }, () => sendToSyslog(server, FRAME, { signal, clock: systemClock })),
  );
  return results.filter(({ status }) => status === 'fulfilled').length;
}

test(
  'what a server dropped by a reset, at whatever moment, never counts as taken',
  needs('python3'),
  async (t) => {
    assert.equal(await countTaken(t, 'drop'), 0);
  },
);

test('what a server took before it closed counts as taken, each time', needs('python3'), async (t) => {
  assert.equal(await countTaken(t, 'take'), ATTEMPTS);
});
