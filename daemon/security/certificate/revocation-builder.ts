import 'reflect-metadata';

import {
  AuthorityKeyIdentifierExtension,
  Extension,
  PemConverter,
  X509CrlGenerator,
  X509CrlReason,
} from '@peculiar/x509';

import { readIssuer, SIGNING_ALGORITHM } from './certificate-builder.ts';
import type { RevocationRequest } from './certificate-request.ts';

// id-ce-cRLNumber (RFC 5280, 5.2.3).
const CRL_NUMBER = '2.5.29.20';
const DAY_MS = 86_400_000;

/** Creates a certificate revocation list (RFC 5280), version 2 with SHA-256. */
export async function buildRevocationList(request: RevocationRequest, nowMs: number): Promise<string> {
  const issuer = await readIssuer(request.issuer);
  const list = await X509CrlGenerator.create({
    issuer: issuer.name,
    thisUpdate: new Date(nowMs),
    nextUpdate: new Date(nowMs + request.days * DAY_MS),
    signingKey: issuer.signingKey,
    signingAlgorithm: SIGNING_ALGORITHM,
    entries: request.revoked.map(({ serialNumber, revokedAtMs }) => ({
      serialNumber,
      revocationDate: new Date(revokedAtMs),
      // Without a reason the library writes an empty list of extensions, which RFC 5280, 5.1.2.6, forbids.
      reason: X509CrlReason.cessationOfOperation,
    })),
    extensions: [
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      new Extension(CRL_NUMBER, false, encodeInteger(request.number)),
    ],
  });
  // RFC 7468, section 6; other programs do not support the library's own label.
  return `${PemConverter.encode(list.rawData, 'X509 CRL')}\n`;
}

/** Encodes an integer from 0 to 2^31 - 1 (X.690, 8.3). */
function encodeInteger(value: number): Uint8Array<ArrayBuffer> {
  const hex = value.toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  // A leading one bit would make it negative.
  const content = (digits[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), digits]) : digits;
  return new Uint8Array(Buffer.concat([Buffer.of(0x02, content.length), content]));
}
