import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { awaitOperation, removePackage, uploadPackage } from '../support/package-upload.ts';
import { programOf } from '../support/tools.ts';
import { needs } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { listOperations, listPackages, readOperation } from '../../daemon/interface/software/packages.ts';

const PASSWORD = 'turbine-password';
const ROOT = '/services/deploy/v2';
const identities = [
  { name: 'deployer', permissions: ['rest.deploy'], password: PASSWORD },
  { name: 'auditor', permissions: ['rest.admin'], password: PASSWORD },
];

async function login(gateway: RunningGateway, name = 'deployer'): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login(name, PASSWORD);
  return client;
}

/** Creates a package as the build tools of Kura do: packed while it is written, by another library than ours. */
function buildKuraPackage(directory: string): Buffer {
  const script = `
import io, sys, zipfile
class Pipe(io.RawIOBase):
    def __init__(self): self.bytes = bytearray()
    def writable(self): return True
    def write(self, data): self.bytes += data; return len(data)
def pack(entries):
    pipe = Pipe()
    with zipfile.ZipFile(pipe, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries: archive.writestr(name, content)
    return bytes(pipe.bytes)
heater = pack([
  ('META-INF/', ''),
  ('META-INF/MANIFEST.MF', 'Manifest-Version: 1.0\\r\\nBundle-ManifestVersion: 2\\r\\nBundle-SymbolicName: org.eclipse.kura.demo.heate\\r\\n r;singleton:=true\\r\\nBundle-Version: 1.0.300.202211\\r\\n\\r\\n'),
  ('OSGI-INF/heater.xml', '<component/>'),
  ('org/eclipse/kura/demo/heater/Heater$State.class', b'\\xca\\xfe\\xba\\xbe'),
])
processor = pack([('META-INF/MANIFEST.MF', 'Manifest-Version: 1.0\\nBundle-SymbolicName: org.example.processor\\nBundle-Version: 1.0\\n')])
manifest = '''Manifest-Version: 1.0
DeploymentPackage-SymbolicName: heater
DeploymentPackage-Version: 1.0.300
DeploymentPackage-Name: Heater demo
Created-By: 17 (Eclipse Adoptium)

Name: heater_1.0.300.jar
Bundle-SymbolicName: org.eclipse.kura.demo.heater;singleton:=true
Bundle-Version: 1.0.300.202211

Name: processor.jar
Bundle-SymbolicName: org.example.processor
Bundle-Version: 1.0.0
DeploymentPackage-Customizer: true

Name: autoconf.xml
Resource-Processor: org.osgi.deployment.rp.autoconf

'''
open(sys.argv[1], 'wb').write(pack([
  ('META-INF/MANIFEST.MF', manifest), ('heater_1.0.300.jar', heater), ('processor.jar', processor),
  ('autoconf.xml', '<metatype/>'),
]))`;
  const file = path.join(directory, 'heater.dp');
  execFileSync(programOf('python3'), ['-c', script, file]);
  return readFileSync(file);
}

test(
  'a package of Kura is installed, listed over a restart, and removed, without anything of it being started',
  needs('python3'),
  async (t) => {
    const first = await startGateway(t, { config: { provision: { identities } } });
    const client = await login(first);
    const operation = await uploadPackage(client, buildKuraPackage(first.directory));
    assert.equal(operation.state, 'COMPLETED', operation.message);
    const expected = [
      {
        name: 'heater',
        version: '1.0.300',
        bundles: [
          { name: 'org.eclipse.kura.demo.heater', version: '1.0.300.202211', state: 'RESOLVED' },
          { name: 'org.example.processor', version: '1.0.0', state: 'RESOLVED' },
        ],
      },
    ];
    assert.deepEqual((await client.send('GET', `${ROOT}/`)).json, expected);
    assert.equal(await first.stop(), 0);

    const second = await startGateway(t, { directory: first.directory });
    const again = await login(second);
    assert.deepEqual((await again.send('GET', ROOT)).json, expected);
    const kept = answerOf(readOperation, await again.send('GET', `${ROOT}/_status/${operation.id}`));
    assert.equal(kept.state, 'COMPLETED');
    assert.equal((await removePackage(again, 'heater')).state, 'COMPLETED');
    assert.deepEqual((await again.send('GET', ROOT)).json, []);
  },
);

