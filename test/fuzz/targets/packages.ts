import assert from 'node:assert/strict';

import { BundleError } from '../../../daemon/software/bundle/bundle-error.ts';
import { parseEnvelope } from '../../../daemon/software/bundle/message/envelope.ts';
import { encodeFrame, FrameReader } from '../../../daemon/software/bundle/message/frame-reader.ts';
import {
  BUNDLE_CALLS,
  BUNDLE_NOTIFICATIONS,
  BUNDLE_RESULTS,
  checkMessage,
} from '../../../daemon/software/bundle/message/messages.ts';
import { fromWireValue, toWireValue } from '../../../daemon/software/bundle/message/wire-value.ts';
import type { WireValue } from '../../../daemon/software/bundle/message/wire-value.ts';
import { DeploymentError } from '../../../daemon/software/package/deployment-error.ts';
import { writeSection } from '../../../daemon/software/package/manifest-writer.ts';
import { parseManifest } from '../../../daemon/software/package/manifest.ts';
import { describePackage } from '../../../daemon/software/package/package-contents.ts';
import { verifySignatureBlock } from '../../../daemon/software/package/signature/signature-block.ts';
import { readZipDirectory } from '../../../daemon/software/package/archive/zip-directory.ts';
import { buildZip } from '../../support/zip-builder.ts';
import { cutInPieces } from '../../property/pieces.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const zip: FuzzTarget = {
  name: 'zip-directory',
  seeds: [
    buildZip([
      { name: 'META-INF/', isCompressed: false },
      { name: 'META-INF/MANIFEST.MF', content: 'a' },
    ]),
    buildZip([
      { name: 'a', content: 'x', hasDescriptor: true, mode: 0o100644 },
      { name: 'b/c', content: 'yy', isCompressed: false },
    ]),
  ],
  words: [
    'PK\x01\x02',
    'PK\x03\x04',
    'PK\x05\x06',
    'PK\x06\x07',
    'PK\x07\x08',
    '../',
    '/',
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
  ],
  run(input) {
    const readAt = (position: number, length: number): Buffer => {
      assert.ok(
        position >= 0 && length >= 0 && length <= input.length + 70_000,
        `${length} bytes at ${position}`,
      );
      return input.subarray(position, position + length);
    };
    const outcome = (['PORTABLE', 'PRINTABLE'] as const).map((rule) =>
      attempt([DeploymentError], () => readZipDirectory(readAt, input.length, rule)),
    );
    for (const found of outcome) {
      if (!('value' in found)) continue;
      let at = 0;
      for (const { contentAt, compressedBytes } of found.value) {
        assert.ok(
          contentAt >= at && contentAt + compressedBytes <= input.length,
          'entries overlap or end outside',
        );
        at = contentAt + compressedBytes;
      }
    }
    return show(outcome);
  },
};

const MANIFEST = [
  'Manifest-Version: 1.0',
  'DeploymentPackage-SymbolicName: com.example.pack',
  'DeploymentPackage-Version: 1.2.3.beta',
  'DeploymentPackage-FixPack: [1.0,2.0)',
  '',
  'Name: bundles/a.jar',
  'Bundle-SymbolicName: com.example.a; singleton:=true',
  'Bundle-Version: 1.0',
  'DeploymentPackage-Missing: true',
  'SHA-256-Digest: q83v',
  '',
  'Name: config.xml',
  'Resource-Processor: com.example.p',
  '',
  '',
].join('\r\n');

const manifest: FuzzTarget = {
  name: 'manifest',
  seeds: [MANIFEST],
  words: [
    '\r\n',
    '\n ',
    '\n\n',
    'Name: ',
    'Bundle-Version: ',
    'DeploymentPackage-Customizer: true',
    '; a="b;c"',
    ': ',
    'é',
    '\u{FEFF}',
  ],
  run(input) {
    const parsed = attempt([DeploymentError], () => parseManifest(input));
    if (!('value' in parsed)) return show(parsed);
    const { main, sections } = parsed.value;
    const written = Buffer.concat(
      [main, ...sections.map(({ headers }) => headers)].map((headers) =>
        writeSection(Object.fromEntries(headers)),
      ),
    );
    const again = parseManifest(written);
    assert.deepEqual(
      [again.main, ...again.sections.map(({ headers }) => headers)],
      [main, ...sections.map(({ headers }) => headers)],
    );
    return show([parsed, attempt([DeploymentError], () => describePackage(parsed.value))]);
  },
};

