import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createChannelSchema } from '../../../daemon/channel/channel.ts';
import type { Proposal, ScanEvent, ScanFinding } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { isScanning } from '../../../daemon/channel/driver.ts';
import { addressSchema } from '../../../drivers/opcua/opcua-address.ts';
import { createOpcuaDriverFactory } from '../../../drivers/opcua/opcua-driver.ts';
import { makeServerCertificate } from '../../support/asyncua-certificate.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { HOSTILE_ANSWERS, serveHostile } from '../../support/hostile-opcua-sockets.ts';
import { assertCoded } from '../../support/scan-codes.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

const TANK = 'nsu=urn:penstock:test;s=tank';
const MANY = 500;
const NAMES = ['Temperature', 'Setpoint', 'State', 'Codes', 'Grid', 'Any', 'a_b_c', 'a_b_c_2', 'Seal'];
const channelSchema = createChannelSchema(addressSchema);
const dataDirectory = createTemporaryDirectory({ after });
const factory = createOpcuaDriverFactory();

suite('with a server on asyncua', needs('asyncua', 'openssl'), () => {
  let server: AsyncuaServer;
  let endpointUrl: string;
  before(async () => {
    server = await startAsyncuaServer({ many: MANY });
    endpointUrl = `opc.tcp://127.0.0.1:${server.port}`;
  });
  beforeEach(() => server.reset());
  after(() => server[Symbol.asyncDispose]());

  test('endpoints and certificate are reported, and the strongest protection is chosen', async (t) => {
    const directory = createTemporaryDirectory(t);
    const certificate = makeServerCertificate(directory);
    const policies = [
      'Basic256Sha256_Sign',
      'Basic256Sha256_SignAndEncrypt',
      'Aes256Sha256RsaPss_SignAndEncrypt',
    ];
    await server.reset({ directory, policies });
    const { settings, findings } = await find({ endpointUrl });
    assert.deepEqual(settings, {
      endpointUrl,
      securityMode: 'SIGN_AND_ENCRYPT',
      securityPolicy: 'Basic256Sha256',
    });
    const endpoints = findings.filter(({ kind }) => kind === 'ENDPOINT');
    assert.deepEqual(
      new Set(endpoints.map(({ fields }) => `${fields['securityMode']} ${fields['securityPolicy']}`)),
      new Set([
        'NONE None',
        'SIGN Basic256Sha256',
        'SIGN_AND_ENCRYPT Basic256Sha256',
        'SIGN_AND_ENCRYPT Aes256_Sha256_RsaPss',
      ]),
    );
    assert.ok(endpoints.every(({ fields }) => fields['isUsable'] === true));
    assert.match(String(endpoints[0]?.fields['users']), /anonymous/);
    const shown = findings.find(({ kind }) => kind === 'CERTIFICATE');
    assert.equal(shown?.subject, 'O=Example, CN=PLC 7');
    assert.equal(shown.fields['fingerprint'], certificate.fingerprint256.replaceAll(':', '').toLowerCase());
    assert.equal(shown.fields['isTrusted'], false);
    const shownServer = findings.find(({ kind }) => kind === 'SERVER');
    assert.equal(shownServer?.fields['applicationUri'], 'urn:penstock:test:server');
  });

  test('protection that the settings name is not chosen again, and a user is shown to nobody unprotected', async () => {
    const named = { endpointUrl, securityMode: 'SIGN', securityPolicy: 'Basic256Sha256' };
    assert.deepEqual((await find(named)).settings, named);
    assert.deepEqual((await find({ endpointUrl })).settings, { endpointUrl, securityMode: 'NONE' });
    const withUser = { endpointUrl, userName: 'operator', password: 'correct horse' };
    assert.deepEqual((await find(withUser)).settings, withUser);
  });

  test('variables become channels with valid, unique names, units and descriptions; a circle ends', async (t) => {
    const { proposal, findings } = await scan(t, endpointUrl, { node: TANK });
    const [asset] = proposal.assets;
    assert.equal(asset?.pid, 'tank');
    const channels = (asset.channels ?? []).map((channel) => channelSchema.parse(channel));
    // The pump holds the tank, which is not listed again.
    assert.deepEqual(
      channels.map(({ name }) => name),
      [...NAMES, 'Pump.Speed'],
    );
    assert.deepEqual(asset.channels?.[0], {
      name: 'Temperature',
      type: 'READ',
      valueType: 'DOUBLE',
      unit: '°C',
      description: 'Temperature half way up',
      address: { nodeId: `${TANK}.Temperature` },
    });
    assert.deepEqual(
      channels.filter(({ type }) => type !== 'READ').map(({ name }) => name),
      ['Setpoint'],
    );
    const refused = findings.filter(({ kind }) => kind === 'NOT_CARRIED').map(({ subject }) => subject);
    assert.deepEqual(refused, ['Nothing', 'Hidden']);
    assert.ok(proposal.notes.some(({ message }) => /neither read nor write/.test(message)));
    assert.ok(proposal.notes.some(({ message }) => /not protected/.test(message)));
  });

  test('the whole tree has what is below, and not what the server says of itself', async (t) => {
    const { proposal } = await scan(t, endpointUrl, {});
    const names = (proposal.assets[0]?.channels ?? []).map((channel) => String(channel['name']));
    assert.ok(
      ['level', 'Tank.Temperature', 'Many.v2', 'Tank.Pump.Speed'].every((name) => names.includes(name)),
    );
    assert.equal(
      names.some((name) => name.startsWith('Server')),
      false,
    );
    assert.equal(new Set(names).size, names.length);
  });

  test('a scan ends at its depth and its number of variables, and says so', async (t) => {
    const shallow = await scan(t, endpointUrl, { depth: 1, node: TANK });
    assert.deepEqual(namesOf(shallow.proposal), NAMES);
    assert.ok(shallow.proposal.notes.some(({ message }) => /deeper than 1 level/.test(message)));
    const few = await scan(t, endpointUrl, { maximumVariables: 210, node: 'nsu=urn:penstock:test;s=many' });
    assert.equal(namesOf(few.proposal).length, 210);
    assert.ok(few.proposal.notes.some(({ message }) => /after 210 variables/.test(message)));
  });

  test('a scan that is stopped returns what it has found so far', async (t) => {
    const stop = new AbortController();
    const { proposal } = await scan(t, endpointUrl, { node: 'nsu=urn:penstock:test;s=many' }, stop);
    assert.equal(namesOf(proposal).length, 200);
  });

  test('a node that the server does not have is an error that names it', async (t) => {
    await assert.rejects(scan(t, endpointUrl, { node: 'nsu=urn:penstock:test;s=nothing' }), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.match(error.detail, /s=nothing/);
      return true;
    });
  });
});

