import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';

import { fromBER } from 'asn1js';

import { readElements, readTime } from '../../../daemon/base/text/der.ts';
import { CertificateError } from '../../../daemon/security/certificate/certificate-error.ts';
import { readFields } from '../../../daemon/security/certificate/certificate-fields.ts';
import { parseCertificates, splitPem } from '../../../daemon/security/certificate/pem-file.ts';
import { parseRevocationList } from '../../../daemon/security/certificate/revocation-list.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const DER_WORDS = [
  '3080',
  '020101',
  '0500',
  '3003',
  'a000',
  'a003020102',
  '170d3236303130313030303030305a',
  '180f32303530303130313030303030305a',
  '0603551d0f',
  '84ffffffff',
  '8180',
].map((hex) => Buffer.from(hex, 'hex'));

const der: FuzzTarget = {
  name: 'der',
  seeds: [Buffer.from('300a020105170d323630313031303030', 'hex'), Buffer.from('3006020101040100', 'hex')],
  words: DER_WORDS,
  run(input) {
    const read = attempt([RangeError], () => readElements(input));
    if (!('value' in read)) return show(read);
    assert.ok(
      Buffer.concat(read.value.map(({ encoding }) => encoding)).equals(input),
      'the elements are the text',
    );
    // Another reader sees the same header; it reads what is inside without regard to where the element ends.
    const [first] = read.value;
    const header = findHeader(input);
    if (first !== undefined && header !== undefined && (first.tag & 0x1f) !== 0x1f) {
      assert.deepEqual(header, { tagNumber: first.tag & 0x1f, length: first.content.length });
    }
    return show([read, ...read.value.map((element) => attempt([RangeError], () => readTime(element)))]);
  },
};

function findHeader(input: Buffer): { readonly tagNumber: number; readonly length: number } | undefined {
  try {
    const { offset, result } = fromBER(Uint8Array.from(input).buffer);
    const { idBlock, lenBlock } = result;
    return offset > 0 && !lenBlock.isIndefiniteForm
      ? { tagNumber: idBlock.tagNumber, length: lenBlock.length }
      : undefined;
  } catch {
    // It also reads what is inside.
    return undefined;
  }
}

const toPem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`;

const revocation: FuzzTarget = {
  name: 'revocation-list',
  // Whole ones are among the kept inputs.
  seeds: [Buffer.from('300a300030003000030200aa', 'hex')],
  words: DER_WORDS,
  run: (input) =>
    show(
      attempt([RangeError], () => {
        const { issuerName, thisUpdateMs, nextUpdateMs, serialNumbers } = parseRevocationList(
          toPem('X509 CRL', input),
        );
        return [issuerName, thisUpdateMs, nextUpdateMs, serialNumbers];
      }),
    ),
};

const certificate: FuzzTarget = {
  name: 'certificate',
  // Whole ones are among the kept inputs.
  seeds: [Buffer.from('3000', 'hex')],
  words: DER_WORDS,
  run(input) {
    let parsed: X509Certificate;
    try {
      parsed = new X509Certificate(input);
    } catch {
      // OpenSSL refuses it.
      return 'none';
    }
    // OpenSSL reads the extensions later, and also encodings other than DER.
    const read = attempt([RangeError], () => readFields(parsed));
    if (!('value' in read)) return show(read);
    const fields = read.value;
    const digits = parsed.serialNumber
      .toLowerCase()
      .replace(/^-/, '')
      .replace(/^0+(?=.)/, '');
    const isNegative =
      (readElements(readElements(readElements(parsed.raw)[0]?.content ?? input)[0]?.content ?? input).find(
        ({ tag }) => tag === 2,
      )?.content[0] ?? 0) > 0x7f;
    if (!isNegative) assert.equal(fields.serialNumber.replace(/^0+(?=.)/, ''), digits);
    return show(fields);
  },
};

const pem: FuzzTarget = {
  name: 'pem',
  seeds: ['-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----'],
  words: ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '-----', '\n', '\r\n', '=', '\0'],
  run(input) {
    const text = input.toString('utf8');
    for (const block of splitPem(text, 'CERTIFICATE'))
      assert.ok(block.startsWith('-----BEGIN CERTIFICATE-----'));
    return show(
      attempt([CertificateError], () =>
        parseCertificates('file', text, 'CERTIFICATE_INVALID').map(({ fingerprint256 }) => fingerprint256),
      ),
    );
  },
};

/** What certificate authorities and their clients send. */
export const CERTIFICATES: readonly FuzzTarget[] = [der, revocation, certificate, pem];