const signature: FuzzTarget = {
  name: 'signature-block',
  // A whole one is among the kept inputs.
  seeds: [Buffer.from('300f06092a864886f70d010702a0023000', 'hex')],
  words: [
    Buffer.from('06092a864886f70d010702', 'hex'),
    Buffer.from('3080', 'hex'),
    Buffer.from('0609608648016503040201', 'hex'),
    Buffer.from('0500', 'hex'),
    Buffer.from('a080', 'hex'),
  ],
  async run(input) {
    const block = {
      block: input,
      content: Buffer.from('x'),
      trustedCertificates: [],
      nowMs: Date.UTC(2026, 0),
    };
    try {
      return show(await verifySignatureBlock(block));
    } catch (error) {
      if (error instanceof DeploymentError) return show(error.code);
      throw error;
    }
  },
};

const METHODS = { ...BUNDLE_CALLS, ...BUNDLE_NOTIFICATIONS, ...BUNDLE_RESULTS };

const messages: FuzzTarget = {
  name: 'bundle-messages',
  seeds: [
    { kind: 'call', id: 1, method: 'assets.read', params: { asset: 'a', channels: ['c'] } },
    {
      kind: 'call',
      id: 2,
      method: 'assets.write',
      params: { asset: 'a', channels: [{ name: 'c', type: 'LONG', value: { long: '-5' } }] },
    },
    {
      kind: 'call',
      id: 3,
      method: 'provider.register',
      params: { provider: 1, priority: 1, headers: ['x-a'] },
    },
    { kind: 'note', method: 'log', params: { level: 'info', message: 'm', fields: { a: 1 } } },
    { kind: 'note', method: 'driver.lost', params: { instance: 1, message: 'gone' } },
    {
      kind: 'result',
      id: 4,
      method: 'driver.read',
      value: [{ value: { bytes: 'AA==' } }, { failure: { code: 'X', message: 'm' } }],
    },
    { kind: 'error', id: 5, code: 'X', message: 'm' },
  ].map((message) => encodeFrame(JSON.stringify(message))),
  words: [
    '"kind":"note"',
    '"id":1',
    '"params":{}',
    '"value":null',
    '{"number":"NaN"}',
    '{"long":"1"}',
    '[',
    ']',
    '{}',
    '"__proto__":{}',
    Buffer.of(0, 0, 0, 9),
  ],
  run(input) {
    const read = (chunks: readonly Buffer[]): unknown => {
      const seen: unknown[] = [];
      const reader = new FrameReader();
      const end = attempt([BundleError], () => {
        for (const chunk of chunks) {
          reader.push(chunk);
          for (let frame = reader.next(); frame !== undefined; frame = reader.next())
            seen.push(readMessage(frame));
        }
      });
      return [seen, end];
    };
    const whole = show(read([input]));
    assert.equal(show(read(cutInPieces(input, [1]))), whole);
    return whole;
  },
};

function readMessage(frame: Buffer): unknown {
  return attempt([BundleError], () => {
    const envelope = parseEnvelope(frame);
    if (envelope.kind !== 'call' && envelope.kind !== 'note' && envelope.kind !== 'result') return envelope;
    const body: unknown = envelope.kind === 'result' ? envelope.value : envelope.params;
    return Object.entries(METHODS).map(([method, schema]) =>
      attempt([BundleError], () => {
        const checked = checkMessage<unknown>(schema, method, body);
        if (method === 'assets.write')
          checkValues(checked as { readonly channels: readonly { readonly value: WireValue }[] });
        return method;
      }),
    );
  });
}

function checkValues({ channels }: { readonly channels: readonly { readonly value: WireValue }[] }): void {
  for (const { value } of channels) {
    const plain = fromWireValue(value);
    assert.equal(show(fromWireValue(toWireValue(plain))), show(plain));
  }
}

/** What packages and their bundles bring. */
export const PACKAGES: readonly FuzzTarget[] = [zip, manifest, signature, messages];
