import type { AuthorityDirectory } from './authority-directory.ts';
import { CommandError, NotReached } from '../command-error.ts';
import { MAXIMUM_CERTIFICATES, reportCertificates } from '../../interface/security/certificates.ts';
import type { CertificateReport } from '../../interface/security/certificates.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Terminal } from '../command-group.ts';
import type { LockedAuthority } from './locked-authority.ts';
import { listIdentities } from '../../interface/security/identities.ts';
import { suggest } from '../terminal/suggestion.ts';

/**
 * Reports changes of the authority to the audit log of a running gateway. Without a gateway only the ledger has them:
 * certificates can be issued before the gateway runs.
 */
async function sendReport(
  client: RestClient,
  { operation, certificates }: CertificateReport,
  terminal: Terminal,
): Promise<void> {
  try {
    for (let first = 0; first < certificates.length; first += MAXIMUM_CERTIFICATES) {
      const part = certificates
        .slice(first, first + MAXIMUM_CERTIFICATES)
        .map(({ name, purpose, serialNumber, expiresAtMs }) => ({
          name,
          purpose,
          serialNumber,
          expiresAtMs,
        }));
      await client.call(reportCertificates, {}, { operation, certificates: part });
    }
  } catch (error) {
    if (error instanceof NotReached || !(error instanceof CommandError)) return;
    terminal.note(`not recorded in the audit log: ${error.detail}\n`);
  }
}

/**
 * Changes an authority with {@link AuthorityDirectory.change} and reports the changes to a running gateway, including those
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

/** Reports changes of an authority to the audit log of a running gateway. */
export async function reportChanges(
  reports: readonly CertificateReport[],
  { client, terminal }: { readonly client: RestClient; readonly terminal: Terminal },
): Promise<void> {
  for (const report of reports) await sendReport(client, report, terminal);
}

/**
 * Prints a note if no identity has the name of a new client certificate, which is useless without one. Silent if the
 * gateway does not respond: an authority may be on another machine.
 */
export async function noteMissingIdentity(
  client: RestClient,
  name: string,
  terminal: Pick<Terminal, 'note'>,
): Promise<void> {
  const names = await listNames(client);
  if (names === undefined || names.includes(name)) return;
  const hint = suggest(name, names).replace(/^; expected .*/, '');
  terminal.note(
    `the gateway has no identity "${name}"${hint}\n` +
      `create it with "penstock identity create ${name} --permission rest.assets"\n`,
  );
}

async function listNames(client: RestClient): Promise<readonly string[] | undefined> {
  try {
    return (await client.call(listIdentities)).userConfig.map(({ userName }) => userName);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
