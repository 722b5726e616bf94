import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';

import { startGateway } from '../../../support/gateway.ts';
import { extendedKeyUsage } from '../../../support/certificate-extension.ts';
import { buildPackage } from '../../../support/package-builder.ts';
import { makeSigner } from '../../../support/package-signer.ts';
import type { Signer, SignerOptions } from '../../../support/package-signer.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { runCommand } from '../command.ts';
import { programOf } from '../../../support/tools.ts';
import { needs } from '../../../support/tests-that-need.ts';

function createBench(t: Owner) {
  const folder = createTemporaryDirectory(t);
  const file = path.join(folder, 'a.dp');
  const description = {
    symbolicName: 'com.example.a',
    bundles: [{ symbolicName: 'com.example.pump' }],
    resources: { 'conf/a.json': '{}' },
  };
  writeFileSync(file, buildPackage(description));
  return {
    folder,
    file,
    signer: (options: SignerOptions) => makeSigner(folder, options),
    sign: ({ keyFile, certificateFile }: Signer, ...more: readonly string[]) => {
      const who = ['--key', keyFile, '--certificate', certificateFile];
      return runCommand(t, ['package', 'sign', file, ...who, ...more]);
    },
    inspect: async (signer: Signer): Promise<string> => {
      const trust = ['--trusted-signers', signer.certificateFile];
      const { output, errors } = await runCommand(t, ['package', 'inspect', file, ...trust]);
      return output + errors;
    },
  };
}

function verifyWithJava(file: string): string {
  return execFileSync(programOf('jarsigner'), ['-verify', '-verbose', file], { encoding: 'utf8' });
}

test('package sign creates a package that a gateway trusts when it requires signatures', async (t) => {
  const { folder, file, signer, sign } = createBench(t);
  const gateway = await startGateway(t, {
    config: {
      deployment: {
        signaturePolicy: 'require',
        trustedSignersFile: path.join(folder, 'Plant-signer.crt'),
      },
    },
  });
  const install = ['package', 'install', file, '--socket', path.join(gateway.dataDirectory, 'penstock.sock')];
  const refused = await runCommand(t, install);
  assert.match(refused.errors, /was not installed: 456 /);
  const signed = await sign(signer({ name: 'Plant signer' }));
  assert.deepEqual([signed.status, signed.output, signed.errors], [0, `${file}\n`, '']);
  assert.equal((await runCommand(t, install)).output, 'com.example.a 1.0.0 installed\n');
});

test(
  'jarsigner verifies a package that package sign has signed, with RSA and on P-256',
  needs('jarsigner'),
  async (t) => {
    for (const key of ['rsa:2048', 'P-256'] as const) {
      const { file, signer, sign } = createBench(t);
      await sign(signer({ key }));
      const text = verifyWithJava(file);
      assert.match(text, /^jar verified\.$/m, text);
      assert.match(text, /^sm +\d+ .* com\.example\.pump_1\.0\.0\.jar\n(?:.*\n)*sm +2 .* conf\/a\.json$/m);
      assert.doesNotMatch(text, /unsigned entries|POSIX/);
    }
  },
);

test(
  'a second signature keeps the first one valid; one of the same name is replaced',
  needs('python3'),
  async (t) => {
    const { file, signer, sign, inspect } = createBench(t);
    const [first, second] = [signer({ name: 'First' }), signer({ name: 'Second', key: 'P-256' })];
    for (const each of [first, second, second]) assert.equal((await sign(each)).errors, '');
    assert.match(await inspect(first), /trusted signer First/);
    assert.match(await inspect(second), /trusted signer Second/);
    const names = execFileSync(programOf('python3'), ['-m', 'zipfile', '-l', file], { encoding: 'utf8' });
    assert.deepEqual(names.match(/META-INF\/\S+/g), [
      'META-INF/MANIFEST.MF',
      'META-INF/FIRST.SF',
      'META-INF/FIRST.RSA',
      'META-INF/SECOND.SF',
      'META-INF/SECOND.EC',
    ]);
  },
);

test('package inspect detects that a signed package was changed', async (t) => {
  const { file, signer, sign, inspect } = createBench(t);
  const plant = signer({ name: 'Plant' });
  await sign(plant);
  const bytes = readFileSync(file);
  // The content of the resource, which follows its name, and its checksums, which both headers contain.
  const text = bytes.toString('latin1').replace('conf/a.json{}', 'conf/a.json[]');
  const checksum = (content: string): string => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(crc32(content));
    return word.toString('latin1');
  };
  writeFileSync(file, Buffer.from(text.replaceAll(checksum('{}'), checksum('[]')), 'latin1'));
  assert.match(
    await inspect(plant),
    /would be refused:\n {2}456 the entry "conf\/a\.json" does not match its signature/,
  );
});

test('a key with a passphrase needs it, from a file', async (t) => {
  const { folder, signer, sign } = createBench(t);
  const plant = signer({ name: 'Plant' });
  writeFileSync(path.join(folder, 'passphrase'), 'open sesame\n');
  writeFileSync(path.join(folder, 'wrong'), 'open barley\n');
  const keyFile = path.join(folder, 'sealed.key');
  const key = createPrivateKey(readFileSync(plant.keyFile));
  const sealing = { cipher: 'aes-256-cbc', passphrase: 'open sesame' };
  writeFileSync(keyFile, key.export({ type: 'pkcs8', format: 'pem', ...sealing }), { mode: 0o600 });
  const sealed = { ...plant, keyFile };
  const right = await sign(sealed, '--passphrase-file', path.join(folder, 'passphrase'));
  assert.deepEqual([right.status, right.errors], [0, '']);
  const wrong = await sign(sealed, '--passphrase-file', path.join(folder, 'wrong'));
  assert.equal(wrong.status, 1);
  assert.match(wrong.errors, /the key cannot be used/);
  assert.match((await sign(sealed)).errors, /no password given/);
});

test(
  'package sign refuses a signature that no gateway would trust, and reports when only the certificate is the cause',
  needs('openssl'),
  async (t) => {
    const { file, signer, sign } = createBench(t);
    const before = readFileSync(file);
    const [plant, other] = [signer({ name: 'Plant' }), signer({ name: 'Other' })];
    const mixed = await sign({ ...plant, certificateFile: other.certificateFile });
    assert.match(mixed.errors, /does not match the first certificate/);
    const noCertificate = await sign({ ...plant, certificateFile: plant.keyFile });
    assert.match(noCertificate.errors, /the file contains none/);
    const weak = await sign(signer({ name: 'Weak', key: 'rsa:1024' }));
    assert.match(weak.errors, /expected RSA of 2048 to 8192 bits/);
    assert.deepEqual([mixed.status, noCertificate.status, weak.status], [1, 1, 1]);
    assert.ok(readFileSync(file).equals(before));
    const server = await sign(signer({ name: 'Server', extensions: [extendedKeyUsage('serverAuth')] }));
    assert.equal(server.status, 0);
    assert.match(
      server.errors,
      /no gateway will trust it: the certificate of Server does not allow code signing/,
    );
  },
);
