import type { CurrentClient } from './current-client.ts';
import type { CurrentSetup } from './current-setup.ts';
import type { SetupOptions } from './setup-options.ts';

/** One change; the gateway works after each of them. */
export type SetupStep =
  | { readonly kind: 'password' }
  | { readonly kind: 'authority' }
  | { readonly kind: 'serverCertificate' }
  | { readonly kind: 'clientAuthority' }
  | { readonly kind: 'certificateLogin' }
  | { readonly kind: 'identity' | 'clientCertificate' | 'pkcs12'; readonly client: string };

/** Part of the gateway: already correct, to be changed, or refused. */
export interface PlannedPart {
  readonly text: string;
  /** Undefined: already correct. */
  readonly step?: SetupStep;
  /** Reason for not changing an incorrect part. */
  readonly refusal?: string;
}

// Certificates that expire within this time are replaced.
const RENEWAL_DAYS = 30;

/** Compares the current setup with its target; returns the steps in the order of execution. */
export function planSetup(current: CurrentSetup, target: SetupOptions): readonly PlannedPart[] {
  const parts = [
    planPassword(current),
    planAuthority(current),
    planServerCertificate(current, target),
    planClientAuthority(current, target),
    planCertificateLogin(current),
    ...target.clients.flatMap((client) => planClient(current, target, client)),
  ];
  return current.isAuthorityKeyAway ? parts.map((part) => refuseIssue(part, current)) : parts;
}

/** Refuses a part that needs the key of the authority, which is kept on another machine. */
function refuseIssue(part: PlannedPart, { paths }: CurrentSetup): PlannedPart {
  const isIssue = part.step?.kind === 'serverCertificate' || part.step?.kind === 'clientCertificate';
  if (!isIssue) return part;
  const refusal = `${paths.authority}/ca.key is not on this machine and is needed to sign certificates; restore it, or issue them where it is`;
  return { text: part.text, refusal };
}

function planPassword({ administrator }: CurrentSetup): PlannedPart {
  const text = 'password of admin';
  if (administrator === 'ABSENT') return { text: 'no identity admin; no password is set' };
  return administrator === 'INITIAL' ? { text, step: { kind: 'password' } } : { text };
}

function planAuthority({ authority, paths }: CurrentSetup): PlannedPart {
  const text = `private authority in ${paths.authority}`;
  return authority === undefined ? { text, step: { kind: 'authority' } } : { text };
}

function planServerCertificate(current: CurrentSetup, { names, isReplacing }: SetupOptions): PlannedPart {
  const { paths, serverCertificate: present } = current;
  const text = `certificate of the gateway, ${paths.server.certificateFile}`;
  const step = { kind: 'serverCertificate' } as const;
  if (present === undefined) return { text, step };
  if (!present.isOurs && !isReplacing) {
    return {
      text,
      refusal: `${paths.server.certificateFile} was not created by setup; replace it with --replace, or add the missing names to http.names in penstock.yaml`,
    };
  }
  const missing = [...names.hostNames, ...names.addresses].filter((name) => !present.names.includes(name));
  const isFit = present.isOurs && present.hasKey && present.days >= RENEWAL_DAYS && missing.length === 0;
  return isFit ? { text } : { text, step };
}

function planClientAuthority(current: CurrentSetup, { isReplacing }: SetupOptions): PlannedPart {
  const { paths, clientAuthorities, isRevocationListCurrent } = current;
  const text = `client authority, ${paths.clientAuthorities}`;
  const step = { kind: 'clientAuthority' } as const;
  if (clientAuthorities === 'OURS') {
    const isListOld = !isRevocationListCurrent && paths.revocationLists !== undefined;
    return isListOld ? { text: `${text}, and its revocation list`, step } : { text };
  }
  if (clientAuthorities === 'OTHERS' && !isReplacing) {
    return {
      text,
      refusal: `${paths.clientAuthorities} contains other authorities; replace it with --replace`,
    };
  }
  return { text, step };
}

function planCertificateLogin({ isCertificateLoginOn }: CurrentSetup): PlannedPart {
  const text = 'authentication by client certificate without a session';
  return isCertificateLoginOn ? { text } : { text, step: { kind: 'certificateLogin' } };
}

function planClient({ clients }: CurrentSetup, target: SetupOptions, client: string): readonly PlannedPart[] {
  const { grants } = target;
  const found = clients.get(client);
  if (found === undefined) return [];
  const rights =
    grants.length === 0
      ? 'the permission rest.assets'
      : `${grants.length} ${grants.length === 1 ? 'grant' : 'grants'}`;
  const identity = `identity ${client} with ${rights}`;
  return [
    found.hasIdentity
      ? { text: `identity ${client}` }
      : { text: identity, step: { kind: 'identity', client } },
    planCertificate(client, found, target),
  ];
}

function planCertificate(
  client: string,
  { files, folder, validUntilMs = 0 }: CurrentClient,
  { isReplacing }: SetupOptions,
): PlannedPart {
  const text = `certificate of ${client} in ${folder}`;
  const step = { kind: 'clientCertificate', client } as const;
  switch (files) {
    case 'OURS':
      return { text };
    case 'PKCS12_OUTDATED':
      return { text: `${text}: its PKCS #12 file`, step: { kind: 'pkcs12', client } };
    case 'KEY_AWAY': {
      const until = new Date(validUntilMs).toISOString().slice(0, 10);
      const renewal = `penstock certificate renew ${client} --output ${folder}`;
      return {
        text: `${text}: one is valid until ${until}, but its key is not here; replace it with "${renewal}"`,
      };
    }
    case 'REVOKED':
      return { text: `${text}: the existing one is revoked`, step };
    case 'EXPIRING':
      return { text: `${text}: the existing one expires soon`, step };
    case 'OTHERS': {
      const refusal = `${folder} contains files not created by setup; replace them with --replace`;
      return isReplacing ? { text, step } : { text, refusal };
    }
    case 'NONE':
      return { text, step };
  }
}
