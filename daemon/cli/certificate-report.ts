import type { CertificateRecord } from './authority-directory.ts';
import { CommandError, NotReached } from './command-error.ts';
import type { RestClient } from './rest-client.ts';
import type { Terminal } from './verb.ts';

/** What the authority has done: with its own certificate, or with those that it issues. */
export interface CertificateReport {
  readonly operation: 'ISSUED' | 'REVOKED';
  readonly certificates: readonly (Omit<CertificateRecord, 'purpose' | 'issuedAtMs'> & {
    readonly purpose: CertificateRecord['purpose'] | 'authority';
  })[];
}

// As many as the gateway takes at once.
const MOST_AT_ONCE = 100;

/**
 * Has a gateway that runs record in its audit log what the authority has done. Without a gateway the list of the authority
 * is all there is: certificates are issued before there is one as well.
 */
export async function reportCertificates(
  client: RestClient,
  { operation, certificates }: CertificateReport,
  terminal: Terminal,
): Promise<void> {
  try {
    for (let first = 0; first < certificates.length; first += MOST_AT_ONCE) {
      const part = certificates
        .slice(first, first + MOST_AT_ONCE)
        .map(({ name, purpose, serialNumber, expiresAtMs }) => ({
          name,
          purpose,
          serialNumber,
          expiresAtMs,
        }));
      await client.send('POST', '/services/audit/v1/_certificates', {
        body: { operation, certificates: part },
      });
    }
  } catch (error) {
    if (error instanceof NotReached || !(error instanceof CommandError)) return;
    terminal.note(`the audit log has no event of this: ${error.detail}\n`);
  }
}
