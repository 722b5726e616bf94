import type { AuthorityDirectory } from './authority-directory.ts';
import type { CertificateReport } from './authority-ledger.ts';
import { CommandError, NotReached } from '../command-error.ts';
import type { RestClient } from '../rest-client.ts';
import type { Terminal } from '../verb.ts';
import type { LockedAuthority } from './locked-authority.ts';

// As many as the gateway takes at once.
const MOST_AT_ONCE = 100;

/**
 * Has a gateway that runs record in its audit log what the authority has done. Without a gateway the list of the authority
 * is all there is: certificates are issued before there is one as well.
 */
async function reportCertificates(
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

/**
 * Changes an authority as {@link AuthorityDirectory.change} does, and has a gateway that runs record the changes, also those
 * before a failure.
 */
export async function changeAndReport<T>(
  authority: AuthorityDirectory,
  { client, terminal }: { readonly client: RestClient; readonly terminal: Terminal },
  work: (locked: LockedAuthority) => Promise<T>,
  options?: { readonly isNew: boolean },
): Promise<T> {
  let changed: LockedAuthority | undefined;
  try {
    return await authority.change(
      terminal,
      (locked) => {
        changed = locked;
        return work(locked);
      },
      options,
    );
  } finally {
    await reportChanges(changed?.takeReports() ?? [], { client, terminal });
  }
}

/** Has a gateway that runs record changes of an authority in its audit log. */
export async function reportChanges(
  reports: readonly CertificateReport[],
  { client, terminal }: { readonly client: RestClient; readonly terminal: Terminal },
): Promise<void> {
  for (const report of reports) await reportCertificates(client, report, terminal);
}
