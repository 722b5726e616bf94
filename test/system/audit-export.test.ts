import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { issueServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../support/certificate-authority.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { startSyslogReceiver } from '../support/syslog-receiver.ts';
import { needs } from '../support/tests-that-need.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { findProgram } from '../support/programs.ts';
import { answerOf } from '../support/answer-of.ts';
import { checkStatus } from '../../daemon/interface/status.ts';

const CLI = findProgram('daemon/cli/main');
const PASSWORD = 'turbine-password';
const identities = [{ name: 'keeper', permissions: ['rest.admin'], password: PASSWORD }];

async function createConfig(t: TestContext, port: number, authorityName?: string) {
  const directory = createTemporaryDirectory(t);
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(directory, name), text, { mode: 0o600 });
    return path.join(directory, name);
  };
  const { certificate } = await getCertificateAuthority(authorityName);
  const client = await getClientCertificate('gateway');
  const syslog = {
    host: 'localhost',
    port,
    certificateAuthoritiesFile: file('authority.pem', certificate),
    certificateFile: file('client.pem', client.certificate),
    privateKeyFile: file('client-key.pem', client.privateKey),
  };
  return { provision: { identities }, audit: { syslog, journal: true } };
}

async function logIn({ httpsPorts }: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: httpsPorts[0] ?? 0 });
  await client.login('keeper', PASSWORD);
  return client;
}

/** Runs `penstock doctor`; returns what it prints, whatever else it finds. */
async function runDoctor({ dataDirectory, configFile }: RunningGateway): Promise<string> {
  const socket = path.join(dataDirectory, 'penstock.sock');
  const words = ['doctor', '--config', configFile, '--socket', socket];
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output;
}

const idOf = (text: string): number => (JSON.parse(text) as { readonly id: number }).id;
const isEvent = (text: string, event: string, name = ''): boolean =>
  text.startsWith('{') && text.includes(`"event":"${event}"`) && text.includes(name);

async function createIdentity(client: SessionClient, userName: string): Promise<void> {
  const { status } = await client.send('POST', '/services/identity/v1/identities', { body: { userName } });
  assert.equal(status, 200);
}

test(
  'every event reaches a syslog server over TLS, also those of while it and the gateway were away',
  needs('python3'),
  async (t) => {
    const server = await getServerCertificate();
    const { certificate: authority } = await getCertificateAuthority();
    const first = await startSyslogReceiver(t, server, { authority });
    const config = await createConfig(t, first.port);
    const gateway = await startGateway(t, { config });
    const client = await logIn(gateway);
    await createIdentity(client, 'before');
    await first.until((line) => isEvent(line, 'IDENTITY_CREATED', 'before'));
    await first.stop();
    await createIdentity(client, 'meanwhile');
    assert.equal((await gateway.line('audit.exportFailed'))['place'], 'syslog');
    const ended = once(gateway.process, 'exit');
    gateway.process.kill('SIGKILL');
    await ended;

    const again = await startGateway(t, { config, directory: gateway.directory });
    await createIdentity(await logIn(again), 'afterwards');
    const { port } = first;
    const second = await startSyslogReceiver(t, server, { authority, port });
    await second.until((line) => isEvent(line, 'IDENTITY_CREATED', 'afterwards'));
    const ids = [...first.lines, ...second.lines].filter((line) => line.startsWith('{')).map(idOf);
    assert.deepEqual(
      [...new Set(ids)],
      Array.from({ length: Math.max(...ids) }, (_, index) => index + 1),
    );
    assert.ok(second.lines.some((line) => isEvent(line, 'IDENTITY_CREATED', 'meanwhile')));
    // The journal has its own schedule: it can be later than the server.
    for (let seen = 0, isStored = false; !isStored; seen += 1) {
      const { text } = await again.line('audit.stored', seen);
      isStored = isEvent(String(text), 'IDENTITY_CREATED', 'afterwards');
    }
  },
);

test(
  'whether the audit reaches its syslog server is seen in the state of the gateway, in doctor and in the metrics',
  needs('python3'),
  async (t) => {
    const [port = 0, metricsPort = 0] = await findFreePorts(2);
    const config = await createConfig(t, port);
    const metrics = { host: '127.0.0.1', port: metricsPort };
    const gateway = await startGateway(t, { config: { ...config, metrics } });
    const client = await logIn(gateway);
    const look = async (state: string) => {
      for (;;) {
        const { checks } = answerOf(checkStatus, await client.send('GET', '/services/status/v1'));
        const found = checks.find(({ check, name }) => check === 'audit' && name === 'syslog');
        assert.ok(found !== undefined);
        if (found.state === state) return found;
        await setImmediate();
      }
    };
    const measure = async (): Promise<readonly string[]> => {
      const { text } = await send({ port: metricsPort, plain: true }, 'GET', '/metrics');
      return text.split('\n').filter((line) => /^penstock_audit_export_up.*syslog/.test(line));
    };
    await gateway.line('audit.exportFailed');
    const away = await look('WRONG');
    assert.match(away.detail, /ECONNREFUSED/);
    assert.ok((away.waitingEvents ?? 0) > 0);
    assert.deepEqual(await measure(), ['penstock_audit_export_up{place="syslog"} 0']);
    assert.match(await runDoctor(gateway), /audit to syslog +WRONG +.*ECONNREFUSED/);

    const { certificate: authority } = await getCertificateAuthority();
    await startSyslogReceiver(t, await getServerCertificate(), { authority, port });
    const back = await look('GOOD');
    assert.ok((back.lastEventId ?? 0) > 0 && back.lastTakenAt !== undefined && back.since !== undefined);
    assert.deepEqual(await measure(), ['penstock_audit_export_up{place="syslog"} 1']);
    assert.match(await runDoctor(gateway), /audit to syslog +GOOD/);
  },
);

for (const mode of ['silent', 'drop']) {
  test(
    `a syslog server that is of no use (${mode}) slows nothing and does not keep the gateway from stopping`,
    needs('python3'),
    async (t) => {
      const receiver = await startSyslogReceiver(t, await getServerCertificate(), { mode });
      const gateway = await startGateway(t, { config: await createConfig(t, receiver.port) });
      await receiver.until((line) => line === (mode === 'drop' ? 'dropped' : 'silent'));
      await createIdentity(await logIn(gateway), 'unhindered');
      if (mode === 'drop') assert.equal((await gateway.line('audit.exportFailed'))['level'], 'warn');
      assert.equal(await gateway.stop(), 0);
      assert.ok(!receiver.lines.some((line) => line.startsWith('{')));
    },
  );
}

for (const [what, authorityName, serverName] of [
  ['of another authority', 'Another authority', undefined],
  ['for another name', undefined, 'syslog.example'],
] as const) {
  test(`a syslog server whose certificate is ${what} gets nothing`, needs('python3'), async (t) => {
    const pair =
      serverName === undefined
        ? await getServerCertificate()
        : await issueServerCertificate(await getCertificateAuthority(), {
            hostNames: [serverName],
            addresses: [],
          });
    const receiver = await startSyslogReceiver(t, pair);
    const gateway = await startGateway(t, { config: await createConfig(t, receiver.port, authorityName) });
    const { reason } = await gateway.line('audit.exportFailed');
    assert.match(String(reason), /certificate/);
    assert.ok(!receiver.lines.some((line) => line.startsWith('{')));
  });
}
