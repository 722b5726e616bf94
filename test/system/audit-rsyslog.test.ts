import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  DETAIL_ENTRIES,
  DETAIL_TEXT_LENGTH,
  IDENTITY_LENGTH,
  toAuditEvent,
} from '../../daemon/security/audit/audit-event.ts';
import { sendToSyslog } from '../../daemon/security/audit/syslog-connection.ts';
import { frameSyslogMessage } from '../../daemon/security/audit/syslog-message.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startRsyslogServer } from '../support/rsyslog-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { readAuditChain } from '../../daemon/interface/security/audit.ts';

const PASSWORD = 'turbine-password';
const LINE = /^\[audit@32473 hash="([0-9a-f]{64})"\] \uFEFF(\{.*\})$/;
const HASH = 'ab'.repeat(32);

const isOf = (name: string) => (line: string) =>
  line.includes('"event":"IDENTITY_CREATED"') && line.includes(name);

test(
  'rsyslogd has every event that was answered, in order and linked, though it was stopped in between',
  needs('rsyslogd'),
  async (t) => {
    const { certificate: authority } = await getCertificateAuthority();
    const server = await startRsyslogServer(t, await getServerCertificate(), authority);
    const directory = createTemporaryDirectory(t);
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(directory, name), text, { mode: 0o600 });
      return path.join(directory, name);
    };
    const client = await getClientCertificate('gateway');
    const syslog = {
      host: 'localhost',
      port: server.port,
      certificateAuthoritiesFile: file('authority.pem', authority),
      certificateFile: file('client.pem', client.certificate),
      privateKeyFile: file('client-key.pem', client.privateKey),
    };
    const identities = [{ name: 'keeper', permissions: ['rest.admin'], password: PASSWORD }];
    const gateway = await startGateway(t, { config: { provision: { identities }, audit: { syslog } } });
    const keeper = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await keeper.login('keeper', PASSWORD);
    const answered: string[] = [];
    const create = async (kind: string, count: number): Promise<void> => {
      for (let number = 0; number < count; number += 1) {
        const userName = `${kind}-${number}-ö`;
        const { status } = await keeper.send('POST', '/services/identity/v1/identities', {
          body: { userName },
        });
        assert.equal(status, 200);
        answered.push(userName);
      }
    };

    await create('before', 20);
    await server.until(isOf('before-19-ö'));
    await server.stop();
    await create('meanwhile', 20);
    await gateway.line('audit.exportFailed');
    server.start();
    await create('afterwards', 20);
    await server.until(isOf('afterwards-19-ö'));

    const events = server.lines().map((line) => {
      const [, hash = '', text = ''] = LINE.exec(line) ?? [];
      assert.notEqual(text, '', line);
      const { id } = JSON.parse(text) as { readonly id: number };
      return { id, hash, text };
    });
    // At least once: what was under way when it was stopped may have come twice.
    const once = events.filter(({ id }, index) => events.findIndex((each) => each.id === id) === index);
    assert.deepEqual(
      once.map(({ id }) => id),
      once.map((_, index) => index + 1),
    );
    const created = once.filter(({ text }) => text.includes('"event":"IDENTITY_CREATED"'));
    for (const userName of answered) {
      assert.equal(created.filter(({ text }) => text.includes(`"${userName}"`)).length, 1, userName);
    }
    const stored = answerOf(readAuditChain, await keeper.send('GET', '/services/audit/v1/chain')).events;
    for (const { id, hash, text } of once) {
      const kept = stored.find((each) => each.id === id);
      assert.deepEqual({ hash, text }, { hash: kept?.hash, text: kept?.text });
    }
  },
);

test('rsyslogd takes the longest events whole, many in one connection', needs('rsyslogd'), async (t) => {
  const { certificate: authority } = await getCertificateAuthority();
  const rsyslog = await startRsyslogServer(t, await getServerCertificate(), authority);
  // Three bytes in UTF-8 for each unit of UTF-16: no text is longer.
  const long = '測'.repeat(1000);
  const entries = Array.from({ length: DETAIL_ENTRIES }, (_, index) => [`${index}${long}`, long] as const);
  const event = toAuditEvent(
    {
      event: 'CONFIGURATION_CHANGED',
      outcome: 'SUCCESS',
      identity: long,
      target: long,
      detail: Object.fromEntries(entries),
    },
    1_700_000_000_000,
  );
  const { timeMs: time, ...others } = event;
  const texts = Array.from({ length: 20 }, (_, index) => JSON.stringify({ id: index + 1, time, ...others }));
  assert.ok(Buffer.byteLength(texts[0] ?? '') > 3 * (DETAIL_ENTRIES * DETAIL_TEXT_LENGTH + IDENTITY_LENGTH));
  const { certificate, privateKey } = await getClientCertificate('gateway');
  const bytes = Buffer.concat(texts.map((text) => frameSyslogMessage({ text, hash: HASH }, 'gateway')));
  await sendToSyslog(
    { host: 'localhost', port: rsyslog.port, certificateAuthorities: authority, certificate, privateKey },
    bytes,
    { signal: new AbortController().signal, clock: systemClock },
  );
  // Its answer promises that they are there: nothing is waited for.
  assert.deepEqual(
    rsyslog.lines(),
    texts.map((text) => `[audit@32473 hash="${HASH}"] \uFEFF${text}`),
  );
});
