import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';

import { issueServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import { Ansible } from '../support/ansible.ts';
import { getCertificateAuthority, getServerCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { findProgram } from '../support/programs.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { describeMissing } from '../support/tools.ts';

const missing = describeMissing(['ansible-playbook']);
const options = missing === undefined ? {} : { skip: missing };
const NAMES = { hostNames: ['localhost', 'gateway.plant.example'], addresses: ['127.0.0.1'] };
const DAYS = 365;

let folder = '';
let ansible: Ansible;
let parameters: object = {};

const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
const replace = (changed: object) => [
  { 'penstock.gateway.server_certificate': { ...parameters, ...changed } },
];

before(async (t) => {
  if (missing !== undefined) return;
  folder = createTemporaryDirectory(t as never);
  const { certificate, privateKey } = await getServerCertificate();
  writeFileSync(path.join(folder, 'server.crt'), certificate);
  writeFileSync(path.join(folder, 'server.key'), privateKey, { mode: 0o600 });
  const gateway = await startGateway(t as never, {
    directory: folder,
    config: { tls: { certificateFile: 'server.crt', privateKeyFile: 'server.key' } },
  });
  const daemon = [process.execPath, findProgram('daemon/main'), '--config', gateway.configFile];
  parameters = {
    certificate_file: path.join(folder, 'server.crt'),
    key_file: path.join(folder, 'server.key'),
    owner: userInfo().username,
    port: gateway.httpsPorts[0],
    reload_command: [...daemon, '--reload', String(gateway.process.pid ?? 0)],
  };
  ansible = new Ansible(t as never);
});

test(
  'a new connection shows the certificate that is given, and the second run changes nothing',
  options,
  async () => {
    const pair = await issueServerCertificate(await getCertificateAuthority(), NAMES, DAYS);
    const tasks = replace({ certificate: pair.certificate, key: pair.privateKey });
    const [former, formerKey] = [read('server.crt'), read('server.key')];
    const checked = await ansible.play(tasks, {}, ['--check', '--diff', '-vvv']);
    assert.match(checked.output, /^\+SHA-256 [0-9A-F]{64}$/m);
    assert.match(checked.output, /changed=1 .*failed=0/);
    assert.deepEqual([read('server.crt'), read('server.key')], [former, formerKey]);
    const applied = await ansible.play(tasks, {}, ['-vvv']);
    assert.match(applied.output, /changed=1 .*failed=0/, applied.output);
    assert.deepEqual([read('server.crt'), read('server.key')], [pair.certificate, pair.privateKey]);
    const again = await ansible.play(tasks, {}, ['-vvv']);
    assert.match(again.output, /changed=0 .*failed=0/, again.output);
    const [, line = ''] = pair.privateKey.split('\n');
    for (const { output } of [checked, applied, again]) assert.ok(!output.includes(line));
  },
);

test('a command issues a certificate when a name is missing, and not again', options, async (t) => {
  const place = createTemporaryDirectory(t);
  const names = { ...NAMES, hostNames: ['localhost', 'pump.plant.example'] };
  const pair = await issueServerCertificate(await getCertificateAuthority(), names, DAYS);
  writeFileSync(path.join(place, 'server.crt'), pair.certificate);
  writeFileSync(path.join(place, 'server.key'), pair.privateKey);
  const command = ['cp', path.join(place, 'server.crt'), path.join(place, 'server.key'), '.'];
  const tasks = replace({ command, names: ['pump.plant.example', '127.0.0.1'] });
  const checked = await ansible.play(tasks, {}, ['--check', '-v']);
  assert.match(checked.output, /would be renewed: it lacks pump\.plant\.example"/);
  const applied = await ansible.play(tasks);
  assert.match(applied.output, /changed=1 .*failed=0/, applied.output);
  assert.equal(read('server.crt'), pair.certificate);
  assert.match((await ansible.play(tasks)).output, /changed=0 .*failed=0/);
  const useless = await ansible.play(replace({ command, names: ['valve.plant.example'] }));
  assert.match(useless.output, /the certificate of the command is no better: it lacks valve\.plant\.example/);
});

test('a pair that cannot be used changes nothing', options, async () => {
  const former = read('server.crt');
  const authority = await getCertificateAuthority();
  const pair = await issueServerCertificate(authority, NAMES, DAYS);
  const other = await issueServerCertificate(authority, NAMES, DAYS);
  const mixed = await ansible.play(replace({ certificate: pair.certificate, key: other.privateKey }));
  assert.match(mixed.output, /certificate and key cannot be used: KEY_VALUES_MISMATCH/);
  const refused = await ansible.play(
    replace({ certificate: pair.certificate, key: pair.privateKey, reload_command: ['false'] }),
  );
  assert.match(refused.output, /reload_command ended with 1: .*; the previous pair is back/);
  const empty = await ansible.play(replace({ command: ['true'], names: ['valve.plant.example'] }));
  assert.match(empty.output, /command did not write server\.crt and server\.key/);
  assert.equal(read('server.crt'), former);
});