for (const [what, answer] of Object.entries(HOSTILE_ANSWERS)) {
  test(`there are no endpoints, and no more than an error, of a server that ${what}`, async (t) => {
    const port = await serveHostile(t, answer);
    const given = { endpointUrl: `opc.tcp://127.0.0.1:${port}`, connectTimeoutMs: 500 };
    await assert.rejects(find(given), ConnectionError);
  });
}

async function find(given: Readonly<Record<string, unknown>>) {
  const findings: ScanFinding[] = [];
  const settings = await factory.discovery?.findSettings?.(given, {
    options: {},
    context: createDriverContext({ dataDirectory }),
    signal: new AbortController().signal,
    report: (event) => void (event.type === 'found' && findings.push(event)),
  });
  assertCoded(findings, []);
  return { settings, findings };
}

/** Scans to the end, or until the first page is there when it is to stop. */
async function scan(
  t: TestContext,
  endpointUrl: string,
  options: Readonly<Record<string, unknown>>,
  stop?: AbortController,
) {
  const config = factory.configSchema.parse({ endpointUrl, securityMode: 'NONE' });
  const driver = factory.create(config, createDriverContext({ dataDirectory }));
  t.after(() => driver.disconnect());
  assert.ok(isScanning(driver));
  await driver.connect(new AbortController().signal, () => undefined);
  const findings: ScanFinding[] = [];
  const report = (event: ScanEvent): void => {
    if (event.type !== 'found') return;
    findings.push(event);
    stop?.abort();
  };
  const { signal } = stop ?? new AbortController();
  const call = <T>(work: (signal: AbortSignal) => Promise<T>) => work(new AbortController().signal);
  const checked = factory.discovery?.optionsSchema.parse(options);
  const proposal = await driver.scan(checked, { signal, report, call });
  assertCoded(findings, proposal.notes);
  return { proposal, findings };
}

function namesOf({ assets }: Proposal): readonly unknown[] {
  return (assets[0]?.channels ?? []).map(({ name }) => name);
}
