import type { SetupFacts } from './facts.ts';
import type { SetupWishes } from './wishes.ts';

/** One change, which leaves a gateway that works whatever comes after it. */
export type SetupStep =
  | { readonly kind: 'password' }
  | { readonly kind: 'authority' }
  | { readonly kind: 'serverCertificate' }
  | { readonly kind: 'clientAuthority' }
  | { readonly kind: 'certificateLogin' }
  | { readonly kind: 'identity' | 'clientCertificate'; readonly client: string };

/** A part of the gateway: it is as it should be, it will be changed, or it must not be changed. */
export interface PlannedPart {
  readonly text: string;
  /** Undefined: nothing has to be done. */
  readonly step?: SetupStep;
  /** Why the part is left alone although it is not as it should be. */
  readonly refusal?: string;
}

// A certificate that expires within this time is replaced.
const RENEWAL_DAYS = 30;

/** Compares what is with what is wished; the steps come in the order in which they are carried out. */
export function planSetup(facts: SetupFacts, wishes: SetupWishes): readonly PlannedPart[] {
  const parts = [
    planPassword(facts),
    planAuthority(facts),
    planServerCertificate(facts, wishes),
    planClientAuthority(facts, wishes),
    planCertificateLogin(facts),
    ...wishes.clients.flatMap((client) => planClient(facts, wishes, client)),
  ];
  return facts.isAuthorityKeyAway ? parts.map((part) => refuseIssue(part, facts)) : parts;
}

/** Refuses a part that needs the key of the authority, which is kept on another machine. */
function refuseIssue(part: PlannedPart, { places }: SetupFacts): PlannedPart {
  const isIssue = part.step?.kind === 'serverCertificate' || part.step?.kind === 'clientCertificate';
  if (!isIssue) return part;
  const refusal = `${places.authority}/ca.key is not here, and signs certificates; bring it back for this, or issue them where it is`;
  return { text: part.text, refusal };
}

function planPassword({ administrator }: SetupFacts): PlannedPart {
  const text = 'password of admin';
  if (administrator === 'ABSENT') return { text: 'there is no identity admin; no password is set' };
  return administrator === 'INITIAL' ? { text, step: { kind: 'password' } } : { text };
}

function planAuthority({ authority, places }: SetupFacts): PlannedPart {
  const text = `private authority in ${places.authority}`;
  return authority === undefined ? { text, step: { kind: 'authority' } } : { text };
}

function planServerCertificate(facts: SetupFacts, { names, isReplacing }: SetupWishes): PlannedPart {
  const { places, serverCertificate: present } = facts;
  const text = `certificate of the gateway, ${places.server.certificateFile}`;
  const step = { kind: 'serverCertificate' } as const;
  if (present === undefined) return { text, step };
  if (!present.isOurs && !isReplacing) {
    return {
      text,
      refusal: `${places.server.certificateFile} was not made here; --replace replaces it. Names that it lacks may stand in http.names of penstock.yaml instead`,
    };
  }
  const missing = [...names.hostNames, ...names.addresses].filter((name) => !present.names.includes(name));
  const isFit = present.isOurs && present.hasKey && present.days >= RENEWAL_DAYS && missing.length === 0;
  return isFit ? { text } : { text, step };
}

function planClientAuthority(facts: SetupFacts, { isReplacing }: SetupWishes): PlannedPart {
  const { places, clientAuthorities } = facts;
  const text = `authority of clients, ${places.clientAuthorities}`;
  if (clientAuthorities === 'OURS') return { text };
  if (clientAuthorities === 'OTHERS' && !isReplacing) {
    return { text, refusal: `${places.clientAuthorities} names other authorities; --replace replaces it` };
  }
  return { text, step: { kind: 'clientAuthority' } };
}

function planCertificateLogin({ isCertificateLoginOn }: SetupFacts): PlannedPart {
  const text = 'authentication by client certificate without a session';
  return isCertificateLoginOn ? { text } : { text, step: { kind: 'certificateLogin' } };
}

function planClient(
  { clients }: SetupFacts,
  { isReplacing, grants }: SetupWishes,
  client: string,
): readonly PlannedPart[] {
  const { hasIdentity = false, files, folder = '' } = clients.get(client) ?? {};
  const rights =
    grants.length === 0
      ? 'the permission rest.assets'
      : `${grants.length} ${grants.length === 1 ? 'grant' : 'grants'}`;
  const identity = `identity ${client} with ${rights}`;
  const certificate = `certificate of ${client} in ${folder}`;
  const step = { kind: 'clientCertificate', client } as const;
  return [
    hasIdentity ? { text: `identity ${client}` } : { text: identity, step: { kind: 'identity', client } },
    files === 'OURS'
      ? { text: certificate }
      : files === 'OTHERS' && !isReplacing
        ? {
            text: certificate,
            refusal: `${folder} has files that were not made here; --replace replaces them`,
          }
        : { text: certificate, step },
  ];
}
