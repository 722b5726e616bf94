import type { LinkEnded } from './broker-link.ts';

/** By reason code and return code of CONNACK. */
const BY_REASON: Readonly<Record<number, string>> = {
  0x01: 'set "protocolVersion" to the version of the broker',
  0x02: 'set "clientId" to one that the broker accepts',
  0x04: 'correct "user" and "password"',
  0x05: 'correct "user" and "password", or allow this client at the broker',
  0x84: 'set "protocolVersion" to 3.1.1',
  0x85: 'set "clientId" to one that the broker accepts',
  0x86: 'correct "user" and "password"',
  0x87: 'correct "user" and "password", or allow this client at the broker',
  0x8a: 'allow this client at the broker',
  0x8e: 'another client has the same "clientId": give each its own',
};

const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/ALTNAME/, 'set "serverName" to a name in the certificate of the broker'],
  [/EXPIRED|NOT_YET_VALID/, 'renew the certificate of the broker, or check the clock of this machine'],
  [
    /SELF_SIGNED|UNABLE_TO|UNTRUSTED/,
    'set "certificateAuthorities" to the authority that issued the certificate of the broker',
  ],
  [
    /ALERT|HANDSHAKE/,
    'set "certificate" and "key" to a client certificate that the broker accepts; its log names the reason',
  ],
  [/ERR_SSL|EPROTO/, 'use mqtt:// for a port without TLS, and mqtts:// for one with TLS'],
  [/ENOTFOUND|EAI_/, 'correct the host name, or the name servers of this machine'],
  [/ECONNREFUSED/, 'correct host and port, and check that the broker runs'],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'check the network between this machine and the broker'],
];

const SILENT = 'check the network and firewalls, and that the port speaks MQTT (mqtts:// for TLS)';
const CLOSED = 'check that the port speaks MQTT (mqtts:// for TLS); the log of the broker names the reason';

/** Returns what the operator can do about a connection that ended or was not made. */
export function remedyOf({ cause, isSilent }: Pick<LinkEnded, 'cause' | 'isSilent'>): string {
  if (isSilent) return SILENT;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'number') return BY_REASON[code] ?? CLOSED;
  const [, remedy] = BY_CODE.find(([pattern]) => pattern.test(String(code))) ?? [];
  return remedy ?? CLOSED;
}
