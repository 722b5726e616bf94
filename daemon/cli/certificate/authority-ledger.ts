import { X509Certificate } from 'node:crypto';

import { check, formatPath, z } from '../../base/schema.ts';
import { splitPem } from '../../security/certificate/pem-file.ts';
import { parseRevocationList } from '../../security/certificate/revocation-list.ts';
import type { RevocationList } from '../../security/certificate/revocation-list.ts';
import { CommandError } from '../command-error.ts';

const certificateRecord = z.strictObject({
  /** Hexadecimal. */
  serialNumber: z.string().regex(/^[0-9a-f]{1,40}$/),
  name: z.string(),
  purpose: z.enum(['client', 'server']),
  /** Milliseconds since the epoch. */
  issuedAtMs: z.int(),
  expiresAtMs: z.int(),
  revokedAtMs: z.int().optional(),
  /** File that completes the delivery of the certificate; absent once it is written. */
  pendingFile: z.string().optional(),
});

const ledgerSchema = z.strictObject({
  revocationListNumber: z.int().min(0),
  certificates: z.array(certificateRecord),
  /** Installed copies of the revocation list. */
  installedLists: z.array(z.string()).optional(),
});

/** A certificate that the authority issued. */
export type CertificateRecord = Readonly<z.infer<typeof certificateRecord>>;

/** Every certificate of an authority, in order of issue; source of its revocation list. */
export type Ledger = Readonly<z.infer<typeof ledgerSchema>>;

/** Differences between a ledger and a revocation list. */
export interface ListDifference {
  /** Revoked in the ledger, but not in the list: these certificates are still accepted. */
  readonly missing: readonly CertificateRecord[];
  /** Serial numbers in the list that are not revoked in the ledger, hexadecimal. */
  readonly unexpected: readonly string[];
}

/**
 * Parses the ledger file.
 *
 * @param file names the origin in the error
 * @throws {CommandError} `LEDGER_INVALID`
 */
export function parseLedger(file: string, text: string): Ledger {
  const { value, faults } = check(ledgerSchema, parseJson(text));
  if (faults === undefined) return value;
  const [fault] = faults;
  const detail = `${file}: ${formatPath(fault?.path ?? [])}: ${fault?.message ?? ''}`;
  throw new CommandError({ code: 'LEDGER_INVALID', detail });
}

/**
 * Compares the revoked certificates of a ledger with a revocation list of the same authority.
 *
 * @param list undefined: there is none, so every revoked certificate is missing in it
 */
export function compareLedgerWithList(
  certificates: readonly CertificateRecord[],
  list: Pick<RevocationList, 'serialNumbers'> | undefined,
): ListDifference {
  const listed = new Set([...(list?.serialNumbers ?? [])].map(normalizeSerial));
  const revoked = certificates.filter(({ revokedAtMs }) => revokedAtMs !== undefined);
  const recorded = new Set(revoked.map(({ serialNumber }) => normalizeSerial(serialNumber)));
  return {
    missing: revoked.filter(({ serialNumber }) => !listed.has(normalizeSerial(serialNumber))),
    unexpected: [...listed].filter((serialNumber) => !recorded.has(serialNumber)),
  };
}

/**
 * Finds the revocation list of an authority in a file, which may contain further lists.
 *
 * @param text PEM
 * @returns undefined without a readable list of this authority
 */
export function findOwnList(text: string, authority: X509Certificate): RevocationList | undefined {
  return splitPem(text, 'X509 CRL')
    .flatMap(readList)
    .find((list) => list.isSignedBy(authority.publicKey));
}

/**
 * Replaces the revocation list of an authority in a file; keeps other lists.
 *
 * @param text the file, PEM
 * @param list the new list, PEM
 */
export function replaceOwnList(text: string, list: string, authority: X509Certificate): string {
  const others = splitPem(text, 'X509 CRL').filter((pem) => findOwnList(pem, authority) === undefined);
  return [...others, list].join('');
}

function readList(pem: string): readonly RevocationList[] {
  try {
    return [parseRevocationList(pem)];
  } catch {
    // A damaged list counts as missing.
    return [];
  }
}

/** Returns the ledger record of a certificate. */
export function describeCertificate(certificate: string, name: string): Omit<CertificateRecord, 'purpose'> {
  const { serialNumber, validFromDate, validToDate } = new X509Certificate(certificate);
  return {
    serialNumber: serialNumber.toLowerCase(),
    name,
    issuedAtMs: validFromDate.getTime(),
    expiresAtMs: validToDate.getTime(),
  };
}

/** Returns a serial number as comparable text: lower case, without leading zeros. */
export function normalizeSerial(serialNumber: string): string {
  return serialNumber.toLowerCase().replaceAll(/^0+(?=.)|:/g, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