test('operations on packages are in the audit log, with the client that requested them', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities } } });
  const client = await login(gateway);
  await uploadPackage(client, buildPackage({ symbolicName: 'demo' }));
  assert.equal((await uploadPackage(client, Buffer.from('no package'))).errorCode, 404);
  await removePackage(client, 'demo');
  const auditor = await login(gateway, 'auditor');
  const { events } = answerOf(
    listAuditEvents,
    await auditor.send('GET', '/services/audit/v1/events?limit=50'),
  );
  const found = events
    .filter(({ event }) => event.startsWith('PACKAGE_'))
    .map(({ event, outcome, identity, method, target }) => [event, outcome, identity, method, target]);
  assert.deepEqual(found.toReversed(), [
    ['PACKAGE_INSTALLED', 'SUCCESS', 'deployer', 'session', 'demo'],
    ['PACKAGE_INSTALLED', 'FAILURE', 'deployer', 'session', undefined],
    ['PACKAGE_UNINSTALLED', 'SUCCESS', 'deployer', 'session', 'demo'],
  ]);
});

test('nine packages that were asked for are all there after a stop in between', async (t) => {
  const config = (directory: string) => ({
    provision: { identities },
    deployment: { fileSourceDirectories: [directory] },
  });
  const first = await startGateway(t, { config: { provision: { identities } } });
  assert.equal((await first.reload(config(first.directory)))['event'], 'reloaded');
  const client = await login(first);
  const names = Array.from({ length: 9 }, (_, index) => `package-${index}`);
  for (const symbolicName of names) {
    const file = path.join(first.directory, `${symbolicName}.dp`);
    writeFileSync(file, buildPackage({ symbolicName, resources: { content: symbolicName } }));
    const answer = await client.send('POST', `${ROOT}/_install`, { body: { url: `file://${file}` } });
    assert.deepEqual([answer.status, answer.json], [200, 'REQUEST_RECEIVED']);
  }
  assert.equal(await first.stop(), 0);

  const second = await startGateway(t, { directory: first.directory, config: config(first.directory) });
  const again = await login(second);
  const operations = answerOf(listOperations, await again.send('GET', `${ROOT}/_status`));
  for (const { id } of operations) {
    const { state, message } = await awaitOperation(again, `${ROOT}/_status/${id}`);
    assert.equal(state, 'COMPLETED', message);
  }
  const list = answerOf(listPackages, await again.send('GET', ROOT));
  assert.deepEqual(
    list.map(({ name }) => name),
    names,
  );
});

test('install and uninstall of one name at once are done one after the other', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities } } });
  const client = await login(gateway);
  const bytes = buildPackage({ symbolicName: 'demo' });
  await uploadPackage(client, bytes);
  const [removal, installation] = await Promise.all([
    client.send('DELETE', `${ROOT}/demo`),
    uploadPackage(client, buildPackage({ symbolicName: 'demo', version: '2.0.0' })),
  ]);
  assert.equal(installation.state, 'COMPLETED');
  const removed = await awaitOperation(client, String(removal.headers['location']));
  assert.equal(removed.state, 'COMPLETED');
  const list = answerOf(listPackages, await client.send('GET', ROOT));
  const operations = answerOf(listOperations, await client.send('GET', `${ROOT}/_status`));
  const isLastInstalled = operations[0]?.operation === 'INSTALL';
  assert.deepEqual(
    list.map(({ version }) => version),
    isLastInstalled ? ['2.0.0'] : [],
  );
});
