import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { answerOf } from '../support/answer-of.ts';
import { prune, readDrift } from '../../daemon/interface/configuration/drift.ts';

const PASSWORD = 'drift-test-password';
const CONFIG = {
  provision: {
    rest: { basicAuthenticationEnabled: true },
    identities: [
      { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
      { name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD },
    ],
  },
};
const PLANT = `drivers:
  - { pid: line1, type: modbus, host: 127.0.0.1, port: 9 }
  - { pid: line2, type: modbus, host: 127.0.0.2, port: 9 }
assets:
  - { pid: boiler, driver: line1, channels: [] }
`;
const PERSON = 'identities: [{ name: scada, permissions: [rest.assets] }]\n';

/** A gateway with provision files, and the command on its socket. */
async function setUp(t: Owner) {
  const directory = createTemporaryDirectory(t);
  const folder = path.join(directory, 'provision.d');
  mkdirSync(folder);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write('plant.yaml', PLANT);
  write('people.yaml', PERSON);
  const gateway = await startGateway(t, { directory, config: CONFIG });
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const run = (line: string) => runCommand(t, [...line.split(' '), '--socket', socket]);
  const drift = async () => {
    const { output, status } = await run('config drift --json');
    const list = (JSON.parse(output) as { drift: { item: string; state: string; source: string }[] }).drift;
    return { status, parts: list.map(({ item, state, source }) => `${state} ${item} ${source}`) };
  };
  return { directory, folder, write, gateway, run, drift, reload: () => gateway.reload(CONFIG) };
}

test('what vanishes from the files is shown, planned, pruned and audited, and then is gone', async (t) => {
  const { folder, write, run, drift, reload, gateway, directory } = await setUp(t);
  assert.deepEqual(await drift(), { status: 0, parts: [] });
  renameSync(path.join(folder, 'people.yaml'), path.join(folder, 'persons.yaml'));
  write('plant.yaml', PLANT.slice(0, PLANT.indexOf('  - { pid: line2')));
  await reload();
  const parts = [
    'VANISHED assets/boiler provision.d/plant.yaml',
    'VANISHED drivers/line2 provision.d/plant.yaml',
  ];
  assert.deepEqual(await drift(), { status: 1, parts });
  rmSync(path.join(folder, 'persons.yaml'));
  await reload();
  const all = [...parts, 'VANISHED identities/scada provision.d/persons.yaml'];
  assert.deepEqual(await drift(), { status: 1, parts: all });

  const planned = await run('config prune --dry-run');
  assert.equal(planned.status, 0, planned.errors);
  const removed = ['removes driver line2', 'removes asset boiler', 'removes identity scada'];
  assert.deepEqual(planned.output.split('\n').slice(0, 3), removed);
  const unasked = await run('config prune');
  assert.equal(unasked.status, 1);
  assert.match(unasked.errors, /identity scada[^]*nothing was changed/);
  assert.deepEqual(await drift(), { status: 1, parts: all });

  const pruned = await run('config prune --yes');
  assert.equal(pruned.status, 0, pruned.errors);
  assert.match(pruned.output, /^removed driver line2\nremoved asset boiler\nremoved identity scada$/m);
  assert.deepEqual(await drift(), { status: 0, parts: [] });
  assert.equal((await run('config prune --yes')).output.split('\n')[0], 'nothing changed');
  const audit = (await run('audit list --event IDENTITY_REMOVED')).output;
  assert.match(audit, /IDENTITY_REMOVED +SUCCESS .* scada$/m);
  await gateway.stop();
  const again = await startGateway(t, { directory, config: CONFIG });
  const socket = path.join(again.dataDirectory, 'penstock.sock');
  assert.equal((await runCommand(t, ['config', 'drift', '--socket', socket])).status, 0);
});

test('people see what differs, and what they changed is never pruned', async (t) => {
  const { folder, run, drift, reload } = await setUp(t);
  assert.equal((await run('driver set line1 --retries 0')).status, 0);
  const { output, status } = await run('config drift');
  assert.equal(status, 1);
  assert.match(output, /^driver line1 +CHANGED +provision\.d\/plant\.yaml$/m);
  assert.match(output, /^driver line1 +retries +- +0$/m);
  rmSync(path.join(folder, 'plant.yaml'));
  await reload();
  assert.deepEqual((await drift()).parts, [
    'VANISHED assets/boiler provision.d/plant.yaml',
    'TAKEN_OVER drivers/line1 provision.d/plant.yaml',
    'VANISHED drivers/line2 provision.d/plant.yaml',
  ]);
  assert.equal((await run('config prune --yes')).status, 0);
  assert.deepEqual(await drift(), {
    status: 0,
    parts: ['TAKEN_OVER drivers/line1 provision.d/plant.yaml'],
  });
});

test('a prune that leaves something broken changes nothing', async (t) => {
  const { write, run, drift, reload } = await setUp(t);
  assert.equal((await run('asset add pump --driver line2')).status, 0);
  write('plant.yaml', PLANT.slice(0, PLANT.indexOf('  - { pid: line2')));
  write('people.yaml', '{}\n');
  await reload();
  const refused = await run('config prune --yes');
  assert.equal(refused.status, 1);
  assert.match(refused.errors, /: pump: driver: unknown driver "line2"/);
  assert.equal((await drift()).parts.length, 3);
  assert.match((await run('identity list')).output, /scada/);
});

test('a prune on trial leaves identities, and is taken back unless it is confirmed', async (t) => {
  const { folder, run, drift, reload } = await setUp(t);
  rmSync(path.join(folder, 'plant.yaml'));
  rmSync(path.join(folder, 'people.yaml'));
  await reload();
  const tried = await run('config prune --confirm-within 600');
  assert.equal(tried.status, 0, tried.errors);
  assert.deepEqual((await drift()).parts, ['VANISHED identities/scada provision.d/people.yaml']);
  await reload();
  assert.equal((await drift()).parts.length, 4);
});

test('the last administrator is not pruned, nor anything with it', async (t) => {
  const { run, gateway } = await setUp(t);
  await gateway.reload({});
  const refused = await run('config prune --yes');
  assert.equal(refused.status, 1);
  assert.match(refused.errors, /chief is the last identity/);
  assert.match((await run('config get rest')).output, /basicAuthenticationEnabled: true/);
});

test('who may not manage identities neither sees nor prunes them', async (t) => {
  const { folder, write, gateway, reload } = await setUp(t);
  rmSync(path.join(folder, 'people.yaml'));
  write('plant.yaml', PLANT.slice(0, PLANT.indexOf('assets:')));
  await reload();
  const port = gateway.httpsPorts[0] ?? 0;
  const engineer = new SessionClient({ port });
  await engineer.login('engineer', PASSWORD);
  const shown = await engineer.send('GET', '/services/configuration/v1/drift');
  const items = answerOf(readDrift, shown).drift.map(({ item }) => item);
  assert.deepEqual(items, ['assets/boiler']);
  const headers = { 'If-Match': '*' };
  const pruned = await engineer.send('POST', '/services/configuration/v1/_prune', { headers });
  assert.deepEqual(answerOf(prune, pruned).removed, ['assets/boiler']);
  const chief = new SessionClient({ port });
  await chief.login('chief', PASSWORD);
  const people = await chief.send('GET', '/services/identity/v1/identities');
  assert.match(people.text, /scada/);
});
