import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { parseManifest } from '../../../../../daemon/software/package/manifest.ts';
import { signManifest } from '../../../../../daemon/software/package/signature/manifest-signing.ts';
import { writeSection } from '../../../../../daemon/software/package/manifest-writer.ts';

const digest = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('base64');
const MAIN = writeSection({ 'Manifest-Version': '1.0', 'Bundle-Vendor': 'Käufer & Söhne '.repeat(8) });
const LONG = `conf/${'x'.repeat(90)}.json`;
const CONTENTS = new Map([
  ['a.jar', Buffer.from('a')],
  [LONG, Buffer.from('b')],
]);

test('signManifest writes digests into the sections of entries, and keeps all other bytes', () => {
  const kept = writeSection({ Name: 'kept.jar', 'DeploymentPackage-Missing': 'true' });
  const sections = [
    writeSection({ Name: 'a.jar', 'SHA1-Digest': 'old' }),
    writeSection({ Name: LONG }),
    kept,
  ];
  const { manifest } = signManifest(Buffer.concat([MAIN, ...sections]), CONTENTS);
  assert.ok(manifest.subarray(0, MAIN.length).equals(MAIN));
  assert.ok(manifest.subarray(-kept.length).equals(kept));
  const { sections: read } = parseManifest(manifest);
  assert.deepEqual(
    read.map(({ headers }) => Array.from(headers)),
    [
      [
        ['name', 'a.jar'],
        ['sha-256-digest', digest('a')],
      ],
      [
        ['name', LONG],
        ['sha-256-digest', digest('b')],
      ],
      [
        ['name', 'kept.jar'],
        ['deploymentpackage-missing', 'true'],
      ],
    ],
  );
});

test('the signature file digests the manifest, its main section, and the section of each entry', () => {
  const sections = [writeSection({ Name: 'a.jar' }), writeSection({ Name: 'kept.jar' })];
  const { manifest, signatureFile } = signManifest(Buffer.concat([MAIN, ...sections]), CONTENTS);
  const { main, sections: signed } = parseManifest(signatureFile);
  assert.equal(main.get('sha-256-digest-manifest'), digest(manifest));
  assert.equal(main.get('sha-256-digest-manifest-main-attributes'), digest(MAIN));
  const section = writeSection({ Name: 'a.jar', 'SHA-256-Digest': digest('a') });
  assert.deepEqual(
    signed.map(({ name, headers }) => [name, headers.get('sha-256-digest')]),
    [['a.jar', digest(section)]],
  );
});

test('signing a signed manifest again changes nothing, whatever its line ends', () => {
  const unsigned = 'Manifest-Version: 1.0\nA: b\n\n\nName: a.jar\nB: c\n d';
  const first = signManifest(Buffer.from(unsigned), CONTENTS);
  assert.ok(signManifest(first.manifest, CONTENTS).manifest.equals(first.manifest));
  const crs = signManifest(Buffer.from(unsigned.replaceAll('\n', '\r')), CONTENTS);
  assert.ok(crs.manifest.equals(first.manifest));
  assert.equal(parseManifest(first.manifest).sections[0]?.headers.get('b'), 'cd');
});
